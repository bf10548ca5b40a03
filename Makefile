# make run    builds and serves testimages/ with the viewer
# make test   what CI runs: units with the race detector, one viewer run
# make check  formatting, lint, tests, generated documents
SHELL := /bin/bash
.DELETE_ON_ERROR:

BUILD_PACKAGES := libvips-dev libjpeg62-turbo-dev libopenjp2-7-dev gcc libc6-dev pkg-config ca-certificates libjemalloc-dev
BENCH_PACKAGES := iipimage-server nginx-light libtiff-dev libvips-tools libjpeg-turbo-progs libopenjp2-tools
TEST_PACKAGES  := libvips-tools libjpeg-turbo-progs libopenjp2-tools chromium fonts-dejavu-core

LISTEN ?= :8182
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -X main.version=$(VERSION)
PURE := ./iiif/... ./decode/plan/... ./decode/header/... ./option/... ./source/... ./cache/... ./auth/... ./admission/... ./lua/... ./docroot/...

.PHONY: run build test test-pure test-browser lint fmt fuzz bench docs check e2e build-packages test-packages clean

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

test-pure:
	CGO_ENABLED=0 go test $(PURE)

# make bench BENCH=--quick takes about two minutes once the images are made.
bench: build
	@scripts/install-packages $(BENCH_PACKAGES)
	go build -o bin/bench ./tests/bench
	gcc -O2 -o bin/limit tests/bench/limit/limit.c -ltiff -ljpeg
	bin/bench --limit bin/limit $(BENCH)

fmt:
	gofmt -w $$(git ls-files '*.go')

docs:
	go test ./cmd/iiifd -run 'TestManual' -update

clean:
	rm -rf bin
