module github.com/errclass/errclass

go 1.26.0

require (
	github.com/samber/slog-multi v1.7.1
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
	go.yaml.in/yaml/v3 v3.0.6
	pgregory.net/rapid v1.3.0
)

require (
	github.com/samber/lo v1.53.0 // indirect
	github.com/samber/slog-common v0.20.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)
