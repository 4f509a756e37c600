SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

FUZZTIME ?= 10s
BENCHTIME ?= 1s
MODULES = $$(go list -m -f '{{.Dir}}')

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: test
test: ## run the tests of every module that go.work names
	go test work

.PHONY: race
race: ## the same with the race detector
	CGO_ENABLED=1 go test -race work

.PHONY: lint
lint: ## go vet and golangci-lint, which is installed into .bin where it is missing
	go vet work
	@for dir in $(MODULES); do (cd "$$dir" && "$(CURDIR)/.ci/golangci-lint" run ./...); done

.PHONY: fuzz
fuzz: ## run every fuzz target of every module for FUZZTIME (10s)
	@.ci/fuzz $(FUZZTIME)

.PHONY: vuln
vuln: ## look for known vulnerabilities, where their database is to be had
	@.ci/govulncheck

.PHONY: licences
licences: ## check the licences of all modules that this is built from
	@.ci/licences

.PHONY: bench
bench: ## measure the budgets: x-regexp, x-bare, x-json-... are ratios within one run
	go test -run '^$$' -bench . -benchtime $(BENCHTIME) ./classify/... ./slogclass ./otelclass ./otelclass/test ./cmd/errclass/...

.PHONY: bench-hyperscan
bench-hyperscan: ## compare the matcher with Hyperscan, where libhyperscan-dev is installed
	@go run ./classify/internal/hyperscan

.PHONY: size
size: ## print by how much slogclass enlarges a stripped program
	@.ci/size

.PHONY: release-check
release-check: ## rehearse a release: pack, tidy, install, import, compare the API
	@go run ./internal/releasecheck

.PHONY: api
api: ## write the exported API of all packages into api/
	@go run ./internal/releasecheck -api

.PHONY: tidy
tidy: ## go mod tidy for every module, against those of the work tree
	@go run ./internal/releasecheck -tidy

.PHONY: generate
generate: ## make the generated files anew
	@for dir in $(MODULES); do (cd "$$dir" && go generate ./...); done

.PHONY: cross
cross: ## compile for the platforms that no test here runs on
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build work
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 go build work
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build work

.PHONY: ci
ci: ## everything that a change has to pass
	@.ci/run
