# SPDX-License-Identifier: BSD-2-Clause
# Issue 19, any kernel: a kernel that is locked down. What is refused says that lockdown is the reason. It cannot be undone, so
# this runs only in a machine that is made for a test (test/vm/run), as the last of its scripts.
# alone
. test/cli/helpers.inc
if [ -z "$VM_KERNEL" ]; then
	ok "lockdown # SKIP it lasts until the next boot: test/vm/suite runs this"
	exit 0
fi
may_trace "lockdown"
mountpoint -q /sys/kernel/security || mount -t securityfs securityfs /sys/kernel/security
if ! grep -q '\[none\]' /sys/kernel/security/lockdown 2>/dev/null; then
	ok "lockdown # SKIP this kernel has none, or is locked down already"
	exit 0
fi
. test/trigger/oneliners.sh
copyout='syscall::write:entry /pid == $target/ { copyout("a", arg1, 1); }'
reads='BEGIN { trace(curthread->pid); exit(0); }'

echo integrity >/sys/kernel/security/lockdown
lack "lockdown=integrity" "no lockdown" no "" "1 2 3 4 5 6 7 8 9 10 15 17" env
run -qwn "$copyout" -c 'echo b'
is "lockdown=integrity: copyout() is refused" 1 "lockdown"
run -qn "$reads"
check $status "lockdown=integrity: memory of the kernel can be read"

echo confidentiality >/sys/kernel/security/lockdown
lack "lockdown=confidentiality" "no lockdown" no 'lockdown=integrity or lockdown=none' "7 8" env
run -qn "$reads"
is "lockdown=confidentiality: memory of the kernel cannot be read" 1 "lockdown=integrity"
run -qn 'rawfbt::vfs_read:entry { exit(0); }' -c 'cat /etc/passwd'
[ $status -eq 0 ] || grep -q 'lock.*down' "$tmp/err"
check $? "lockdown=confidentiality: functions of the kernel: status $status"
