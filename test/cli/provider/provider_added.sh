# SPDX-License-Identifier: BSD-2-Clause
# A provider is one file and one line (doc/HOWTO-ADD.md): a copy of src/provider gets both, and a dtrace with those two objects
# lists the provider, documents it, numbers its probes after those before it, and fires them.
. test/cli/helpers.inc
build=${BUILD:-build}
cut -d'|' -f1 "$build/flags" >"$tmp/cflags"
cut -d'|' -f2 "$build/flags" >"$tmp/ldflags"
compiler=$(sed 's/ -std=.*//' "$tmp/cflags")

mkdir -p "$tmp/tree/src"
for name in Makefile cmd dlib include libusdt man tools web; do ln -s "$PWD/$name" "$tmp/tree/$name"; done
for name in src/*; do ln -s "$PWD/$name" "$tmp/tree/$name"; done
rm "$tmp/tree/src/provider"
cp -R src/provider "$tmp/tree/src/provider"
cat >"$tmp/tree/src/provider/p_greeting.c" <<'END'
#include "provider/derived.h"

static const struct dt_derived greeting_probes[] = {
	{ "hello", DT_AT(DT_SITE(RAWTP, "sched_process_exec", DT_ALWAYS, DT_ARGS("42"))) },
	{ "never", .never = "greeting:::never is never there" },
	{ "" },
};

const struct dt_provider dt_provider_greeting = {
	.name = "greeting",
	.form = "greeting:::hello",
	.doc = "Programs that begin.",
	.attrs = { { EEI, PPU, PPU, EEI, EEI } },
	DT_DERIVED(greeting_probes),
};
END
sed -i '/^X(syscall)/a X(greeting)' "$tmp/tree/src/provider/providers.def"

make -C "$tmp/tree" -n B="$tmp/b" CC="$compiler" "$tmp/b/libdtrace.a" >"$tmp/log" 2>&1
grep -q '^ar .*src/provider/p_greeting\.o' "$tmp/log"
check $? "the Makefile finds the file"
for name in p_greeting provider; do
	(cd "$tmp/tree" && eval "$(cat "$tmp/cflags") -c -o $tmp/$name.o src/provider/$name.c")
done >"$tmp/log" 2>&1
commands=$(for file in cmd/*.c cmd/*/*.c; do case $file in cmd/web/*|cmd/fleet/*) ;; *) echo "$build/obj/${file%.c}.o" ;; esac; done | tr '\n' ' ')
eval "$compiler -o $tmp/dtrace $commands $tmp/p_greeting.o $tmp/provider.o $build/libdtrace.a $(cat "$tmp/ldflags")" >>"$tmp/log" 2>&1
check $? "two objects are all that differs"
dtrace=$tmp/dtrace
"$dtrace" --list providers >"$tmp/log" 2>&1 && grep -q 'greeting:::hello.*Programs that begin' "$tmp/log"
check $? "--list providers has it"
is "a name that it does not have here" 1 "greeting:::never is never there" -n 'greeting:::never { exit(0); }'
is "a name that it does not have" 1 "did you mean greeting:::hello?" -n 'greeting:::hullo { exit(0); }'
if ! "$dtrace" -qn 'BEGIN { exit(0); }' >"$tmp/log" 2>&1; then
	echo "ok - its probes fire # SKIP $(head -n 1 "$tmp/log")"
	exit 0
fi
"$dtrace" -l >"$tmp/log" 2>&1
awk '$2 == "greeting" { at = $1 } $2 == "syscall" { before = $1 } $2 == "proc" && !after { after = $1 }
    END { exit !(at == before + 1 && at + 1 == after) }' "$tmp/log"
check $? "its probe is numbered where the list has it"
is "its probe fires with its argument" 0 "hello 42" -qn 'greeting:::hello { printf("%s %d", probename, arg0); exit(0); }' \
    -c 'sh -c "/bin/true; /bin/true"'
