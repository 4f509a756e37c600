module github.com/errclass/errclass/examples/outage

go 1.26.0

require (
	github.com/errclass/errclass/resilience v0.1.0
	github.com/jedib0t/go-pretty/v6 v6.8.3
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
)

require (
	github.com/errclass/errclass v0.1.0 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sys v0.45.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)

replace github.com/errclass/errclass => ../..

replace github.com/errclass/errclass/resilience => ../../resilience
