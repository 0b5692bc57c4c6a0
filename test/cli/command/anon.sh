# SPDX-License-Identifier: BSD-2-Clause
# -A and -a: what is saved is what runs, once; what others wrote, or what was cut, does not run.
. test/cli/helpers.inc
stash="-x dofstashpath=$tmp/stash"
file=$tmp/stash/anonymous.dof

run $stash -A -q -x bufsize=512k -n 'BEGIN { printf("hello %d\n", $1); exit(3); }' -n 'END /$1/ { @[probename] = count(); }' 42
is "-A saves without tracing" 0 "dtrace: saved anonymous enabling in $file"
mode=$(stat -c %a "$tmp/stash" "$file" | tr '\n' ' ')
[ "$mode" = "700 600 " ]
check $? "only the owner can read and write it ($mode)"
[ "$(ls "$tmp/stash")" = anonymous.dof ]
check $? "and nothing else is left there"
run $stash -a -n BEGIN
is "-a with probes" 1 "Can't claim anonymous state and enable probes"
run $stash -x grabanon -n BEGIN
is "-x grabanon with probes" 1 "Can't claim anonymous state and enable probes"
run $stash -x grabanon=no -e -n 'BEGIN { exit(0); }'
check $status "-x grabanon=no is not -a"
run $stash -a -x grabanon=off -e -n 'BEGIN { exit(0); }'
check $status "-a -x grabanon=off is not either"
run $stash -x grabanon=maybe -e -n 'BEGIN { exit(0); }'
is "-x grabanon=maybe is refused" 1 "grabanon"
run $stash -A -c true -n BEGIN
is "-A with a process" 2 "-A saves no processes"
cp "$file" "$tmp/good"

# refused WHAT REASON: what is in the file now is refused
refused() {
	run $stash -a
	is "$1" 1 "$2"
}
printf 'garbage' >"$file"
refused "no such file" "is not an anonymous enabling"
sed 's/^kernel .*/kernel 5.4.0 #1/' "$tmp/good" >"$file"
refused "another kernel" "was made for another kernel (5.4.0 #1); make it again with dtrace -A"
head -c 600 "$tmp/good" >"$file"
refused "cut off" "a program is cut off"
for n in 700 900 1300; do	# bytes of the program, whatever they are
	head -c $n "$tmp/good" >"$file"
	head -c 64 /dev/zero | tr '\0' '\377' >>"$file"
	tail -c +$((n + 65)) "$tmp/good" >>"$file"
	run $stash -a -e
	[ "$status" -le 1 ]
	check $? "damaged at $n: status $status"
done
cp "$tmp/good" "$file"
chmod 666 "$file"
refused "writable by all" "others can write it"
rm "$file"
ln -s "$tmp/good" "$file"
refused "a link" "failed to open $file"
rm "$file"
mkfifo "$file"
refused "a pipe" "is refused"
run $stash -A -n BEGIN
is "-A does not replace what is no file" 1 "not a regular file"
rm "$file"

cp "$tmp/good" "$file"
run $stash -a -e
check "$(cat "$tmp/out" "$tmp/err" | wc -c)$status" "-a -e checks, without a word"
[ -e "$file" ]
check $? "and does not claim"
run $stash -A
is "-A without programs removes it" 0 "dtrace: cleaned up old anonymous enabling in $file"
run $stash -A
check "$(cat "$tmp/out" "$tmp/err" | wc -c)$status" "and says nothing when there is none"
run $stash -a
is "nothing saved" 1 "No anonymous tracing state ($file does not exist"
run -A -o "$tmp/other" -n BEGIN
is "-o names another file" 0 "saved anonymous enabling in $tmp/other"

may_trace "-a runs it"
cp "$tmp/good" "$file"
run $stash -a
is "-a runs it, with its arguments and options" 3 "hello 42"
grep -q "END *1" "$tmp/out"
check $? "all programs of it"
[ ! -s "$tmp/err" ]
check $? "quiet, as it was saved: $(head -n 1 "$tmp/err")"
[ ! -e "$file" ]
check $? "and claims it"
printf '#pragma D option quiet\n#pragma D option strsize=16\nBEGIN { trace(substr("0123456789abcdefghij", 0)); exit(0); }\n' >"$tmp/s.d"
run $stash -A -s "$tmp/s.d"
run $stash -a
is "pragmas go with the program" 0 "0123456789abcde"
[ ! -s "$tmp/err" ]
check $? "quiet too"
run $stash -A -n 'nosuch:::probe'
run $stash -a
is "what cannot be enabled" 1 "does not match any probes"
[ -e "$file" ]
check $? "stays"

# Saved programs with words that an enemy chose, run: each is refused, or is another program that ends with SIGINT. What was never
# attacked before; the seeds are the same each time.
cat >"$tmp/mutate.py" <<'P'
import random, sys
good, seed = bytearray(open(sys.argv[1], 'rb').read()), int(sys.argv[2])
random.seed(seed)
start = good.index(b'\x7fDOF')
for i in range(1 + seed % 3):
    at = random.randrange(start, len(good) - 8) & ~3
    good[at:at + 4] = random.choice([0, 1, 0xff, 0xffff, 1 << 31, (1 << 31) - 1, (1 << 32) - 1, len(good) - start, random.getrandbits(32),
        int.from_bytes(good[at:at + 4], 'little') ^ 1 << random.randrange(32)]).to_bytes(4, 'little')
open(sys.argv[3], 'wb').write(good)
P
if command -v python3 >/dev/null; then
	run $stash -A -q -n 'BEGIN { self->x = 5; z[1, "q"] = timestamp; this->y = strjoin("a", "b"); printf("%s %d\n", this->y, self->x); stack(4);
	    tracemem(curthread, 32); @[execname, pid] = quantize(pid); } BEGIN /self->x == 5/ { exit(3); }' -n 'END { printa("%s %d %@d\n", @); }'
	cp "$file" "$tmp/good"
	worst=0 ran=0
	for seed in $(seq 1 24); do
		python3 "$tmp/mutate.py" "$tmp/good" "$seed" "$file"
		chmod 600 "$file"
		timeout --preserve-status -k 200 -s INT 5 "$dtrace" $stash -a >"$tmp/out" 2>"$tmp/err" </dev/null
		status=$?
		[ $status -ne 3 ] && [ $status -ne 0 ] || ran=$((ran + 1))
		[ $status -le 3 ] && ! grep -q 'runtime error\|Sanitizer' "$tmp/err" || { worst=$status; bad "saved programs: seed $seed: status $status"; }
	done
	[ $worst -eq 0 ] && [ $ran -gt 0 ] && [ $ran -lt 24 ]
	check $? "24 saved programs with hostile words: $ran of them run, the others are refused"
else
	echo "ok - saved programs with hostile words # SKIP no python3"
fi
