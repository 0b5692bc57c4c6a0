# SPDX-License-Identifier: BSD-2-Clause
# The Makefile: what is made again when a file changes, what `make clean` removes, which programs it calls. Nothing is built.
. test/cli/helpers.inc
build=${BUILD:-build}
# the compiler of that build: another one would have everything made again
flags=$(cat "$build/flags")
compiler=${flags%% -std=*}
would() { timeout 300 make -n B="$build" CC="$compiler" "$@" >"$tmp/out" 2>"$tmp/err"; }
again() {	# again WHAT FILE OBJECT TARGET: a change of FILE makes OBJECT of TARGET again
	would -W "$2" "$build/$4" && grep -q -e "-c -o $build/$3 " "$tmp/out"
	check $? "$1"
}
if [ -e "$build/obj/test/trigger/provider_pid.d" ]; then
	again "a header of workloads" test/trigger/alone.h obj/test/trigger/provider_pid.o test/provider_pid
	again "a header of the library" include/dtrace.h obj/cmd/dtrace/dtrace.o dtrace
	again "a header of a tool" test/diff/gen.h obj/test/diff/main.o test/differ
else
	ok "what is made again # SKIP no objects in $build"
fi
would clean B="$tmp/b"
missing=
for folder in "$tmp/b" "$tmp/b-static" build build-static build-asan build-fuzz build-gcc build-clang; do
	grep -q -e "^rm -rf.* $folder\( \|\$\)" "$tmp/out" || missing="$missing $folder"
done
[ -z "$missing" ]
check $? "make clean removes what is built$missing"
printf '#!/bin/sh\necho called >>"%s/called"\nexec pkg-config "$@"\n' "$tmp" >"$tmp/my-config"
chmod 755 "$tmp/my-config"
timeout 300 make -n B="$tmp/b" AR=my-ar PKG_CONFIG="$tmp/my-config" "$tmp/b/libdtrace-usdt.a" >"$tmp/out" 2>"$tmp/err"
[ -s "$tmp/called" ] && grep -q '^my-ar rcs' "$tmp/out"
check $? "AR and PKG_CONFIG"
