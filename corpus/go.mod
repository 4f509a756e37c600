module github.com/errclass/errclass/corpus

go 1.26.0

require (
	github.com/errclass/errclass v0.1.0
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.6
	gonum.org/v1/gonum v0.17.0
)

replace github.com/errclass/errclass => ../
