# The container image of iiifd. docs/container.md tells how to build and run it.

FROM golang:1.26-bookworm AS build
WORKDIR /src
# The list of packages and the flags of the compiler are the Makefile's alone.
COPY Makefile ./
COPY scripts/install-packages scripts/
RUN make build-packages
COPY . .
# Where the Go modules come from; unset is Go's own default.
ARG GOPROXY
ARG VERSION=dev
ARG REVISION
RUN --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/root/.cache/go-build \
    make build VERSION="$VERSION" REVISION="$REVISION"

FROM debian:bookworm-slim
# libvips brings its codecs; named beside it is what the binary itself calls.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        ca-certificates libglib2.0-0 libjemalloc2 libjpeg62-turbo libopenjp2-7 libtiff6 libvips42 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/apt /var/log/dpkg.log /var/log/alternatives.log \
 && groupadd --gid 10001 iiifd \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin iiifd \
 && install -d -o 10001 -g 10001 -m 0750 /var/cache/iiifd \
 && install -d /images
COPY LICENSE NOTICE docs/licences.md /usr/share/doc/iiifd/
COPY docroot/viewer/vendor/LICENSE.txt /usr/share/doc/iiifd/openseadragon-licence.txt
COPY --from=build /src/bin/iiifd /usr/local/bin/iiifd
# A library that is missing shows here and not at the first start.
RUN ["iiifd", "version"]

# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
ENV IIIFD_CACHE_DIR=/var/cache/iiifd
# The images are no volume of the image's own: one that is built on this one
# may bring them along, and builders drop what is copied into a volume.
VOLUME /var/cache/iiifd
# The second one is the operator's. It listens on loopback until
# IIIFD_OPERATOR_LISTEN and IIIFD_OPERATOR_TOKEN_FILE say otherwise.
EXPOSE 8182 9182
HEALTHCHECK --interval=15s --timeout=6s --start-period=20s --retries=3 CMD ["iiifd", "health"]
ENTRYPOINT ["iiifd"]
CMD ["serve", "/images"]

ARG VERSION=dev
ARG REVISION
LABEL org.opencontainers.image.title="iiifd" \
      org.opencontainers.image.description="IIIF image server that knows what a request costs before it decodes" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
