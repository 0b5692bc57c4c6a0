# SPDX-License-Identifier: BSD-2-Clause
# Lines of strace -f -y -o or dtruss -f -o in, one line a call out, by process and in the order of each process:
# halves of a call joined, processes named by who forked whom (P, P.1, P.1.2). What differs from run to run is
# replaced: addresses, inodes, random bytes, names of temporary files, what sysinfo(), statfs() and getrusage() count, the
# number of the parent outside. Left out, because their place depends on time: signals, ends of processes
# ("signals" asks for these), and rt_sigreturn(); getrandom(), which mkstemp() repeats by chance; futex() and
# madvise() of threads that end. Which child wait4() finds first is not told, ports are not, nor the time that is
# left of a poll(). How many variables an execve() that failed was given is known only while they are in one page.
# What a descriptor is that recvmsg() brought is known to strace alone. One name differs:
# strace says "BTRFS_IOC_CLONE or FICLONE" and shows its argument as a number.
function walk(pid, path, i, s, child, k) {
	name[pid] = path; order[++norder] = pid; k = 0
	for (i = 1; i <= n[pid]; i++) {
		s = line[pid, i]
		if (s ~ /^(clone|clone3|fork|vfork)\(/ && s ~ / = [0-9]+$/) {
			child = s; sub(/.* = /, "", child)
			walk(child, path "." ++k)
		}
	}
}
function rename(s, out, w) {
	out = ""
	while (match(s, /[0-9]+/)) {
		w = substr(s, RSTART, RLENGTH)
		out = out substr(s, 1, RSTART - 1) ((w in name) && RLENGTH > 2 ? name[w] : w)
		s = substr(s, RSTART + RLENGTH)
	}
	return out s
}
function plain(s) {
	s = rename(s)
	gsub(/0x[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]+/, "ADDR", s)
	gsub(/:\[[0-9]+\]/, ":[INODE]", s)
	gsub(/(\\x[0-9a-f][0-9a-f])+/, "BYTES", s)
	gsub(/\/cc[A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9][A-Za-z0-9]/, "/ccTEMP", s)
	sub(/\) += /, ") = ", s)
	sub(/BTRFS_IOC_CLONE or FICLONE, [0-9]+\)/, "FICLONE, FD)", s)
	sub(/FICLONE, [0-9]+<[^>]*>\)/, "FICLONE, FD)", s)
	if (s ~ /^getppid/) sub(/= [0-9]+/, "= PARENT", s)
	if (s ~ /^getrusage/) gsub(/tv_usec=[0-9]+/, "tv_usec=N", s)
	if (s ~ /^sysinfo/) sub(/\{.*\}/, "{}", s)
	if (s ~ /statfs\(/) gsub(/f_(bfree|bavail|ffree)=[0-9]+/, "f_free=N", s)
	if (s ~ /^wait4\(/) gsub(/P(\.[0-9]+)+/, "CHILD", s)
	gsub(/htons\([0-9][0-9][0-9]+\)/, "htons(PORT)", s)
	gsub(/left \{[^}]*\}/, "left {}", s)
	if (s ~ /^execve.* = -1 /) sub(/ \/\* [0-9]+ vars? \*\//, "", s)
	if (s ~ /^recvmsg/) gsub(/cmsg_data=\[[^]]*\]/, "cmsg_data=[]", s)
	gsub(/si_[us]time=[0-9]+/, "si_time=N", s)
	return s
}
{
	pid = $1
	s = $0; sub(/^[0-9]+ +/, "", s)
	if (s ~ /<unfinished \.\.\.>$/) { sub(/ <unfinished \.\.\.>$/, "", s); half[pid] = s; next }
	if (s ~ /^<\.\.\. [a-z0-9_]+ resumed>/) { sub(/^<\.\.\. [a-z0-9_]+ resumed>/, "", s); s = half[pid] s }
	if (!(pid in n)) first[++pids] = pid
	line[pid, ++n[pid]] = s
}
END {
	walk(first[1], "P")
	for (o = 1; o <= norder; o++) {
		pid = order[o]
		for (i = 1; i <= n[pid]; i++) {
			s = line[pid, i]
			if ((s ~ /^(---|\+\+\+) /) != (signals != "") || s ~ /^(rt_sigreturn|getrandom|futex|madvise)\(/) continue
			print name[pid] " " plain(s)
		}
	}
}
