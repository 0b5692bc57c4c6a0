# SPDX-License-Identifier: BSD-2-Clause
# The stability report of -v and the limit of -x amin. DTRACE is the program to test.
. test/cli/helpers.inc

# report TITLE NAME/DATA/CLASS NAME/DATA/CLASS: the text that -v prints for description and statements
report() {
	printf '\nStability attributes for %s:\n' "$1"
	for part in "Probe Description:$2" "Statement:$3"; do
		IFS=/ read -r name data class <<-EOF
			${part#*:}
		EOF
		printf '\n\tMinimum %s Attributes\n' "${part%%:*}"
		printf '\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n' "$name" "$data" "$class"
	done
	printf '\n'
}

# shows WHAT TITLE DESC STMT ARGS…
shows() {
	what=$1 title=$2 desc=$3 stmt=$4
	shift 4
	report "$title" "$desc" "$stmt" >"$tmp/want"
	"$dtrace" -e -v "$@" >"$tmp/out" 2>&1 </dev/null
	if cmp -s "$tmp/want" "$tmp/out"; then
		echo "ok - $what"
	else
		echo "not ok - $what: $(diff "$tmp/want" "$tmp/out" | head -n 4 | tr '\n\t' '| ')"
	fi
}

# has WHAT STATUS TEXT ARGS…
has() {
	what=$1 want=$2 text=$3
	shift 3
	"$dtrace" "$@" >"$tmp/out" 2>&1 </dev/null
	status=$?
	if [ "$status" -eq "$want" ] && { [ -z "$text" ] || grep -qF -e "$text" "$tmp/out"; }; then
		echo "ok - $what"
	else
		echo "not ok - $what: status $status: $(head -n 2 "$tmp/out")"
	fi
}

S=Stable/Stable/Common
P=Private/Private/Unknown

shows "BEGIN of dtrace" "description dtrace:::BEGIN " $S $S -n 'dtrace:::BEGIN { trace(pid); }'
shows "no provider" "description BEGIN " Unstable/Unstable/Common $S -n 'BEGIN { trace(pid); }'
shows "the name ends at the predicate" "description dtrace:::BEGIN " $S $S -n 'dtrace:::BEGIN /pid/ { trace(1); }'
shows "a bare description" "description dtrace:::BEGIN" $S $S -n 'dtrace:::BEGIN'
printf 'dtrace:::END\n{\n\ttrace(timestamp);\n}\n' >"$tmp/s.d"
shows "a script" "script $tmp/s.d" $S $S -s "$tmp/s.d"
shows "profile" "description profile:::tick-1s " Evolving/Evolving/Common $S -n 'profile:::tick-1s { trace(1); }'
shows "syscall, by name only" "description syscall:::entry " Evolving/Evolving/Common $S -n 'syscall:::entry { @ = count(); }'
shows "syscall, with a function" "description syscall::read:entry " Private/Private/ISA $S -n 'syscall::read:entry { @ = count(); }'
shows "a glob does not lower" "description syscall::rea*:entry " Evolving/Evolving/Common $S -n 'syscall::rea*:entry { @ = count(); }'
shows "a module" "description fbt:vmlinux::entry " $P $S -Z -n 'fbt:vmlinux::entry { @ = count(); }'
shows "proc" "description proc:::exec-success " Evolving/Evolving/ISA $S -n 'proc:::exec-success { @ = count(); }'
shows "a provider glob" "description sys*:::entry " Unstable/Unstable/Common $S -n 'sys*:::entry { @ = count(); }'
shows "probefunc is the function's" "description syscall:::entry " Evolving/Evolving/Common Private/Private/ISA \
	-n 'syscall:::entry { @[probefunc] = count(); }'
shows "probename is the name's" "description syscall:::entry " Evolving/Evolving/Common Evolving/Evolving/Common \
	-n 'syscall:::entry { @[probename] = count(); }'
shows "probeprov of dtrace" "description dtrace:::BEGIN " $S $S -n 'dtrace:::BEGIN { trace(probeprov); }'
shows "probemod of dtrace" "description dtrace:::BEGIN " $S $P -n 'dtrace:::BEGIN { trace(probemod); }'
shows "the lowest of two clauses" "description dtrace:::BEGIN " Evolving/Evolving/Common $S \
	-n 'dtrace:::BEGIN { trace(1); } profile:::tick-1s { trace(2); }'
shows "curthread" "description dtrace:::BEGIN " $S Stable/Private/Common -n 'dtrace:::BEGIN { trace((uint64_t)curthread); }'
shows "a predicate counts" "description dtrace:::BEGIN " $S $P -n 'dtrace:::BEGIN /probemod == ""/ { trace(1); }'
shows "Evolving functions" "description dtrace:::BEGIN " $S Evolving/Evolving/Common -n 'dtrace:::BEGIN { trace(htons(1)); }'
cat >"$tmp/attr.d" <<'EOF'
#pragma D attributes Evolving/Stable/ISA a
inline int a = 1;
#pragma D attributes Stable/Unstable/Common b
inline int b = 1;
dtrace:::BEGIN { trace(a + b); }
EOF
# N12: a translation with a name is Private, unless a pragma says otherwise; the translation itself is what its translator says
inline='inline lwpsinfo_t *myinfo = xlate <lwpsinfo_t *>(curthread);'
printf '%s\ndtrace:::BEGIN { trace(myinfo->pr_flag); }\n' "$inline" >"$tmp/inline.d"
shows "an inline that is a translation" "script $tmp/inline.d" $S $P -s "$tmp/inline.d"
printf '%s\n#pragma D attributes Stable/Stable/Common myinfo\ndtrace:::BEGIN { trace(myinfo->pr_flag); }\n' "$inline" >"$tmp/inline.d"
shows "with attributes" "script $tmp/inline.d" $S $S -s "$tmp/inline.d"
printf '%s\ndtrace:::BEGIN { trace(pid); }\n' "$inline" >"$tmp/inline.d"
shows "that nothing uses" "script $tmp/inline.d" $S $S -s "$tmp/inline.d"
shows "those of the libraries" "description dtrace:::BEGIN " $S $S -n 'dtrace:::BEGIN { trace(curlwpsinfo->pr_flag); trace(curpsinfo->pr_pid); trace(curcpu->cpu_id); }'
shows "attributes are combined part by part" "script $tmp/attr.d" $S Evolving/Unstable/ISA -s "$tmp/attr.d"
cat >"$tmp/shelter.d" <<'EOF'
#pragma D attributes Stable/Stable/Common a
inline string a = probemod;
dtrace:::BEGIN { trace(a); }
EOF
shows "declared attributes stand for what is inside" "script $tmp/shelter.d" $S $S -s "$tmp/shelter.d"
cat >"$tmp/prov.d" <<'EOF'
provider vp { probe a(int); };
#pragma D attributes Evolving/Evolving/Common provider vp provider
#pragma D attributes Private/Private/Unknown provider vp module
#pragma D attributes Private/Private/Unknown provider vp function
#pragma D attributes Unstable/Unstable/Common provider vp name
#pragma D attributes Evolving/Private/ISA provider vp args
vp:::a { trace(args[0]); }
EOF
shows "attributes of a provider" "script $tmp/prov.d" Unstable/Unstable/Common Evolving/Private/ISA -Z -s "$tmp/prov.d"

has "amin: below" 1 "[D_ATTR_MIN]" -e -x errtags -x amin=Evolving/Evolving/Common -n 'dtrace:::BEGIN { trace(probemod); }'
has "amin: the message" 1 "are less than predefined minimum" -e -x amin=Stable/Stable/Common -n 'dtrace:::BEGIN { trace(htons(1)); }'
has "amin: the message names the attributes" 1 "Private/Private/Unknown" -e -x amin=Stable/Stable/Common -n 'dtrace:::BEGIN { trace(probemod); }'
has "amin: a probe description" 1 "are less than predefined minimum" -e -x amin=Stable/Stable/Common -n 'syscall:::entry { trace(1); }'
has "amin: not below" 0 "" -e -x amin=Evolving/Evolving/Common -n 'profile:::tick-1s { trace(1); }'
has "amin: only one part below" 1 "are less than predefined minimum" -e -x amin=Private/Private/Common -n 'syscall::read:entry { trace(1); }'
has "amin: nonsense" 1 "amin" -e -x amin=Nosuch -n 'dtrace:::BEGIN { trace(1); }'
