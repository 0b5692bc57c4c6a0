# SPDX-License-Identifier: BSD-2-Clause
# P10: cgroup, container and cgroupid in control groups that are laid out as runtimes do it; -x container and -x cgroup.
. test/cli/helpers.inc
may_trace "containers"
for cg in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ "$(stat -fc %T "$cg" 2>/dev/null)" = cgroup2fs ] && break
done
top=dtrace-test-$$
if [ "$(stat -c %i "$cg" 2>/dev/null)" != 1 ] || ! mkdir "$cg/$top" 2>/dev/null; then
	echo "ok - containers # SKIP no control groups of version 2 can be made here"
	exit 0
fi
remove() { find "$cg/$top" -depth -type d -exec rmdir {} \; 2>/dev/null; ! [ -d "$cg/$top" ]; }
trap 'waits remove; rm -rf "$tmp"' EXIT
a=$(printf 'a%.0s' $(seq 64)) b=$(printf 'b%.0s' $(seq 64)) c=$(printf 'c%.0s' $(seq 64)) d=$(printf 'd%.0s' $(seq 64))

# in GROUP COMMAND…: runs it there
cat >"$tmp/in" <<END
mkdir -p "$cg/$top/\$1" && echo \$\$ >"$cg/$top/\$1/cgroup.procs" && shift && exec "\$@"
END
in="sh $tmp/in"

# the names that runtimes have written, below a root of their own, with the control groups of this machine
root=$tmp/root
mkdir -p "$root/var/lib/docker/containers/$a" "$root/var/lib/containers/storage/overlay-containers" "$root/var/log/containers" \
    "$root/sys/fs"
ln -s "$cg" "$root/sys/fs/cgroup"
printf '{"ID":"%s","Config":{"Name":"no"},"Name":"/web"}' "$a" >"$root/var/lib/docker/containers/$a/config.v2.json"
printf '[{"id":"%s","names":["db"]}]' "$b" >"$root/var/lib/containers/storage/overlay-containers/containers.json"
: >"$root/var/log/containers/shop-7f_prod_cart-$c.log"

# ---- variables ----

cat >"$tmp/layouts" <<END
$in system.slice/docker-$a.scope true
$in docker/$a true
$in machine.slice/libpod-$b.scope/container true
$in machine.slice/libpod-conmon-$b.scope true
$in kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12_34.slice/cri-containerd-$c.scope true
$in kubepods/besteffort/pod12-34/$c true
$in kubepods.slice/crio-$d.scope true
$in docker/$a/system.slice/cron.service true
$in lxc.payload.guest true
$in machine.slice/machine-fedora.scope true
$in system.slice/cron.service true
END
run -q -x hostroot="$root" -c "sh $tmp/layouts" -n 'syscall::exit_group:entry /execname == "true" && progenyof($target)/
	{ printf("%s [%s]\n", cgroup, container); }'
cat >"$tmp/want" <<END
/$top/system.slice/docker-$a.scope [web]
/$top/docker/$a [web]
/$top/machine.slice/libpod-$b.scope/container [db]
/$top/machine.slice/libpod-conmon-$b.scope []
/$top/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod12_34.slice/cri-containerd-$c.scope [prod/shop-7f/cart]
/$top/kubepods/besteffort/pod12-34/$c [prod/shop-7f/cart]
/$top/kubepods.slice/crio-$d.scope [dddddddddddd]
/$top/docker/$a/system.slice/cron.service [web]
/$top/lxc.payload.guest [guest]
/$top/machine.slice/machine-fedora.scope [fedora]
/$top/system.slice/cron.service []
END
grep . "$tmp/out" | cmp -s "$tmp/want" -
check $? "the path and the container of each layout"
run -q -c "sh $tmp/layouts" -n 'syscall::exit_group:entry /execname == "true" && progenyof($target) && container == "aaaaaaaaaaaa"/ { @[cgroupid] = count(); }'
[ "$(awk 'NF == 2 { print $1, $2 }' "$tmp/out" | sort)" = "$(for at in system.slice/docker-$a.scope docker/$a docker/$a/system.slice/cron.service; do
	echo "$(stat -c %i "$cg/$top/$at") 1"; done | sort)" ]
check $? "without a name the id's first digits, in a predicate; cgroupid is the number of the directory"
run -q -x hostroot="$root" -c "sh $tmp/layouts" -n 'syscall::exit_group:entry /execname == "true" && progenyof($target)/ { @[container] = count(); }
	END { printa("<%s> %@d\n", @); }'
[ "$(grep '^<' "$tmp/out" | sort | tr '\n' ' ')" = '<> 2 <db> 1 <dddddddddddd> 1 <fedora> 1 <guest> 1 <prod/shop-7f/cart> 2 <web> 3 ' ]
check $? "as a key of an aggregation"
run -q -x strsize=64 -n 'BEGIN { trace(container); exit(0); }'
is "strings that are too short" 1 "names of control groups need strings of at least 96 bytes for tracing; see strsize"

# ---- the filter ----

# filtered OPTION WANT: how many of the processes above end inside
filtered() {
	run -q -x hostroot="$root" -x "$1" -c "sh $tmp/layouts" -n 'syscall::exit_group:entry /execname == "true"/ { n++; }
		END { printf("n %d\n", n); }'
	grep -qx "n $2" "$tmp/out"
	check $? "-x $1: $2"
}
filtered container=web 3
filtered container="$(printf %.12s "$b"),lxc,guest" 2
filtered container=cart 2
filtered container=prod/shop-7f/cart,fedora 3
filtered cgroup="/$top/docker" 2
filtered cgroup="$top/docker/,/$top/machine.slice/machine-fedora.scope" 3
filtered cgroup="/$top" 11
run -q -x hostroot="$root" -x container=wob -n 'BEGIN { exit(0); }'
is "no such container" 1 "there is no container wob below $root/sys/fs/cgroup (named by their runtimes: prod/shop-7f/cart, web, db); -Z waits for it"
run -q -x cgroup=/nosuch -n 'BEGIN { exit(0); }'
is "no such control group" 1 "there is no control group /nosuch below $cg; -Z waits for it"
run -q -x hostroot="$tmp/nowhere" -x cgroup=/x -n 'BEGIN { exit(0); }'
is "no control groups" 1 "need control groups of version 2, which this machine does not mount"
many=$(for i in $(seq 17); do mkdir -p "$cg/$top/many/$i"; printf '%s,' "$top/many/$i"; done)
run -q -x cgroup="$many" -n 'BEGIN { exit(0); }'
is "too many" 1 "17 control groups are meant by -x cgroup, and at most 16 can be: name the one above them"

# made while tracing: the container does its work again until it is seen
cat >"$tmp/later" <<END
until [ -s "$tmp/seen" ]; do sh $tmp/in late/docker-$a.scope/sub true; done
END
: >"$tmp/seen"
start -qwZ -x hostroot="$root" -x container=web -n 'BEGIN { printf("ready\n"); } syscall::exit_group:entry { printf("in %s\n", container); exit(0); }'
# nobody is in it until it is made
for group in system.slice/docker-$a.scope docker/$a/system.slice/cron.service docker/$a/system.slice docker/$a; do rmdir "$cg/$top/$group" 2>/dev/null; done
sh "$tmp/later" &
load=$!
waits ended $tracer
echo seen >"$tmp/seen"
wait $load
grep -qx 'in web' "$tmp/out"
check $? "a container that starts later"
