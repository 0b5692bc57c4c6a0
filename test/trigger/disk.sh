# SPDX-License-Identifier: BSD-2-Clause
# For tests that need a disk of their own, after helpers.inc: disk MB makes $disk, a loop device; disk_fs mounts it as ext4 at $mnt,
# disk_xfs as XFS. All is gone at the end, whatever happens.
disks=
mnt=$tmp/mnt

disk_gone() {
	mountpoint -q "$mnt" && umount "$mnt"
	for d in $disks; do
		swapoff "$d" 2>/dev/null
		losetup -d "$d"
	done
	rm -rf "$tmp"
}
trap disk_gone EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

disk() {
	truncate -s "$1M" "$tmp/disk$1" && disk=$(losetup -f --show "$tmp/disk$1" 2>"$tmp/err") || return 1
	disks="$disks $disk"
}

disk_fs() {
	command -v mkfs.ext4 >/dev/null || return 1
	mkfs.ext4 -q -b 4096 "$disk" >"$tmp/err" 2>&1 && mkdir "$mnt" && mount -t ext4 "$disk" "$mnt" 2>>"$tmp/err"
}

# The same as XFS; the disk needs 300 MB.
disk_xfs() {
	command -v mkfs.xfs >/dev/null || { echo "no mkfs.xfs" >"$tmp/err"; return 1; }
	mkfs.xfs -q "$disk" >"$tmp/err" 2>&1 && mkdir -p "$mnt" && mount -t xfs "$disk" "$mnt" 2>>"$tmp/err"
}
