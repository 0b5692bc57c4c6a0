# SPDX-License-Identifier: BSD-2-Clause
# nfsv3, nfsv4: requests to a server of the kernel, made without a mount (test/trigger/nfs.py). Only in the machine of
# test/vm/run: a server is not started on a host that somebody works on.
. test/cli/helpers.inc
may_trace "nfs probes"
if [ -z "$VM_KERNEL" ]; then
	if ! listed nfsv3:::op-read-start; then
		grep -q 'module sunrpc' "$tmp/err"
		check $? "nfsv3 says which module is missing"
	fi
	ok "nfsv3, nfsv4 # SKIP starts a server: only on the second kernel"
	exit 0
fi
command -v python3 >/dev/null || { ok "nfsv3, nfsv4 # SKIP needs python3"; exit 0; }
python3 test/trigger/nfs.py rpcbind >"$tmp/bind" 2>&1 &
bind=$!
trap 'kill $bind; rm -rf "$tmp"' EXIT
waits grep -q ready "$tmp/bind"
ip link set lo up 2>/dev/null
if ! modprobe nfsd 2>"$tmp/err" || ! { grep -q ' /proc/fs/nfsd ' /proc/mounts || mount -t nfsd nfsd /proc/fs/nfsd; } 2>>"$tmp/err" ||
    ! echo +3 +4 >/proc/fs/nfsd/versions 2>>"$tmp/err" || ! echo 'tcp 2049' >/proc/fs/nfsd/portlist 2>>"$tmp/err" ||
    ! echo 2 >/proc/fs/nfsd/threads 2>>"$tmp/err"; then
	ok "nfsv3, nfsv4 # SKIP no server: $(head -n 2 "$tmp/err" | tr '\n' ' ')"
	exit 0
fi
# what rpc.mountd would answer: this client may ask
echo 'nfsd 127.0.0.1 2147483647 localhost' >/proc/net/rpc/auth.unix.ip/channel

run -q -c 'python3 test/trigger/nfs.py calls 2049' -n '
nfsv3:::op-null-start, nfsv3:::op-null-done, nfsv3:::op-getattr-start, nfsv3:::op-getattr-done {
	@n[probename, args[0]->ci_local, args[0]->ci_remote, args[0]->ci_protocol] = count();
	@xid[probename] = sum(args[1]->noi_xid); @bad = sum(args[1]->noi_cred == 0 || args[2] == 0);
}
nfsv3:::op-read-start { @n[probename, "", "", ""] = count(); }
nfsv4:::compound-start, nfsv4:::compound-done { @n[probename, args[0]->ci_local, args[0]->ci_remote, args[0]->ci_protocol] = count(); @xid[probename] = sum(args[1]->noi_xid); }
nfsv4:::op-putfh-done { @n[probename, args[0]->ci_local, args[0]->ci_remote, args[0]->ci_protocol] = count(); @status[args[2]] = count(); }
END { printa("%s %s %s %s %@d\n", @n); printa("xid %s %@d\n", @xid); printa("bad %@d\n", @bad); printa("status %d %@d\n", @status); }'
for line in 'op-null-start 127.0.0.1 127.0.0.1 ipv4 3' 'op-null-done 127.0.0.1 127.0.0.1 ipv4 3' 'op-getattr-start 127.0.0.1 127.0.0.1 ipv4 2' \
    'op-getattr-done 127.0.0.1 127.0.0.1 ipv4 2' 'compound-start 127.0.0.1 127.0.0.1 ipv4 4' 'compound-done 127.0.0.1 127.0.0.1 ipv4 4' \
    'op-putfh-done 127.0.0.1 127.0.0.1 ipv4 4' 'xid op-null-start 3003' 'xid op-null-done 3003' 'xid op-getattr-start 4001' 'xid compound-start 12006' \
    'bad 0' 'status 10001 4'; do	# NFS4ERR_BADHANDLE
	grep -qx "$line" "$tmp/out"
	check $? "$line"
done
! grep -q op-read "$tmp/out"
check $? "no read was asked for, and none was seen"
run -n 'nfsv4:::op-read-start'
is "where an operation begins is not known" 1 "nfsv4:::op-read-done and compound-start are there"
echo 0 >/proc/fs/nfsd/threads
