# SPDX-License-Identifier: BSD-2-Clause
# Every probe that this kernel lists, of the providers that are made of tables, is named by the test of its provider.
. test/cli/helpers.inc
may_trace "lists of probes"

# words SCRIPT…: what they say outside of comments, a word a line
words() { sed 's/^[	 ]*#.*//' "$@" | tr -cs 'A-Za-z0-9_-' '\n' | sort -u; }
# Not here, as their probes are one of a kind, made of what the kernel lists: cpc (events), dtmalloc (caches), mac_framework (hooks), audit
# (system calls), fbt, sdt, syscall.
cat >"$tmp/table" <<'DONE'
proc proc
sched sched
io io
ip ip
tcp tcp
udp udp
udplite udp
sctp udp
lockstat lockstat
mib mib
sysinfo sysinfo
vminfo vminfo
fsinfo fsinfo
vfs vfs
priv mac
DONE
# shellcheck disable=SC2046
"$dtrace" -l $(sed 's/ .*//; s/^/-P /' "$tmp/table") >"$tmp/list" 2>"$tmp/err"
while read -r prov script; do
	words "test/cli/provider/provider_$script.sh" >"$tmp/words"
	awk -v prov="$prov" '$2 == prov {
		name = $NF
		if (prov == "vfs" && sub(/^vop_/, "", $4)) name = $4
		else if (prov == "vfs") name = $4 "\n" $5
		print name }' "$tmp/list" | sort -u >"$tmp/probes"
	comm -13 "$tmp/words" "$tmp/probes" >"$tmp/out"
	grep -qx "$prov" "$tmp/words" || echo "$prov" >>"$tmp/out"
	if ! [ -s "$tmp/probes" ]; then
		ok "$prov # SKIP this kernel has none of its probes"
	elif [ -s "$tmp/out" ]; then
		bad "$prov: probes that no test names: $(tr '\n' ' ' <"$tmp/out")"
	else
		ok "$prov: all of its probes, $(wc -l <"$tmp/probes"), are in a test"
	fi
done <"$tmp/table"
# and a name that no test has is found
echo dt-nobody-tests-this >"$tmp/probes"
[ "$(comm -13 "$tmp/words" "$tmp/probes")" = dt-nobody-tests-this ]
check $? "a probe without a test would be told"
