// Package lua runs scripts: routes and pages that answer requests, and
// pre-flight hooks that decide about access (Runtime is an auth.Authorizer).
// Scripts are Lua 5.3 as SIPI has it; docs/lua.md is their manual.
//
// # Why processes
//
// A script may be wrong or hostile, and the server must not feel it.
// gopher-lua, the machine, cannot promise that within the server's process:
// it has no allocator hook, its SetMx looks at the whole process every 100 ms
// and then calls os.Exit, and single instructions allocate without bound
// (s = s .. s doubles, t[n] = x grows an array to n) or never end (a native
// sort, a JSON document). A Go stack overflow cannot even be recovered from.
// Killing needs a process, and so a script runs in one: this program again,
// as a worker that serves one call at a time and is used again while it is
// healthy, always with a fresh machine.
//
// Four bounds lie around each other:
//
//  1. The machine asks its context before every instruction; that context
//     (budget) counts instructions and looks at clock and live heap, and a
//     script that catches the error meets it again at its next instruction.
//     The worker survives.
//  2. Functions of ours look at the same budget as they work: patterns as
//     they backtrack, copies as they copy. They refuse allocations that alone
//     exceed the limit.
//  3. The server looks at the worker's anonymous memory every 2 ms and kills
//     it at one and a half times the limit, or 8 MiB above a small one, and
//     250 ms after the deadline.
//  4. RLIMIT_DATA lets the kernel refuse what no watcher could in time. Go
//     takes writable address space in arenas of 64 MiB, so this wall stands
//     at about twice the limit, for limits from 64 MiB on.
//
// # The two sides
//
// Files named child, call and bind_… run in the worker, all others in the
// server. They speak frames (frame.go, wire.go) over the worker's standard
// input and output. What touches a script's own files, databases and other
// hosts happens in the worker, within a jail (jail.go, network.go); images,
// admission, cache and log are asked of the server, which checks paths again
// and goes through Host.
package lua
