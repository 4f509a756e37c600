SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

FUZZTIME ?= 10s
BENCHTIME ?= 1s
MODULES = $$(go list -m -f '{{.Dir}}') collector/errclassprocessor collector/errclassprocessor/test
# The Collector's modules have a workspace of their own: see collector/go.work.
COLLECTOR = github.com/errclass/errclass/collector/...

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## run the tests of every module
	go test work
	cd collector && go test $(COLLECTOR)

.PHONY: race
race: ## run the same tests with the race detector
	CGO_ENABLED=1 go test -race -timeout 30m work
	cd collector && CGO_ENABLED=1 go test -race -timeout 30m $(COLLECTOR)

.PHONY: lint
lint: ## run go vet and golangci-lint (installed into .bin if missing)
	go vet -tags browser work
	cd collector && go vet $(COLLECTOR)
	@for dir in $(MODULES); do (cd "$$dir" && "$(CURDIR)/.ci/golangci-lint" run ./...); done

.PHONY: fuzz
fuzz: ## run every fuzz target of every module for FUZZTIME (10s)
	@.ci/fuzz $(FUZZTIME)

.PHONY: vuln
vuln: ## look for known vulnerabilities, if their database is reachable
	@.ci/govulncheck

.PHONY: licences
licences: ## check the licences of all dependencies
	@.ci/licences

.PHONY: bench
bench: ## run the benchmarks; x-... metrics are ratios within one run
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) ./classify/... ./slogclass ./otelclass ./otelclass/test ./cmd/errclass/... ./internal/model ./resilience
	go test -run '^$$' -bench Failsafe -benchtime $(BENCHTIME) ./compat
	cd collector && go test -run '^$$' -bench . -benchtime $(BENCHTIME) ./errclassprocessor/...

.PHONY: bench-hyperscan
bench-hyperscan: ## compare the matcher with Hyperscan (needs libhyperscan-dev)
	@go run ./classify/internal/hyperscan

.PHONY: size
size: ## print how many bytes slogclass adds to a stripped program
	@.ci/size

.PHONY: release-check
release-check: ## rehearse a release: pack, tidy, install, import, compare the API
	@go run ./internal/release/check

.PHONY: api
api: ## write the exported API of all packages to api/
	@go run ./internal/release/check -api

.PHONY: tidy
tidy: ## run go mod tidy in every module, with the other modules of the work tree
	@go run ./internal/release/check -tidy

# Of the report, train prints the figures and the comparison.
.PHONY: train
train: ## train the model on corpus/ and print which answers change
	@mkdir -p .bin
	@go run ./cmd/errclass eval corpus --predictions .bin/before.jsonl >/dev/null
	cd corpus && go run ./cmd/train -out ../internal/model/standard.table
	@go run ./cmd/errclass eval corpus --predictions .bin/after.jsonl --against .bin/before.jsonl \
		| sed -n '1,/^$$/p; /^Compared with/,$$p'

.PHONY: cross-validate
cross-validate: ## measure rules and model by cross-validation on corpus/
	@go run ./cmd/errclass eval corpus --cross-validate --errors=0

.PHONY: generate
generate: ## regenerate the generated files
	@for dir in $(MODULES); do (cd "$$dir" && go generate ./...); done

.PHONY: collector
collector: ## build .bin/otelcol-errclass, an OpenTelemetry Collector with errclass
	@.ci/collector

.PHONY: cross
cross: ## compile for the other supported platforms
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build work
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build work
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build work
	cd collector && CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build $(COLLECTOR)
	cd collector && CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build $(COLLECTOR)
	cd collector && CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build $(COLLECTOR)

.PHONY: ci
ci: ## run all checks that a change must pass
	@.ci/run
