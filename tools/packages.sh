# SPDX-License-Identifier: BSD-2-Clause
# Sourced by ./run and ./check, from the root of the tree: installs what is missing, and only that.
# A need is a command or a file (a glob is fine) and the Debian packages that bring it. Looking is done by the
# shell itself, so that nothing missing costs nothing.

missing=

need() {	# need COMMAND-OR-/FILE PACKAGE…
	case $1 in
	/*)
		for file in $1; do
			[ -e "$file" ] && return
		done ;;
	*)
		command -v "$1" >/dev/null 2>&1 && return ;;
	esac
	shift
	missing="$missing $*"
}

need_build() {
	need gcc gcc libc6-dev
	need clang clang		# compiles src/runtime for eBPF
	need "/usr/include/stdio.h" libc6-dev
	need make make
	need pkg-config pkg-config
	need "/usr/include/bpf/libbpf.h" libbpf-dev
	need "/usr/include/zlib.h" zlib1g-dev
	need "/usr/include/zstd.h" libzstd-dev	# the static build
	need "/usr/include/elfutils/libdw.h" libdw-dev	# types of functions in programs
	need "/usr/include/lzma.h" liblzma-dev
	need "/usr/lib/*/libiberty.a" libiberty-dev
}

need_web() {	# the live page, and what looks at it in tests: 0.4 GB, most of it chromium
	need npm npm
	need chromium chromium
	need curl curl
	need nvim neovim		# a client of the language server
}

need_fleet() {	# dtraced and dtrace --hosts, and the bus of their tests
	need "/usr/include/nats/nats.h" libnats-dev
	need nats-server nats-server
	need ip iproute2
	need openssl openssl
	need "/usr/lib/python3/dist-packages/yaml" python3-yaml	# reads the manifest for Kubernetes
	need python3 python3
}

need_vm() {	# need_vm MACHINE: what test/vm/run needs; kernel and busybox it fetches itself
	case $1 in
	aarch64) need qemu-system-aarch64 qemu-system-arm ;;
	x86_64) need qemu-system-x86_64 qemu-system-x86 ;;
	esac
	need cpio cpio
	need xz xz-utils
	need /sbin/depmod kmod
}

need_other() {	# what test/vm/other needs: a machine of the other architecture, and a compiler for it
	case $(uname -m) in
	aarch64)
		need_vm x86_64
		need x86_64-linux-gnu-gcc gcc-x86-64-linux-gnu ;;
	*)
		need_vm aarch64
		need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu ;;
	esac
}

need_victims() {	# programs of others that tests trace, and what packages are made and tried with
	need "/usr/include/Zydis/Zydis.h" libzydis-dev	# insn_test compares src/machine/x86.c with it
	need riscv64-linux-gnu-gcc gcc-riscv64-linux-gnu libc6-dev-riscv64-cross	# test/cli/check/riscv64.sh
	need /usr/share/i18n/locales/de_DE locales	# the guide is run in a locale that users have
	need strace strace		# dtruss is compared with it
	need "/usr/lib/postgresql/*/bin/postgres" postgresql postgresql-contrib
	need redis-server redis-server
	need redis-benchmark redis-tools
	need /usr/sbin/nginx nginx-light
	need wrk wrk
	need "/usr/bin/python3" python3
	need javac default-jdk-headless
	need llvm-symbolizer llvm	# reads the same DWARF as -x inlines
	need rustc rustc
	need cargo cargo
	need mypy mypy			# checks the types of the binding for Python
	need go golang-go
	need prometheus prometheus	# reads -O openmetrics
	need "/usr/lib/python3/dist-packages/prometheus_client" python3-prometheus-client
	need ip iproute2
	need /usr/sbin/mkfs.xfs xfsprogs
	need dh debhelper
	need esbuild esbuild		# builds the live page of the packages
	need dh_python3 dh-python
	need lintian lintian
	need rpmbuild rpm
	need rpmlint rpmlint
	need skopeo skopeo		# reads the container image
	need debootstrap debootstrap
	need tmux tmux			# a terminal whose screen can be read
	need zsh zsh
	need fish fish
	need ruby ruby
	need php8.2 php8.2-cli		# frames of PHP in stacks
	need node nodejs		# its example makes probes at run time
	need "/usr/include/node/node_api.h" libnode-dev
}

# install_missing NAME: NAME is who asks, for messages. False when something is still missing.
install_missing() {
	[ -z "$missing" ] && return 0
	if [ "$(id -u)" -ne 0 ]; then
		echo "$1: these packages are missing, and only root can install them: apt-get install$missing" >&2
		return 1
	fi
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "$1: no apt-get here; please install what Debian calls:$missing" >&2
		return 1
	fi
	echo "$1: installing$missing" >&2
	log=$(mktemp)
	# shellcheck disable=SC2086
	# RUNLEVEL: servers are installed to be started by tests, not now
	if { apt-get -q update; RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends $missing; } \
	    >"$log" 2>&1 </dev/null; then
		rm -f "$log"
		missing=
		return 0
	fi
	cat "$log" >&2
	rm -f "$log"
	echo "$1: could not install:$missing" >&2
	missing=
	return 1
}
