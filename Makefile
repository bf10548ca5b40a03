# make run    builds and serves testimages/ with the viewer
# make test   what CI runs: units with the race detector, one viewer run
# make check  formatting, lint, tests, generated documents
# make container, container-test   the image, and what docs/container.md promises of it
SHELL := /bin/bash
.DELETE_ON_ERROR:

BUILD_PACKAGES := libvips-dev libjpeg62-turbo-dev libopenjp2-7-dev gcc libc6-dev pkg-config ca-certificates libjemalloc-dev
TEST_PACKAGES  := libvips-tools libjpeg-turbo-progs libopenjp2-tools chromium fonts-dejavu-core

LISTEN ?= :8182
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X main.version=$(VERSION)
PURE := ./iiif/... ./decode/plan/... ./decode/header/... ./option/... ./source/... ./cache/... ./auth/... ./admission/... ./lua/... ./docroot/...

.PHONY: run build test test-pure test-browser lint fmt fuzz storm docs check build-packages test-packages clean container container-test

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
	go test -race -timeout 30m ./...
	@$(MAKE) --no-print-directory test-browser

# One run of a real browser over the landing page, the viewer and Mirador.
test-browser: test-packages build
	@command -v npm >/dev/null || scripts/install-packages nodejs npm
	tests/browser/test.sh

# Overload, abuse and crashes in memory cgroups of 256 MiB to 1 GiB; takes
# root and about ten minutes. STORM=-long is the whole of it.
storm: test-packages build
	go build -o bin/storm ./tests/storm
	bin/storm -iiifd bin/iiifd $(STORM)

test-pure:
	CGO_ENABLED=0 go test $(PURE)

TOOL := go tool -modfile=tools/go.mod

lint: build-packages
	$(TOOL) golangci-lint run ./...

fmt:
	$(TOOL) gofumpt -w $$(git ls-files '*.go')

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
