# make run    builds and serves testimages/ with the viewer
# make test   what CI runs: units with the race detector, one viewer run
# make e2e    the official validator, nginx in front: with the built binary
# make check  formatting, lint, tests, generated documents
# make container, container-test   the image, and what docs/container.md promises of it
SHELL := /bin/bash
.DELETE_ON_ERROR:

BUILD_PACKAGES := libvips-dev libjpeg62-turbo-dev libopenjp2-7-dev gcc libc6-dev pkg-config ca-certificates libjemalloc-dev
E2E_PACKAGES   := nginx-light python3 python3-venv libmagic1

BENCH_PACKAGES := iipimage-server nginx-light libtiff-dev libvips-tools libjpeg-turbo-progs libopenjp2-tools
STORM_PACKAGES := prometheus
TEST_PACKAGES  := libvips-tools libjpeg-turbo-progs libopenjp2-tools libtiff-tools chromium fonts-dejavu-core

LISTEN ?= :8182
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# Told to the linker and not left to the go command, which knows no commit
# where GOFLAGS has -buildvcs=false or the checkout is not the builder's own.
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null)$(shell test -z "$$(git status --porcelain --untracked-files=no 2>/dev/null)" || echo +)
LDFLAGS := -X main.version=$(VERSION) -X main.revision=$(REVISION)
PURE := ./iiif/... ./decode/plan/... ./decode/header/... ./option/... ./source/... ./cache/... ./auth/... ./admission/... ./lua/... ./docroot/...

.PHONY: run build test test-pure test-browser lint fmt fuzz bench storm docs check e2e build-packages test-packages clean container container-test estimate-check estimate-check-quick

build-packages:
	@scripts/install-packages $(BUILD_PACKAGES)

test-packages: build-packages
	@scripts/install-packages $(TEST_PACKAGES)

build: build-packages
	go build -ldflags '$(LDFLAGS)' -o bin/iiifd ./cmd/iiifd

run: build
	bin/iiifd serve --listen $(LISTEN) testimages/images

test: test-packages build
	go vet ./...
	go test -race -p 2 -timeout 60m ./...
	@$(MAKE) --no-print-directory test-browser

# One run of a real browser over the landing page, the viewer and Mirador.
test-browser: test-packages build
	@command -v npm >/dev/null || scripts/install-packages nodejs npm
	tests/browser/test.sh

# Overload, abuse and crashes in memory cgroups of 256 MiB to 1 GiB; takes
# root and about ten minutes. STORM=-long is the whole of it.
storm: test-packages build
	@scripts/install-packages $(STORM_PACKAGES)
	go build -o bin/storm ./tests/storm
	go test -c -o bin/replay ./admission
	bin/storm -iiifd bin/iiifd -replay bin/replay $(STORM)

# Needs a package index of Python for the validator, which is kept in .cache.
e2e: build
	@scripts/install-packages $(E2E_PACKAGES)
	go test -tags e2e -count=1 -timeout 20m ./tests/e2e ./tests/lua

test-pure:
	CGO_ENABLED=0 go test $(PURE)

TOOL := go tool -modfile=tools/go.mod

lint: build-packages
	$(TOOL) golangci-lint run ./...

# make bench BENCH=--quick takes about two minutes once the images are made.
bench: build
	@scripts/install-packages $(BENCH_PACKAGES)
	go build -o bin/bench ./tests/bench
	gcc -O2 -o bin/limit tests/bench/limit/limit.c -ltiff -ljpeg
	bin/bench --limit bin/limit $(BENCH)

fmt:
	$(TOOL) gofumpt -w $$(git ls-files '*.go')

# Compares the prices of decodes with what they take, with a new seed each
# time; docs/estimator.md tells what is printed. The files, some 4 GiB, are
# kept in ESTIMATE_DIR between runs.
ESTIMATE_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/iiifd-estimate

estimate-check: test-packages
	go run ./decode/estimatecheck -dir $(ESTIMATE_DIR) -large 20000x15000 -ops 8 -random 320 -together 200 -jobs 2 -time 1h -cell-time 60s -v

estimate-check-quick: test-packages
	go run ./decode/estimatecheck -dir $(ESTIMATE_DIR) -sizes 1500x1100 -ops 2 -random 60 -together 20 -jobs 2 -time 10m -cell-time 60s -v

fuzz:
	scripts/fuzz 20s

check: fmt lint test test-pure docs

docs:
	go test ./cmd/iiifd -run 'TestManual|TestMetrics' -update

# The engine is asked for only where it is used. Podman drops the health check
# from images that are not in docker's format.
CONTAINER ?= $(shell tests/container/engine.sh)
IMAGE ?= iiifd:$(VERSION)
container:
	BUILDAH_FORMAT=docker $(or $(CONTAINER),$(error neither docker nor podman answers)) build $(CONTAINER_BUILD_FLAGS) \
		--build-arg VERSION=$(VERSION) --build-arg REVISION=$(shell git rev-parse HEAD 2>/dev/null) -t $(IMAGE) .

# IMAGE is left to the script, which builds one unless it is given one.
container-test:
	@tests/container/run.sh

clean:
	rm -rf bin
