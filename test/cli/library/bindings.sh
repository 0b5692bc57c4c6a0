#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# slow: compilers of other languages
# L8, L9: the bindings of bindings/ (doc/BINDINGS.md). Each has tests of its own, which run real traces, and its examples.
. test/cli/helpers.inc
may_trace "bindings of other languages"
build=$(cd "${BUILD:-build}" && pwd)
[ -e "$build/libdtrace.so" ] || { echo "ok - bindings # SKIP there is no libdtrace.so"; exit 0; }
# what is built with the sanitizers cannot be loaded into programs that are not
if nm -D "$build/libdtrace.so" | grep -q __asan_init; then
	echo "ok - bindings # SKIP the library has the sanitizers in it"
	exit 0
fi
root=$PWD
# a library that is not installed, as pkg-config knows it
printf 'Name: libdtrace\nDescription: DTrace\nVersion: 0\nLibs: -L%s -ldtrace\nCflags: -I%s\n' "$build" "$root/include" >"$tmp/libdtrace.pc"
export PKG_CONFIG_PATH="$tmp" LD_LIBRARY_PATH="$build"

# tests NAME COMMAND…: the tests of a binding, in its folder; the end of what they print is shown when they fail
tests() {
	what=$1
	shift
	(cd "$dir" && "$@") >"$tmp/all" 2>&1
	status=$?
	[ $status -eq 0 ] || tail -n 40 "$tmp/all" | sed 's/^/  /'
	check $status "$what"
}

if command -v python3 >/dev/null 2>&1; then
	dir=$root/bindings/python
	tests "the tests of Python" env PYTHONPATH="$dir" PYTHONDONTWRITEBYTECODE=1 LIBDTRACE="$build/libdtrace.so" python3 -W error::ResourceWarning test_dtrace.py
	LIBDTRACE=/nowhere PYTHONPATH=$dir PYTHONDONTWRITEBYTECODE=1 python3 -c 'import dtrace' 2>"$tmp/err"
	[ $? -eq 1 ] && grep -q 'ImportError: libdtrace cannot be loaded (set LIBDTRACE to its path)' "$tmp/err"
	check $? "Python without the library says what to set"
	if command -v mypy >/dev/null 2>&1; then
		for module in "-p dtrace" example/top.py example/latency.py example/stream.py; do
			# shellcheck disable=SC2086
			tests "the types of Python: $module" env MYPYPATH="$dir" mypy --strict --no-incremental --cache-dir=/dev/null $module
		done
	else
		echo "ok - the types of Python # SKIP there is no mypy"
	fi
else
	echo "ok - Python # SKIP there is no python3"
fi

if command -v go >/dev/null 2>&1; then
	dir=$root/bindings/go
	go="env GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off GOCACHE=$tmp/go GOPATH=$tmp/gopath go"
	# shellcheck disable=SC2086
	tests "the tests of Go" $go test -vet=all .
	# a program elsewhere, as doc/BINDINGS.md has it
	mkdir "$tmp/user" && cp "$dir/example/top/main.go" "$tmp/user/" && cat >"$tmp/user/go.mod" <<-EOF
		module example.org/top
		go 1.19
		require dtrace.linux/dtrace v0.0.0
		replace dtrace.linux/dtrace => $dir
	EOF
	dir=$tmp/user
	# shellcheck disable=SC2086
	tests "Go in a module of another" $go build -o "$tmp/user/top" .
	dir=$root/bindings/go
	if command -v gofmt >/dev/null 2>&1; then
		(cd "$dir" && gofmt -l .) >"$tmp/out" 2>"$tmp/err"
		[ ! -s "$tmp/out" ]
		check $? "Go as gofmt has it"
	fi
else
	echo "ok - Go # SKIP there is no go"
fi

if command -v cargo >/dev/null 2>&1; then
	cp -r bindings/rust "$tmp/rust"
	dir=$tmp/rust
	export CARGO_PROFILE_DEV_DEBUG=0 CARGO_HOME="$tmp/cargo" CARGO_TARGET_DIR="$tmp/target" RUSTFLAGS="-D warnings" RUSTDOCFLAGS="-D warnings"
	tests "the tests and documented examples of Rust" cargo test --offline
	tests "everything in Rust is documented" cargo doc --offline --no-deps
	(cd "$dir" && PKG_CONFIG=false cargo check --offline) >"$tmp/out" 2>"$tmp/err"
	[ $? -ne 0 ] && grep -q 'libdtrace was not found: install libdtrace-dev, or set PKG_CONFIG_PATH' "$tmp/err"
	check $? "Rust without the library says what to set"
else
	echo "ok - Rust # SKIP there is no cargo"
fi
