# What run.sh is made of: starting and asking containers, and checks.
# It expects ENGINE, RUN_FLAGS, IMAGE and WORK, a directory of its own.
# shellcheck shell=bash disable=SC2086,SC2154

failures=0

# check DESCRIPTION COMMAND… runs the command; its status is the verdict.
check() {
	local what=$1
	shift
	if "$@" >"$WORK/check.log" 2>&1; then
		echo "ok    $what"
	else
		echo "FAIL  $what"
		sed 's/^/      /' "$WORK/check.log"
		failures=$((failures + 1))
	fi
}

# engine runs the engine; what it says on the side is kept for a failure.
engine() { $ENGINE "$@" 2>>"$WORK/engine.log"; }

# give_up MESSAGE ends the run where nothing further can be checked.
give_up() {
	echo "FAIL  $1"
	tail -20 "$WORK/engine.log" | sed 's/^/      /'
	exit 1
}

# start NAME FLAG… -- [ARGUMENT…] starts a container of the image as docs/container.md asks.
start() {
	local name=$1 flags=()
	shift
	while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	[ "$#" -eq 0 ] || shift
	containers+=("$name")
	engine run -d --name "$name" --memory=512m --read-only --tmpfs /tmp:size=64m \
		--cap-drop=ALL --security-opt=no-new-privileges $RUN_FLAGS \
		-v "$WORK/images:/images:ro,z" "${flags[@]}" "$IMAGE" "$@" >/dev/null
}

# state NAME FORMAT prints a part of a container's state.
state() { engine inspect --format "$2" "$1"; }

# address NAME PORT prints where a published port is reached.
address() { engine port "$1" "$2/tcp" | head -1; }

# wait_for SECONDS COMMAND… repeats the command until it succeeds.
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.2
	done
}

# healthy NAME tells whether the image's own check has passed. Podman leaves
# the checks to systemd, which may not run: it is asked to make one.
healthy() {
	case $ENGINE in *podman*) engine healthcheck run "$1" >/dev/null ;; esac
	[ "$(state "$1" '{{.State.Health.Status}}')" = healthy ]
}

# ended NAME tells whether the container has come to its end.
ended() { [ "$(state "$1" '{{.State.Status}}')" = exited ]; }

# get PATH FILE fetches from the server of the first container.
get() { curl -sS --fail --max-time 60 -o "$2" "http://$base$1"; }

# png_size FILE prints width and height out of a PNG's header.
png_size() {
	[ "$(od -An -tx1 -N8 "$1" | tr -d ' ')" = 89504e470d0a1a0a ] || return 1
	od -An -tu1 -j16 -N8 "$1" | awk '{ print ($1*256+$2)*65536+$3*256+$4 "x" ($5*256+$6)*65536+$7*256+$8 }'
}

# picture PATH WIDTHxHEIGHT fetches a PNG and compares its size.
picture() { get "$1" "$WORK/answer" && [ "$(png_size "$WORK/answer")" = "$2" ]; }

# decodes PATH fetches a PNG of whatever size.
decodes() { get "$1" "$WORK/answer" && png_size "$WORK/answer"; }

# closed ADDRESS tells that nothing answers at a published port.
closed() { [ -n "$1" ] && ! curl -sS --max-time 5 "http://$1/livez"; }

# same A B compares two texts and shows them.
same() {
	echo "got $1, want $2"
	[ "$1" = "$2" ]
}

# logged NAME PATTERN looks into a container's log.
logged() { $ENGINE logs "$1" 2>&1 | grep -E "$2"; }

# logged_after NAME FIRST SECOND tells whether a line follows another one.
logged_after() { $ENGINE logs "$1" 2>&1 | awk -v a="$2" -v b="$3" '{ print } $0 ~ a { seen = 1 } seen && $0 ~ b { found = 1 } END { exit !found }'; }

# write_tiff FILE WIDTH HEIGHT writes noise: an uncompressed grey TIFF in one
# strip. Sides are below 65536, numbers little-endian.
write_tiff() {
	local le
	# le BYTES NUMBER prints printf escapes.
	le() { for ((i = 0; i < $1; i++)); do printf '\\x%02x' $((($2 >> 8 * i) & 255)); done; }
	# entry TAG VALUE is a directory entry of one LONG.
	entry() { printf '%s' "$(le 2 "$1")$(le 2 4)$(le 4 1)$(le 4 "$2")"; }
	local head
	head="II$(le 2 42)$(le 4 8)$(le 2 8)"
	head+="$(entry 256 "$2")$(entry 257 "$3")$(entry 258 8)$(entry 259 1)$(entry 262 1)"
	head+="$(entry 273 110)$(entry 278 "$3")$(entry 279 $(($2 * $3)))$(le 4 0)"
	# shellcheck disable=SC2059 # The text is made of escapes.
	printf "$head" >"$1"
	head -c $(($2 * $3)) /dev/urandom >>"$1"
}
