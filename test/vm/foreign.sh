# SPDX-License-Identifier: BSD-2-Clause
# Sourced by test/vm/run and test/vm/cross: the root of a machine of another architecture, made of Debian's packages
# in the cache folder. It is also what a cross compiler links against. $cache and $arch come in, $foreign goes out.

# What the tests call, and the libraries and headers of the build.
foreign_packages='bash binutils coreutils cpp dash diffutils e2fsprogs findutils g++ gawk gcc grep iproute2 libbpf-dev libc6-dev libelf-dev
	libdw-dev libzstd-dev libiberty-dev liblzma-dev mount procps sed strace util-linux'

prepare_foreign() {
	foreign=$cache/root-$arch
	[ "$(cat "$foreign/.packages" 2>/dev/null)" = "$foreign_packages" ] && return
	rm -rf "$foreign"
	echo "test/vm/run: making a root of Debian's packages for $arch" >&2
	apt_ready bookworm
	new=$foreign.$$
	unpack_root "$new" "$foreign_packages"
	foreign_links
	echo "$foreign_packages" >"$new/.packages"
	mv -T "$new" "$foreign" 2>/dev/null || rm -rf "$new"
}

# unpack_root FOLDER PACKAGES: the packages and what they need, without running their scripts.
unpack_root() {
	mkdir -p "$1/usr/bin" "$1/usr/sbin" "$1/usr/lib" "$1/usr/lib64"
	for dir in bin sbin lib lib64; do ln -s "usr/$dir" "$1/$dir"; done
	# nothing is installed in apt's eyes: what these need comes too
	# shellcheck disable=SC2086
	apt_ apt-get -y install --download-only --no-install-recommends -o Debug::NoLocking=1 $2 \
		>"$apt/log" 2>&1 </dev/null || { tail -n 5 "$apt/log" >&2; die "cannot fetch the packages of a root for $arch"; }
	for deb in "$apt/cache/archives"/*.deb; do
		# tar, since dpkg-deb would replace the links made above by folders
		dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$1" || die "cannot unpack $deb"
	done
	rm -f "$apt/cache/archives"/*.deb
}

# What the scripts of the packages would have done. Links between libraries become relative: a linker takes those
# with a full path for the host's.
foreign_links() {
	find "$new/usr/lib" "$new/usr/lib64" -type l -lname '/*' | while read -r link; do
		ln -sfr "$new$(readlink "$link")" "$link"
	done
	for pair in awk:gawk cc:gcc c++:g++ sh:dash which:which.debianutils; do
		[ -e "$new/usr/bin/${pair%%:*}" ] || ln -s "${pair#*:}" "$new/usr/bin/${pair%%:*}"
	done
	mkdir -p "$new/dev" "$new/proc" "$new/sys" "$new/run" "$new/tmp" "$new/var/tmp" "$new/root" "$new/etc"
	echo root:x:0:0:root:/root:/bin/sh >"$new/etc/passwd"
	printf 'nobody:x:65534:65534:nobody:/:/bin/false\n' >>"$new/etc/passwd"
	printf 'root:x:0:\ntty:x:5:\nnogroup:x:65534:\n' >"$new/etc/group"
	echo '127.0.0.1 localhost vm' >"$new/etc/hosts"
}
