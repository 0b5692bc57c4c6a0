# SPDX-License-Identifier: BSD-2-Clause
# slow
# Issue 19, any kernel: on kernels and in containers that lack one thing each, --doctor names it, and the one-liners of the
# guide work or say what is missing and what to change. test/trigger/lacking.c answers for a part of eBPF that is missing, a
# mount namespace hides files. Lockdown is in vm_lockdown.sh.
. test/cli/helpers.inc
may_trace "kernels that lack something"
if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
	ok "kernels that lack something # SKIP needs root and mounts of its own"
	exit 0
fi
. test/trigger/oneliners.sh

answers() { lacking=$1; shift; lack "$@" "${BUILD:-build}/test/lacking" $lacking --; }
hidden() { mounts=$1; shift; lack "$@" unshare -m sh -c "{ $mounts; } >/dev/null 2>&1 || exit 125; "'exec "$0" "$@"'; }
with() {	# with CAPS …: as nobody, with these capabilities and no other
	only=-all
	for c in $1; do only=$only,+$c; done
	shift
	lack "$@" setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "$only" --ambient-caps "$only" --bounding-set "$only"
}
syscalls="6 7 8"

# parts of eBPF
answers "" "all that this kernel has" "eBPF programs" yes "" "$syscalls 15 17"
answers bpf "no bpf(2)" "eBPF programs" no 'no bpf(2).*CONFIG_BPF_SYSCALL' ""
answers bpf_permitted "a seccomp profile without bpf(2)" "eBPF programs" no 'privileges (the capabilities are there: a seccomp profile.*unconfined' ""
answers perf_event "no perf events" "clock events" no 'needs a kernel with CONFIG_PERF_EVENTS' "$syscalls"
answers perf_event_permitted "a seccomp profile without perf_event_open(2)" "clock events" no 'the capabilities are there: a seccomp profile' "$syscalls"
answers ringbuf "no ring buffers" "ring buffers" no 'lacks ring buffers, .*: use Linux 5.8' ""
answers task_storage "no task storage" "storage of threads" no 'lacks task storage, .* for self-> variables: use Linux 5.11' "$syscalls 1 2 3"
answers bpf_loop "no bpf_loop()" "loops in programs (bpf_loop)" no 'lacks bpf_loop(), .*: use Linux 5.17' "$syscalls 10 15"
answers task_btf "no bpf_get_current_task_btf()" "the current task, with types" no 'lacks bpf_get_current_task_btf(), .*: use Linux 5.11' "$syscalls"
answers probe_read_kernel "no reading of the kernel" "programs may read the kernel" no 'lacks bpf_probe_read_kernel().*lockdown=integrity' "7 8"
answers uprobe_multi "no uprobe_multi" "uprobe_multi" no "" "$syscalls 15 17"
answers "uprobe_multi perf_link" "no links of perf events" "uprobe_multi" no 'cannot put a probe .*: use Linux 5.15' "$syscalls"
answers "uprobe_multi perf_event" "no perf events and no uprobe_multi" "clock events" no 'CONFIG_PERF_EVENTS' "$syscalls"
answers "kprobe_multi fentry" "neither trampolines nor kprobe_multi" "functions by fentry" no "" "$syscalls 1"

# files of the kernel
btf="mount -t tmpfs none /sys/kernel/btf"
hidden "$btf" "no BTF" "type data (BTF)" no "kernel's type data are missing .*CONFIG_DEBUG_INFO_BTF" "$syscalls 9 10 15 17"
# the other commands
for name in lockstat dtruss; do
	ln -s "$tmp/dtrace" "$tmp/$name"
	unshare -m sh -c "$btf"' && exec "$@"' sh "$tmp/$name" true >"$tmp/out" 2>"$tmp/err" </dev/null
	[ $? -eq 1 ] && grep -q "kernel's type data are missing .*CONFIG_DEBUG_INFO_BTF" "$tmp/err"
	check $? "no BTF: $name says so"
	"${BUILD:-build}/test/lacking" bpf -- "$tmp/$name" true >"$tmp/out" 2>"$tmp/err" </dev/null
	case $?:$name in
	0:dtruss)	# by the engine in the process, where there is one
		grep -q '^execve("[^"]*true"' "$tmp/err" ;;
	1:*)	grep -q "^$name: .*CONFIG_BPF_SYSCALL" "$tmp/err" ;;
	*)	false ;;
	esac
	check $? "no bpf(2): $name says so, or does without"
done
hidden "! mountpoint -q /sys/kernel/tracing || umount /sys/kernel/tracing" "tracefs is not mounted" tracefs yes "" "$syscalls 16"
lack "no tracefs" tracefs no 'tracefs cannot be read.*mount -t tracefs' "$syscalls 1 15" unshare -m sh -c '
	{ mount -t tmpfs none /sys/kernel/tracing && { [ ! -d /sys/kernel/debug/tracing ] || mount -t tmpfs none /sys/kernel/debug; }; } || exit 125
	exec setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$0" "$@"'
hidden "mount --bind /dev/null /proc/kallsyms" "no /proc/kallsyms" "names of the kernel" no "" "$syscalls 14"
unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$@"' sh "$dtrace" -qn 'BEGIN { stack(); exit(0); }' >"$tmp/out" 2>"$tmp/err"
grep -q 'will have no names: /proc/kallsyms' "$tmp/err"
check $? "no /proc/kallsyms: a notice says why addresses have no names"
hidden "mount -t tmpfs none /sys/bus/event_source/devices" "no uprobes and kprobes in /sys" uprobes no "" "$syscalls"

# rights
if command -v setpriv >/dev/null 2>&1 && setpriv --list-caps 2>/dev/null | grep -q '^perfmon$'; then
	with "" "no capability" "eBPF programs" no 'run it as root, or with CAP_BPF\|tracefs cannot be read.*: run as root' ""
	with bpf "CAP_BPF alone" CAP_PERFMON no 'run it as root, or with CAP_BPF, CAP_PERFMON\|tracefs cannot be read.*: run as root' ""
	with "bpf perfmon" "CAP_BPF and CAP_PERFMON" "eBPF programs" yes 'tracefs cannot be read' "$syscalls 1 9 10"
else
	ok "capabilities # SKIP no setpriv that knows them"
fi
if unshare -Ur true 2>/dev/null; then
	lack "a user namespace" "the first user namespace" no 'capabilities of a user namespace do not count\|tracefs cannot be read.*: run as root' "" unshare -Ur
fi
if unshare -pf --mount-proc true 2>/dev/null; then
	lack "a container of root" "the first pid namespace" no "" "$syscalls 1 9 10 15" unshare -mpf --mount-proc
	lack "a container of root, no BTF" "type data (BTF)" no "kernel's type data are missing" "" unshare -mpf --mount-proc sh -c "$btf"' && "$0" "$@"'
fi

# control groups of version 1: a hierarchy with a name can be made on any kernel
version1='mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/systemd && mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd'
hidden "$version1" "control groups of version 1" "control groups of version 2" no "" "$syscalls 1"
in_groups() { timeout 120 unshare -m sh -c "$groups"' && exec "$0" "$@"' "$dtrace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; }
groups=$version1
if ! unshare -m sh -c "$version1" 2>/dev/null; then
	ok "control groups of version 1 # SKIP none can be mounted here"
	exit 0
fi
for variable in cgroup cgroupid container; do
	in_groups -qn "BEGIN { trace($variable); exit(0); }" && grep -q "control groups of version 1.*unified_cgroup_hierarchy" "$tmp/err"
	check $? "control groups of version 1: $variable: a notice"
done
in_groups -qn 'BEGIN { trace(execname); exit(0); }' && [ ! -s "$tmp/err" ]
check $? "control groups of version 1: no notice where none is asked for"
in_groups -x cgroup=/a -qn 'BEGIN { exit(0); }'
[ $? -eq 1 ] && grep -q 'control groups of version 2, which this machine does not mount: mount -t cgroup2' "$tmp/err"
check $? "control groups of version 1: -x cgroup is refused, and why"
groups='mount -t tmpfs none /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup'
in_groups -qn 'BEGIN { trace(cgroup); exit(0); }' && [ ! -s "$tmp/err" ] && grep -q / "$tmp/out"
check $? "control groups of version 2: no notice"
