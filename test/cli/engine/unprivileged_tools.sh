# SPDX-License-Identifier: BSD-2-Clause
# The tools of dtools/ and the other commands as an ordinary user without any capability: each is run for the whole system and on a
# command. It works, or it ends at once with a sentence that begins with its name and says what to do; never with more than that.
. test/cli/helpers.inc
. test/trigger/ordinary_user.sh
build=${BUILD:-build}
ordinary_user "tools of an ordinary user" "$build/test/hits" "$build/test/provider_locks"
needs_engine_process
mkdir "$tmp/dtools" && cp dtools/[a-z]* "$tmp/dtools/" 2>/dev/null
chmod -R a+rX "$tmp/dtools"
for name in plockstat lockstat dtruss; do
	ln -s dtrace "$tmp/$name"
done
tool() {
	name=$1
	shift
	run --tool "$tmp/dtools/$name" "$@"
}
# One sentence, and one more line where the tool needs something that not every machine has. It begins with the name, and has the fix.
refused() {
	[ "$status" -ge 1 ] && [ "$status" -le 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -le 2 ] && head -n 1 "$tmp/err" | grep -q "^$1: " &&
	    grep -q 'as root\|-Z waits for one\|is needed; see' "$tmp/err"
}

# ---- the whole system: none of them can ----
n=0 bad=
for file in "$tmp"/dtools/*; do
	name=${file##*/}
	tool "$name"
	refused "$name" || bad="$bad $name($status)"
	n=$((n + 1))
done
[ $n -ge 56 ] && [ -z "$bad" ]
check $? "$n tools refuse to look at the whole system, in a sentence:$bad"

# ---- a command: those whose probes are in the process work ----
worked= bad=
for file in "$tmp"/dtools/*; do
	name=${file##*/}
	tool "$name" -c "$tmp/hits call 10"
	# of x86-64 some instructions cannot be patched, which is always said
	if [ "$status" -eq 0 ] && [ -s "$tmp/out" ] && ! grep -qv 'of [0-9]* probes could not be enabled' "$tmp/err"; then
		worked="$worked $name "
	else
		# what it looks for is not in this program
		refused "$name" || grep -q "^$name: cannot run here: .* does not match any probes" "$tmp/err" || bad="$bad $name($status)"
	fi
done
check "$([ -z "$bad" ]; echo $?)" "tools on a command work, or refuse in a sentence:$bad"
must="mallocs leaks gethostlatency"
run -qc "$tmp/hits call 10" -n 'syscall::write:entry { }'
[ "$status" -ne 0 ] || must="$must syscount procsystime errinfo opensnoop mutexwait"
run -qc "$tmp/hits call 10" -n 'profile-97 { }'
[ "$status" -ne 0 ] || must="$must hotuser"
for name in $must; do
	case $worked in
	*" $name "*) ok "$name works" ;;
	*) tool "$name" -c "$tmp/hits call 10"; bad "$name works" ;;
	esac
done

# ---- numbers, as with the kernel ----
if [ "$(command -v getent)" ]; then
	tool gethostlatency -c "getent ahosts localhost"
	[ "$status" -eq 0 ] && grep -q ' getent .* localhost$' "$tmp/out"
	check $? "gethostlatency: a name is resolved"
fi
cat >"$tmp/calls.py" <<'END'
def wanted(): pass
for i in range(25): wanted()
END
chmod 644 "$tmp/calls.py"
if [ -x /usr/bin/python3 ] && { run -lc "/usr/bin/python3 $tmp/calls.py" -n 'python$target:::function-return'; grep -q function-return "$tmp/out"; }; then
	tool pycalls -c "/usr/bin/python3 $tmp/calls.py" 100000
	[ "$status" -eq 0 ] && [ "$(awk '$2 == "wanted" { print $1 }' "$tmp/out")" = 25 ]
	check $? "pycalls: functions of Python that a command calls"
else
	ok "pycalls # SKIP this python has no static probes"
fi
is "a wildcard means the command: the probes of no other process" 0 "calls 1010" -qc "$tmp/hits call 10" -n "pid*:$tmp/hits:hits_call:entry { @ = count(); } END { printa(\"calls %@d\n\", @); }"
is "… and no process without one" 1 "fires in any process (name one" -qn "pid*:$tmp/hits:hits_call:entry { exit(0); }"

# ---- the other commands ----
other() { as timeout 240 "$tmp/$@" >"$tmp/out" 2>"$tmp/err" </dev/null; status=$?; }
sentence() {
	[ "$status" -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q "^$1: .*as root" "$tmp/err"
	check $? "$2"
}
other lockstat true
sentence lockstat "lockstat: the locks of the kernel"
other plockstat -p 1
sentence plockstat "plockstat -p of a process of another user"
other plockstat -H "$tmp/provider_locks"
check "$status" "plockstat -H"
printf 'provider pear { probe bite(int); };\n' >"$tmp/pear.d"
mkdir "$tmp/made" && chmod 777 "$tmp/made"
run -h -s "$tmp/pear.d" -o "$tmp/made/pear.h"
[ "$status" -eq 0 ] && grep -q PEAR_BITE "$tmp/made/pear.h"
check $? "-h"
printf '#include "%s/made/pear.h"\nint main(void) { PEAR_BITE(1); return 0; }\n' "$tmp" >"$tmp/pear.c"
if ${CC:-gcc} -c -o "$tmp/pear.o" "$tmp/pear.c" 2>/dev/null && chmod 644 "$tmp/pear.o" && cp "$tmp/pear.o" "$tmp/made/" && chmod 666 "$tmp/made/pear.o"; then
	run -G -s "$tmp/pear.d" -o "$tmp/made/probes.o" "$tmp/made/pear.o"
	[ "$status" -eq 0 ] && [ -s "$tmp/made/probes.o" ]
	check $? "-G"
else
	ok "-G # SKIP no compiler here"
fi
