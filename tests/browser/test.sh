#!/usr/bin/env bash
# Serves the sample images and looks at them with a real browser: the landing
# page, the viewer, OpenSeadragon and Mirador. Needs bin/iiifd, node, npm and
# Debian's chromium. Screenshots go to tests/browser/out.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
[ -d node_modules/mirador ] || npm ci --no-audit --no-fund --loglevel=error

tmp=$(mktemp -d)
"$root/bin/iiifd" serve --listen 127.0.0.1:0 --operator-listen off --cache-dir "$tmp/cache" "$root/testimages/images" >"$tmp/out" 2>"$tmp/log" &
server=$!
trap 'kill $server 2>/dev/null || true; wait $server 2>/dev/null || true; rm -rf "$tmp"' EXIT

for _ in $(seq 300); do
	base=$(grep -oE 'http://[^ ]+:[0-9]+/?$' "$tmp/out" | head -1 || true)
	[ -n "$base" ] && break
	kill -0 $server 2>/dev/null || { cat "$tmp/log" >&2; exit 1; }
	read -rt 0.1 <> <(:) || true
done
[ -n "$base" ] || { echo "the server did not start" >&2; exit 1; }

if ! node run.mjs "${base%/}" --image tiff-pyramid-subifd.tif --image jpeg-orientation-6.jpg --image jp2-tiled.jp2 \
	--image "names/comma,and'quote&.jpg" --paged tiff-document.tif --unreadable tiff-planar-tiled.tif --out out "$@"; then
	grep -v '"status":[23]' "$tmp/log" | tail -20 >&2
	exit 1
fi
