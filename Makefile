# make lint test is what a change must pass. The rest is run by CI; see .ci/run.

GO       ?= go
BIN      := bin
PACKAGES := ./...

# The package that has the determinism test, and the tests that run on other processors.
DETERMINISM_PACKAGE ?= ./runner
DETERMINISM_TEST    ?= Determinis

# Emulators for the processors that this machine is not.
QEMU_ARM64 ?= qemu-aarch64-static
QEMU_ARM   ?= qemu-arm-static

# Benchmarks run in these; BENCHTIME=1x only shows that they work.
BENCH_PACKAGES ?= ./sim/... ./checker/... ./runner/...
BENCHTIME      ?= 1s

.PHONY: all build lint test test-live race bench mutation conformance conformance-mutants cross cross-386 cross-arm64 cross-arm clean

all: lint test

build:
	$(GO) build -o $(BIN)/dlsim ./cmd/dlsim

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then \
		echo "gofmt these files:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet $(PACKAGES)
	$(GO) build -o $(BIN)/dlsim-lint ./lint/cmd/dlsim-lint
	$(GO) vet -vettool=$(CURDIR)/$(BIN)/dlsim-lint $(PACKAGES)
	$(GO) run ./lint/cmd/dlsim-lines

test:
	$(GO) test $(PACKAGES)

# Every shipped scenario as real processes; make test runs two short ones.
test-live:
	DLSIM_LIVE=all $(GO) test -count=1 -timeout 45m -v -run 'Live' ./cmd/dlsim
	$(GO) test -count=1 ./sim/live/...

race:
	$(GO) test -race $(PACKAGES)

bench:
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) $(BENCH_PACKAGES)

# How many small bugs in the system do sweeps of ten seconds find? docs/mutation.md says what is left.
MUTATED ?= ./system/dberr ./system/executor ./system/intake ./system/lock ./system/operator ./system/paydb \
	./system/proxy ./system/rail ./system/reconciler ./system/wire

mutation:
	$(GO) run ./mutation/cmd/dlsim-mutants -most 300 -cpu 10s $(MUTATED)

# The models of PostgreSQL and etcd against the real servers: COUNT generated programs from SEED on,
# each step by step. Suites that wait for leases to expire take fewer.
SEED  ?= 1
COUNT ?= 20000

conformance:
	$(GO) test -count=1 ./sim/virtual/postgres/... ./sim/virtual/etcd/...
	SEED=$(SEED) COUNT=$(COUNT) $(GO) test -count=1 -v -p 1 -timeout 60m ./conformance/...

# Each deliberate error in a model must make its suite fail.
conformance-mutants:
	MUTANTS=1 $(GO) test -count=1 -v -p 1 -timeout 60m -run Mutants ./conformance/...

# A seed must give the same run on every processor: 32-bit and 64-bit, x86 and arm.
cross: cross-386 cross-arm64 cross-arm

cross-386:
	GOARCH=386 CGO_ENABLED=0 $(GO) vet $(PACKAGES)
	$(call determinism,386,)

cross-arm64:
	$(call determinism,arm64,$(QEMU_ARM64))

cross-arm:
	$(call determinism,arm,$(QEMU_ARM))

# determinism: build the test for processor $(1) and run it by $(2). A binary that runs no test
# would pass, so that is looked for. Without the emulator the build alone is checked, and said.
define determinism
	GOARCH=$(1) CGO_ENABLED=0 $(GO) test -c -o $(BIN)/determinism-$(1).test $(DETERMINISM_PACKAGE)
	@if [ -n "$(2)" ] && ! command -v "$(2)" >/dev/null; then \
		echo "$(1): built, not run: $(2) is missing (.ci/setup installs it)"; \
	else \
		echo "$(1): running $(DETERMINISM_TEST)"; \
		cd $(DETERMINISM_PACKAGE) && \
		out=$$($(2) $(CURDIR)/$(BIN)/determinism-$(1).test -test.v -test.timeout 10m -test.run '$(DETERMINISM_TEST)' 2>&1) || { echo "$$out"; exit 1; }; \
		echo "$$out" | tail -n 1; \
		case "$$out" in *"--- PASS"*) ;; *) echo "$(1): no test ran"; exit 1;; esac; \
	fi
endef

clean:
	rm -rf $(BIN)
