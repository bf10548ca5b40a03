#!/bin/sh
# Prints the container engine of this machine: the first of docker and podman
# that answers. Nothing, and status 1, where there is none.
for engine in docker podman; do
	if command -v "$engine" >/dev/null && "$engine" info >/dev/null 2>&1; then
		echo "$engine"
		exit 0
	fi
done
exit 1
