module github.com/errclass/errclass/resilience

go 1.26.0

require (
	github.com/errclass/errclass v0.1.0
	github.com/stretchr/testify v1.12.1
	go.etcd.io/bbolt v1.5.0
	go.uber.org/goleak v1.3.0
	go.yaml.in/yaml/v3 v3.0.6
	pgregory.net/rapid v1.3.0
)

require golang.org/x/sys v0.45.0 // indirect
