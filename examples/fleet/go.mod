module github.com/errclass/errclass/examples/fleet

go 1.26.0

require (
	github.com/alicebob/miniredis/v2 v2.40.0
	github.com/errclass/errclass v0.1.0
	github.com/errclass/errclass/resilience v0.1.0
	github.com/errclass/errclass/resilience/redisgate v0.1.0
	github.com/jedib0t/go-pretty/v6 v6.8.3
	github.com/redis/go-redis/v9 v9.23.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/goleak v1.3.0
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/mattn/go-runewidth v0.0.16 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/yuin/gopher-lua v1.1.1 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)

replace github.com/errclass/errclass => ../..

replace github.com/errclass/errclass/resilience => ../../resilience

replace github.com/errclass/errclass/resilience/redisgate => ../../resilience/redisgate
