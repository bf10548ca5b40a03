#!/usr/bin/env bash
# Builds the container image, runs it under a memory limit with a read-only
# root, and checks what docs/container.md promises.
#
#   CONTAINER              the engine's command; default: docker or podman
#   CONTAINER_BUILD_FLAGS  further flags of "build"
#   CONTAINER_RUN_FLAGS    further flags of "run"
#   IMAGE                  an image to check instead of building one
#
# Ends with 0 where there is no engine or no base image, and says so.
# shellcheck disable=SC2086,SC2013,SC2016
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/container/lib.sh

skip() {
	echo "skip: $1"
	exit 0
}

ENGINE=${CONTAINER:-$(tests/container/engine.sh)}
[ -n "$ENGINE" ] || skip "neither docker nor podman answers on this machine"
command -v curl >/dev/null || skip "curl is missing"
RUN_FLAGS=${CONTAINER_RUN_FLAGS:-}
IMAGE=${IMAGE:-}
WORK=$(mktemp -d)
containers=()
cleanup() {
	[ "${#containers[@]}" -eq 0 ] || engine rm -f -v "${containers[@]}" >/dev/null
	rm -rf "$WORK"
}
trap cleanup EXIT

if [ -z "$IMAGE" ]; then
	for base in $(sed -n 's/^FROM \([^ ]*\).*/\1/p' Dockerfile); do
		engine image inspect "$base" >/dev/null || engine pull -q "$base" >/dev/null ||
			skip "the base image $base is not here and cannot be fetched"
	done
	IMAGE=localhost/iiifd:container-test
	make container CONTAINER="$ENGINE" IMAGE="$IMAGE" >"$WORK/engine.log" 2>&1 || give_up "the image is built"
	echo "ok    the image is built"
fi

echo "      with $($ENGINE --version 2>/dev/null)"
bytes=$(engine image inspect --format '{{.Size}}' "$IMAGE") || give_up "the image $IMAGE is there"
echo "      image of $((bytes / 1000000)) MB"
check "the image is at most 320 MB" test "$bytes" -le 320000000

# The server runs as another user than the one that made the files.
mkdir "$WORK/images"
find testimages -maxdepth 1 -type f ! -name '*.go' ! -name '*.md' -exec cp {} "$WORK/images" \;
write_tiff "$WORK/images/noise.tif" 8000 4000
od -An -tx1 -N24 /dev/urandom | tr -d ' \n' >"$WORK/token"
chmod -R a+rX "$WORK"

prefix=iiifd-test-$$

# As it comes: the operator listener on loopback.
name=$prefix-plain
start "$name" -p 127.0.0.1::8182 -p 127.0.0.1::9182 || give_up "the container starts"
check "health becomes healthy" wait_for 60 healthy "$name"
base=$(address "$name" 8182)

check "no operator listener from outside the container" closed "$(address "$name" 9182)"
check "info.json" sh -c "curl -sS --fail --max-time 30 http://$base/iiif/3/tiff-pyramid-jpeg.tif/info.json | grep -q '\"tiles\"'"
check "a tile" picture /iiif/3/jpeg-444.jpg/256,0,256,256/256,256/0/default.png 256x256
check "a full image" picture /iiif/3/jpeg-444.jpg/full/max/0/default.png 611x397
for source in avif-lossy.avif gif-static.gif heif-lossy.heic jp2-tiled.jp2 jpeg-cmyk.jpg jxl-lossy.jxl pdf-document.pdf png-rgb.png \
	svg-card.svg tiff-strip-lzw.tif webp-lossy.webp; do
	check "reads $source" decodes "/iiif/3/$source/full/!64,64/0/default.png"
done
for format in jpg png webp tif gif jp2 avif jxl pdf; do
	check "writes $format" get "/iiif/3/png-rgb.png/full/64,/0/default.$format" "$WORK/answer"
done

check "the books start from the 512 MiB of the container" logged "$name" '"memory booked".*"envelope":536870912,"source":"cgroup_v[12]"'
check "the server's user is 10001" same "$(engine exec "$name" sh -c 'awk "/^Uid/ { print \$2, \$3 }" /proc/1/status')" "10001 10001"
check "no capabilities" same "$(engine exec "$name" awk '/^CapEff|^CapBnd/ { print $2 }' /proc/1/status | sort -u)" 0000000000000000
check "the root is read-only" engine exec "$name" sh -c '! touch /probe'
check "the images are read-only" engine exec "$name" sh -c '! touch /images/probe'
check "answers are cached in /var/cache/iiifd" engine exec "$name" sh -c 'test "$(find /var/cache/iiifd -type f | wc -l)" -ge 10'
check "jemalloc is the allocator" engine exec "$name" grep -m 1 libjemalloc /proc/1/maps
check "jemalloc gives memory back by itself" engine exec "$name" sh -c 'cat /proc/1/task/*/comm | grep -m 1 jemalloc_bg'

# A download under way at SIGTERM comes to its end, and so does the server.
curl -sS --fail --max-time 60 --limit-rate 8M -o "$WORK/download" "http://$base/iiif/3/noise.tif/file" 2>"$WORK/curl.log" &
download=$!
check "a download has begun" wait_for 20 test -s "$WORK/download"
begin=$SECONDS
check "SIGTERM is taken" engine stop -t 45 "$name"
check "it ends within the drain time of 30 s" test $((SECONDS - begin)) -le 30
check "it ends with 0, not killed" same "$(state "$name" '{{.State.ExitCode}} {{.State.OOMKilled}}')" "0 false"
wait "$download"
check "the download is whole" sh -c "cat '$WORK/curl.log'; cmp '$WORK/download' '$WORK/images/noise.tif'"
check "it ended after SIGTERM" logged_after "$name" '"shutting down"' 'noise.tif/file.*"status":200'

# The operator listener for others: never without a token.
name=$prefix-open
start "$name" -e IIIFD_OPERATOR_LISTEN=:9182 || give_up "the container starts"
check "an open operator listener without a token is refused" wait_for 30 ended "$name"
check "the refusal names the option" logged "$name" 'needs operator-token-file'
check "it fails with 1" same "$(state "$name" '{{.State.ExitCode}}')" 1

name=$prefix-token
start "$name" -p 127.0.0.1::8182 -p 127.0.0.1::9182 -v "$WORK/token:/run/secrets/iiifd-operator-token:ro,z" \
	-e IIIFD_OPERATOR_LISTEN=:9182 -e IIIFD_OPERATOR_TOKEN_FILE=/run/secrets/iiifd-operator-token || give_up "the container starts"
check "health becomes healthy with a token" wait_for 60 healthy "$name"
operator=$(address "$name" 9182)
status() { curl -sS --max-time 10 -o "$WORK/answer" -w '%{http_code}' "$@"; }
check "401 without the token" same "$(status "http://$operator/admission")" 401
check "200 with it" same "$(status -H "Authorization: Bearer $(cat "$WORK/token")" "http://$operator/admission")" 200
check "the snapshot shows the container's limit" grep -E '"envelope_bytes": ?536870912' "$WORK/answer"
check "metrics with the token" same "$(status -H "Authorization: Bearer $(cat "$WORK/token")" "http://$operator/metrics")" 200
check "SIGTERM ends it" engine stop -t 45 "$name"
check "it ends with 0 again" same "$(state "$name" '{{.State.ExitCode}} {{.State.OOMKilled}}')" "0 false"

if [ "$failures" -gt 0 ]; then
	echo "$failures failed"
	exit 1
fi
echo "all passed"
