# SPDX-License-Identifier: BSD-2-Clause
# slow
# make LDFLAGS=-static: a command that needs no library (N B13) and loads none (E1), also in other roots (static_root.sh); the tarball;
# the container image (make image), whose root traces its host with the capabilities that package/Containerfile names.
. test/cli/helpers.inc
echo 'int main(void) { return 0; }' >"$tmp/t.c"
if ! cc -static -o "$tmp/t" "$tmp/t.c" >"$tmp/log" 2>&1; then
	echo "ok - a static build # SKIP this compiler makes no static programs"
	exit 0
fi
page=${BUILD:-build}/gen/page.html	# the live page is the same in all builds
[ -s "$page" ] || page=
make -s -j2 B="$tmp/b" PAGE="$page" CFLAGS='-O0 -g0' LDFLAGS=-static >"$tmp/log" 2>&1
check $? "make LDFLAGS=-static"
# the linker warns of each function that loads libraries (dlopen) or plug-ins (NSS: getpwnam, getaddrinfo, getservbyport …)
grep -q 'in statically linked applications' "$tmp/log"
check $((! $?)) "nothing in it loads libraries"
nm "$tmp/b/dtrace" | grep -E ' [A-Za-z] (getaddrinfo|getpw[a-z_]*|getgr(nam|gid|ent)[a-z_]*|getserv[a-z_]*|gethostby[a-z_0-9]*|iconv_open|setlocale)$' >"$tmp/names"
check $((! $?)) "it asks no name service, and sets no locale: $(tr '\n' ' ' <"$tmp/names")"
ldd "$tmp/b/dtrace" >"$tmp/log" 2>&1
check $((! $?)) "it names no library"
if [ -n "$page" ]; then
	ldd "$tmp/b/dtrace-web" >"$tmp/log" 2>&1
	[ $? -ne 0 ] && [ -x "$tmp/b/dtrace-web" ]
	check $? "the live page needs none either"
fi
"$tmp/b/dtrace" -e -n 'BEGIN { printf("%d\n", pid); }' >"$tmp/log" 2>&1
check $? "it compiles a program"
"$tmp/b/dtrace" -qn 'BEGIN { printf("traced\n"); exit(0); }' >"$tmp/log" 2>&1
if grep -q 'privilege' "$tmp/log"; then
	echo "ok - it traces # SKIP no rights"
else
	grep -q traced "$tmp/log"
	check $? "it traces"
fi
"$tmp/b/dtrace" --hosts web1 -n BEGIN >"$tmp/log" 2>&1 </dev/null
[ $? -eq 1 ] && grep -q "and a static build lacks it" "$tmp/log" && [ ! -e "$tmp/b/dtraced" ]
check $? "it has no dtraced, and says so"
# the 20 things and more that it does in other roots
STATIC=$tmp/b/dtrace sh test/cli/package/static_root.sh
tools/tarball "$tmp/b" 0 here >"$tmp/log" 2>&1 && tar -C "$tmp" -xf "$tmp/b/dtrace-0-here.tar.xz" &&
	sh "$tmp/dtrace-0-here/install.sh" "$tmp/there" >"$tmp/log" 2>&1 && [ -x "$tmp/there/sbin/lockstat" ] &&
	"$tmp/there/bin/dtrace" -V >"$tmp/log" 2>&1
check $? "the tarball installs"
for file in sbin/execsnoop share/man/man1/dtrace.1 share/man/man7/d.7 share/man/man8/execsnoop.8 share/bash-completion/completions/dtrace; do
	[ -s "$tmp/there/$file" ] || echo "no $file"
done >"$tmp/log"
[ ! -s "$tmp/log" ]
check $? "with the tools, the manual pages and completion"

# the image: an OCI layout whose digests are right, and which other tools read
machine=$(uname -m)
tools/image "$tmp/b" 0 "$machine" >"$tmp/log" 2>&1
check $? "the image is written"
mkdir -p "$tmp/oci" "$tmp/host"
tar -C "$tmp/oci" -xf "$tmp/b/dtrace-0-$machine.oci.tar"
(cd "$tmp/oci/blobs/sha256" && for blob in *; do [ "$(sha256sum "$blob" | cut -d' ' -f1)" = "$blob" ] || echo "$blob"; done) >"$tmp/log" 2>&1
[ ! -s "$tmp/log" ] && [ "$(ls "$tmp/oci/blobs/sha256" | wc -l)" -eq 3 ]
check $? "its blobs are named by their digests"
if command -v skopeo >/dev/null 2>&1; then
	skopeo inspect "oci-archive:$tmp/b/dtrace-0-$machine.oci.tar" >"$tmp/log" 2>&1 && grep -q '"Os": "linux"' "$tmp/log" &&
	    skopeo copy -q "oci-archive:$tmp/b/dtrace-0-$machine.oci.tar" "dir:$tmp/copied" >>"$tmp/log" 2>&1
	check $? "skopeo reads and copies it"
else
	echo "ok - skopeo reads it # SKIP there is none"
fi
layer=$(sed -n 's/.*tar+gzip","digest":"sha256:\([0-9a-f]*\)".*/\1/p' "$tmp/oci/blobs/sha256/"* 2>/dev/null | head -n 1)
tar -C "$tmp/host" -xzf "$tmp/oci/blobs/sha256/$layer" 2>"$tmp/log"
check $? "its layer unpacks"
if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null || ! command -v setpriv >/dev/null; then
	echo "ok - the image traces its host # SKIP no rights"
else
	cat >"$tmp/run" <<END
mount --rbind /proc "$tmp/host/proc" && mount --rbind /sys "$tmp/host/sys" || exit 2
exec setpriv --bounding-set -all,+bpf,+perfmon,+sys_ptrace,+syslog,+sys_chroot --no-new-privs chroot "$tmp/host" "\$@"
END
	sleep 100 &
	victim=$!
	unshare -m sh "$tmp/run" /usr/bin/dtrace -qn "syscall:::entry { @ = count(); } BEGIN { printf(\"%d\\n\", pid); } tick-200ms { printa(\"%@d calls\\n\", @); exit(0); }" >"$tmp/log" 2>&1
	grep -q '^[1-9][0-9]* calls' "$tmp/log"
	check $? "the image traces its host, with four capabilities"
	unshare -m sh "$tmp/run" /usr/bin/dtrace -ln "pid$victim:libc.so.6:nanosleep:entry, pid$victim:libc.so.6:clock_nanosleep:entry" >"$tmp/log" 2>&1
	grep -q "pid$victim .*clock_nanosleep" "$tmp/log"
	check $? "and sees the libraries of the host's processes"
	kill $victim
	unshare -m sh "$tmp/run" /usr/sbin/syscount -h >"$tmp/log" 2>&1 && grep -q '^usage: syscount' "$tmp/log"
	check $? "a tool in it"
fi
