# SPDX-License-Identifier: BSD-2-Clause
# Sourced by test/vm/run: Debian packages unpacked into the cache folder, nothing installed. $cache, $arch (Debian's
# name) and $kernel come in; $image, $initrd and $modules go out. A folder is made beside its place and renamed, so
# that two first runs at once do not meet.

# Which suite has which kernel. On arm64 Debian 12's own has no fentry, the newer one has it, and the latest has kprobe_multi too.
suite_of() {
	case $1 in
	6.1) echo bookworm ;;
	6.12) echo bookworm-backports ;;
	latest) echo trixie-backports ;;	# its number moves
	*) return 1 ;;
	esac
}

default_kernel() {	# the oldest one with fentry
	case $1 in
	arm64) echo 6.12 ;;
	*) echo 6.1 ;;
	esac
}

# apt with its own sources and state; mirror, proxy and keys are the host's. $apt is its folder.
apt_() {
	command=$1
	shift
	"$command" -q -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
	    -o Dir::State="$apt" -o Dir::State::lists="$apt/lists" -o Dir::State::status="$apt/status" \
	    -o Dir::Cache="$apt/cache" -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
	    -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}

apt_ready() {	# apt_ready SUITE
	apt=$cache/apt-$arch-$1
	[ -e "$apt/ready" ] && return
	command -v apt-get >/dev/null 2>&1 || die "no apt-get here to fetch Debian's kernel with"
	# shellcheck disable=SC2016
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep '/debian/*$' | head -n 1)
	[ -n "$mirror" ] || die "apt's sources name no mirror of Debian to fetch a kernel from"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/status"
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -e "$key" ] && key="[signed-by=$key] " || key=
	echo "deb $key$mirror $1 main" >"$apt/sources.list"
	apt_ apt-get update >"$apt/log" 2>&1 || { cat "$apt/log" >&2; die "cannot read the package lists of $1 from $mirror"; }
	: >"$apt/ready"
}

unpack() {	# unpack FOLDER PACKAGE…
	unpack_to=$1
	shift
	rm -rf "$unpack_to.debs"
	mkdir -p "$unpack_to" "$unpack_to.debs"
	(cd "$unpack_to.debs" && apt_ apt-get download "$@") >"$apt/log" 2>&1 || { cat "$apt/log" >&2; die "cannot fetch $*"; }
	for deb in "$unpack_to.debs"/*.deb; do
		dpkg-deb -x "$deb" "$unpack_to" || die "cannot unpack $deb"
	done
	rm -rf "$unpack_to.debs"
}

# The first file system of the machine: busybox, and what must be loaded to see the host's root.
make_initrd() {	# make_initrd FOLDER RELEASE
	rd=$1/initrd.d.$$
	mkdir -p "$rd/bin" "$rd/lib/modules"
	cp "$1/busybox" "$rd/bin/busybox"
	cp "$vm/init" "$rd/init"
	chmod 755 "$rd/init"
	for module in virtio_pci virtio_mmio virtio_console 9pnet_virtio 9p; do
		# dependencies first, and each once; what is built in has no line
		sed -n "s|^\([^:]*/$module\.ko[^:]*\):\(.*\)|\2 \1|p" "$1/lib/modules/$2/modules.dep" |
			awk '{ for (i = NF - 1; i > 0; i--) print $i; print $NF; }'
	done | awk '!seen[$0]++' >"$rd/modules"
	while read -r file; do
		cp "$1/lib/modules/$2/$file" "$rd/lib/modules" || die "no module $file in the kernel package"
	done <"$rd/modules"
	find "$rd/lib/modules" -name '*.xz' -exec xz -d {} +
	sed -i 's|.*/||; s|\.xz$||' "$rd/modules"
	(cd "$rd" && find . | cpio -o -H newc --quiet | gzip -1) >"$rd.gz" || die "cannot make the first file system"
	mv "$rd.gz" "$1/initrd"
	rm -rf "$rd"
}

# Newer packages are in parts, and have all of it below usr/lib/modules/RELEASE: brought to the places it had before.
gather() {	# gather FOLDER RELEASE
	if [ -d "$1/usr/lib/modules/$2" ]; then
		mkdir -p "$1/boot" "$1/lib/modules"
		mv "$1/usr/lib/modules/$2/vmlinuz" "$1/boot/vmlinuz-$2" || die "the packages of the kernel $2 have no image"
		rm -rf "$1/usr/lib/modules/$2/dtb"
		mv "$1/usr/lib/modules/$2" "$1/lib/modules/$2"
	fi
	rm -rf "$1/usr" "$1/boot"/System.map* "$1/lib/modules/$2/System.map"
}

fetch_kernel() {	# fetch_kernel FOLDER SUITE
	echo "test/vm/run: fetching the kernel $kernel for $arch" >&2
	new=$1.$$
	apt_ready "$2"
	package=$(apt_ apt-cache depends "linux-image-$arch" | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
	[ -n "$package" ] || die "$2 has no linux-image-$arch"
	release=${package#linux-image-}
	# shellcheck disable=SC2046
	unpack "$new" "$package" $(apt_ apt-cache depends "$package" | sed -n "s/.*Depends: \(linux-[a-z]*-$release\)\$/\1/p")
	gather "$new" "$release"
	apt_ready bookworm
	unpack "$new/bb" busybox-static
	mv "$new/bb/bin/busybox" "$new/busybox"
	rm -rf "$new/bb"
	/sbin/depmod -b "$new" "$release" || die "cannot list the modules of $package"
	mv -T "$new" "$1" 2>/dev/null || rm -rf "$new"	# somebody else was faster
}

prepare_kernel() {
	suite=$(suite_of "$kernel") || die "no kernel '$kernel': 6.1, 6.12, latest or default"
	folder=$cache/$kernel-$arch
	[ -d "$folder" ] || fetch_kernel "$folder" "$suite"
	image=$(echo "$folder"/boot/vmlinuz-*)
	modules=$folder/lib/modules
	initrd=$folder/initrd
	if [ -z "$(find "$initrd" -newer "$vm/init" -newer "$vm/kernel.sh" 2>/dev/null)" ]; then
		make_initrd "$folder" "${image##*/vmlinuz-}"
	fi
}
