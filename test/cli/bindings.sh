#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# slow: compilers of other languages
# The bindings of bindings/ (doc/BINDINGS.md): each runs real traces and walks aggregations with its own tests.
. test/trigger/trace.sh
may_trace "bindings of other languages"
build=$(cd "${BUILD:-build}" && pwd)
[ -e "$build/libdtrace.so" ] || { echo "ok - bindings # SKIP there is no libdtrace.so"; exit 0; }
# what is built with the sanitizers cannot be loaded into programs that are not
if nm -D "$build/libdtrace.so" | grep -q __asan_init; then
	echo "ok - bindings # SKIP the library has the sanitizers in it"
	exit 0
fi
root=$PWD

# tests NAME COMMAND…: the tests of a binding, in its folder; what they print is shown when they fail
tests() {
	what=$1
	shift
	(cd "$dir" && "$@") >"$tmp/out" 2>"$tmp/err"
	check $? "the tests of $what pass"
}

if command -v python3 >/dev/null 2>&1; then
	dir=$root/bindings/python
	tests Python env PYTHONPATH="$dir" PYTHONDONTWRITEBYTECODE=1 LIBDTRACE="$build/libdtrace.so" python3 -W error::ResourceWarning test_dtrace.py
	LIBDTRACE=/nowhere PYTHONPATH=$dir PYTHONDONTWRITEBYTECODE=1 python3 -c 'import dtrace' 2>"$tmp/err"
	[ $? -eq 1 ] && grep -q 'ImportError: libdtrace cannot be loaded (set LIBDTRACE to its path)' "$tmp/err"
	check $? "Python without the library says what to set"
else
	echo "ok - Python # SKIP there is no python3"
fi

if command -v go >/dev/null 2>&1; then
	dir=$root/bindings/go
	tests Go env GOFLAGS=-mod=mod GOTOOLCHAIN=local GOPROXY=off GOCACHE="$tmp/go" GOPATH="$tmp/gopath" \
		CGO_CFLAGS="-I$root/include" CGO_LDFLAGS="-L$build" LD_LIBRARY_PATH="$build" go test -vet=all .
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
	tests Rust env LIBRARY_PATH="$build" LD_LIBRARY_PATH="$build" CARGO_HOME="$tmp/cargo" CARGO_TARGET_DIR="$tmp/target" \
		RUSTFLAGS="-D warnings" cargo test --offline
else
	echo "ok - Rust # SKIP there is no cargo"
fi
