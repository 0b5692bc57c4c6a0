# SPDX-License-Identifier: BSD-2-Clause
# cat(): files as text and JSON; names and files that mean harm.
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - cat() # SKIP tracing needs root"
	exit 0
fi
run() { timeout 60 "$dtrace" -q "$@" 2>&1; }

same "a file of the process that fired" "$(run -n 'BEGIN { cat("/proc/%d/comm", pid); exit(0); }')" dtrace
same "beside other output, in order" "$(run -n 'BEGIN { printf("<"); cat("/proc/sys/kernel/ostype"); printf(">\n"); exit(0); }')" "<Linux
>"
same "a process that has ended is told, and tracing goes on" \
    "$(run -n 'BEGIN { cat("/proc/%s/comm", "no"); printf("on\n"); exit(0); }')" "cat: /proc/no/comm: No such file or directory
on"
mkfifo "$tmp/fifo"
ln -s /dev/zero "$tmp/zero"
for f in "$tmp/fifo" "$tmp/zero" "$tmp" /dev/null; do
	same "not opened: ${f##*/}" "$(run -n "BEGIN { cat(\"%s\", \"$f\"); exit(0); }")" "cat: $f: not a regular file"
done
printf 'a\033[31mb\000c\303\244\302\233\n' >"$tmp/bytes"
same "what a terminal would obey is shown" "$(run -n "BEGIN { cat(\"$tmp/bytes\"); exit(0); }")" 'a\x1b[31mb\x00cä\xc2\x9b'
printf 'a\377\n' >"$tmp/binary"
same "bytes that are no UTF-8 are shown" "$(run -n "BEGIN { cat(\"$tmp/binary\"); exit(0); }")" 'a\xff'
name=$(printf '/no\033]0;x')
same "and so are those of a name" "$(run -n "BEGIN { cat(\"%s\", \"$name\"); exit(0); }")" 'cat: /no\x1b]0;x: No such file or directory'
head -c 70000 /dev/zero | tr '\0' x >"$tmp/long"
run -n "BEGIN { cat(\"$tmp/long\"); exit(0); }" >"$tmp/out"
same "of a long file the first 64 KiB, and that is said" "$(head -n 1 "$tmp/out" | wc -c) $(tail -n +2 "$tmp/out")" \
    "65537 cat: $tmp/long: only the first 65536 bytes are shown"
run -O json -n 'BEGIN { cat("/proc/sys/kernel/%s", "ostype"); cat("/no/such"); exit(0); }' | grep '"probe"' | sed 's/.*"output"://' >"$tmp/out"
same "JSON" "$(cat "$tmp/out")" '[{"action":"cat","format":"/proc/sys/kernel/%s","text":"/proc/sys/kernel/ostype","args":["ostype"],"content":"Linux\n"},{"action":"cat","format":"/no/such","text":"/no/such","args":[],"error":"No such file or directory"},{"action":"exit","status":0}]}'
