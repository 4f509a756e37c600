module github.com/errclass/errclass

go 1.26

require (
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.6
	pgregory.net/rapid v1.3.0
)
