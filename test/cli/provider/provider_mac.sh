# SPDX-License-Identifier: BSD-2-Clause
# mac_framework and priv: what a workload asks for (test/trigger/provider_checks.c), and what is refused to a process without capabilities.
. test/cli/helpers.inc
may_trace "mac_framework and priv probes"
load=${BUILD:-build}/test/provider_checks
run -n 'mac_framework::system_check_reboot:mac-check-err'
is "a check that Linux has elsewhere says where" 1 "priv:::priv-ok"
run -n 'mac:kernel:policy:register'
is "policies do not come and go" 1 "are chosen when the kernel starts"
if ! listed mac_framework::file_open:mac-check-ok; then
	is "without kernel functions a check says what is missing" 0 "no way to trace its functions (security_file_open"
	run -n priv:kernel:priv_check:priv-err
	is "so does a privilege" 1 "security_capable is the one"
	ok "mac_framework, priv # SKIP needs kernel functions"
	exit 0
fi
cat >"$tmp/load.d" <<'DONE'
#pragma D option quiet
self int in;
syscall::times:entry /pid == $target/ { self->in++; }
mac_framework::file_open:mac-check-ok, mac_framework::inode_unlink:mac-check-ok, mac_framework::file_open:mac-check-err /self->in == 1/
	{ printf("%s %s\n", probefunc, probename); }
mac_framework::file_open:mac-check-ok /self->in == 1/ { printf("%s %s\n", stringof(args[1]->f_path.dentry->d_name.name), "opened"); }
mac_framework::vnode_check_open:mac-check-ok, mac_framework::vnode_check_setmode:mac-check-ok, mac_framework::vnode_check_setowner:mac-check-ok,
mac_framework::vnode_check_unlink:mac-check-ok /self->in == 1/ { printf("%s %s\n", probefunc, probename); }
mac_framework::inode_unlink:mac-check-ok /self->in == 1/ { printf("%s %s\n", stringof(args[2]->d_name.name), "removed"); }
mac_framework::capable:mac-check-err /ppid == $target && args[3] == 18/ { printf("%s %s\n", args[0] == 1 ? "EPERM" : "other", probename); }
priv:kernel:priv_check:priv-ok /pid == $target && self->in == 1 && args[0] == 18/ { printf("%s %s\n", probefunc, probename); }
priv:kernel:priv_check:priv-err /ppid == $target && args[0] == 18/ { printf("%s %s\n", probefunc, probename); }
DONE
mkdir "$tmp/dir"
# Lines in place of aggregations: the kernel may have no memory at hand for a new key, and drop it.
tally() { sort "$tmp/raw" | sed '/^$/d' | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/' >"$tmp/got"; }
: >"$tmp/raw"
run -s "$tmp/load.d" -o "$tmp/raw" -c "$load $tmp/dir"
check "$status" "a workload is traced"
tally
line() { grep -qx "$1" "$tmp/got"; check $? "$1"; }
line "file_open mac-check-ok 4"
line "vnode_check_open mac-check-ok 4"
line "checked opened 4"
line "inode_unlink mac-check-ok 1"
line "vnode_check_unlink mac-check-ok 1"
line "checked removed 1"
line "vnode_check_setmode mac-check-ok 2"
line "EPERM mac-check-err 2"
line "priv_check priv-ok 3"
line "priv_check priv-err 2"
! grep -q "vnode_check_setowner\|file_open mac-check-err" "$tmp/got"
check $? "what was not asked or not refused is not told"
run -n 'mac_framework::file_opne:mac-check-ok'
is "a hook that is misspelt" 1 "did you mean file_open?"
