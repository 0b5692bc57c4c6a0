# SPDX-License-Identifier: BSD-2-Clause
# H 5, H 6, H 7: files that pretend to be others, more names than anybody can keep, and descriptors and file systems of
# processes that have ended.
. test/trigger/bounded.sh
. test/trigger/hostile.sh
may_trace "files of processes"
cc=${CC:-gcc}
command -v "$cc" >/dev/null 2>&1 || { echo "ok - files of processes # SKIP no compiler ($cc)"; exit 0; }
tick=$(printf '\140')

# program NAME FUNCTION: it calls getppid(2) in that function, and sleeps if it has an argument
program() {
	cat >"$tmp/$1.c" <<-END
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		__attribute__((noinline)) int $2(void) { return (int)syscall(SYS_getppid) + 1; }
		int main(int argc, char **argv) { (void)argv; int n = $2(); if (argc > 1) { puts("ready"); fflush(stdout); pause(); } return n == 0; }
	END
	"$cc" -O1 -fno-omit-frame-pointer -Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567 -o "$tmp/$1" "$tmp/$1.c"
}

# a trace of all processes that are children of this script; $1: further options
follow() {
	start "$@" -qn 'BEGIN { printf("ready\n"); } syscall::getppid:entry /ppid == $1 && execname == "victim"/ { ustack(); @[ustack()] = count(); n++; }
	    END { printf("fired %d\n", n); }' $$
}
# stays: the victim lives until its stack was printed; then it has names, whatever the kernel had to leave out
stays() {
	"$tmp/victim" stay >"$tmp/said" &
	attackers="$attackers $!"
	waits grep -q "victim${tick}" "$tmp/out"
}
stop() {
	kill -INT "$tracer"
	wait "$tracer"
	status=$?
}

# H 5: a program of nobody with the build id of root's program, seen first
program victim check_password && program false evil_function || { bad "two programs of one build id"; exit 0; }
chown 65534 "$tmp/false"
follow
: >"$tmp/said"
chroot --userspec=65534:65534 / "$tmp/false" stay >"$tmp/said" &
attackers=$!
waits grep -q ready "$tmp/said"
"$tmp/victim"
stop
is "a file with the build id of another one" 0 "fired 1"
grep -q "victim${tick}check_password" "$tmp/out" && ! grep -q evil_function "$tmp/out"
check $? "does not give it its names"
peaceful

# the same in a mount namespace of its own, under the path of root's program
if unshare -m true 2>/dev/null; then
	follow
	: >"$tmp/said"
	unshare -m sh -c "mount --make-rprivate / && mount --bind '$tmp/false' '$tmp/victim' &&
	    exec chroot --userspec=65534:65534 / '$tmp/victim' stay" >"$tmp/said" &
	attackers=$!
	waits grep -q ready "$tmp/said"
	"$tmp/victim"
	stop
	is "a file under the path of another one" 0 "fired"
	grep -q "victim${tick}check_password" "$tmp/out"
	check $? "does not give it its names either"
	peaceful
else
	echo "ok - a file under the path of another one # SKIP no mount namespaces"
fi

# H 6: more names of files than were kept once; the limits of H 2 hold for it too
follow
attack 0 rename 140000
waits grep -q done "$tmp/said"
stays
stop
is "140,000 names of one file" 0 "fired 1"
grep -q "victim${tick}check_password" "$tmp/out"
check $? "a new program still has names"
peaceful

# H 7: the root of each process that had code made at run time
ulimit -S -n 1024
follow
attack 0 short 1500
waits grep -q done "$tmp/said"
few() { [ "$(ls "/proc/$tracer/fd" | wc -l)" -lt 600 ]; }
waits few
check $? "1,500 processes with code made at run time: few descriptors are open"
roots() { ls -l "/proc/$tracer/fd" | grep -c ' -> /$'; }
[ "$(roots)" -le 130 ]
check $? "of them few roots: $(roots)"
stays
stop
is "a new program" 0 "fired 1"
grep -q "victim${tick}check_password" "$tmp/out"
check $? "has names"
peaceful

# a file system on which a program ran that has ended can be unmounted while the trace goes on
mkdir "$tmp/fs"
if mount -t tmpfs none "$tmp/fs" 2>/dev/null; then
	follow
	cp "$tmp/victim" "$tmp/fs/victim"
	"$tmp/fs/victim"
	waits grep -q "victim${tick}check_password" "$tmp/out"
	waits umount "$tmp/fs" 2>/dev/null
	check $? "a file system can be unmounted when its programs have ended"
	stop
	is "the trace" 0 "fired 1"
	[ "$(grep -c "victim${tick}check_password" "$tmp/out")" -eq 2 ]
	check $? "and the names of the program are not lost"
	umount "$tmp/fs" 2>/dev/null
else
	echo "ok - a file system can be unmounted when its programs have ended # SKIP nothing can be mounted"
fi

# -x namesize: three programs with many symbols have no room together, but each has its names; what is too large for
# all of it has none
# large NAME: a program with 60,000 symbols of 60 letters, which calls getppid(2)
large() {
	{
		echo '.text'
		awk -v name="$1" 'BEGIN { for (i = 0; i < 60000; i++) { s = sprintf("%s_%055d", substr(name, 1, 4), i)
		    printf ".global %s\n.type %s, %%function\n%s: .space 4\n.size %s, 4\n", s, s, s, s } }'
	} >"$tmp/$1.s"
	"$cc" -O1 -o "$tmp/$1" "$tmp/false.c" "$tmp/$1.s"
}
for name in one1 two2 six6; do large $name || bad "a large program"; done
for size in 16m 4m; do
	start -x namesize=$size -qn 'BEGIN { printf("ready\n"); } syscall::getppid:entry /ppid == $1/ { ustack(); n++; }
	    END { printf("fired %d\n", n); }' $$
	for round in 1 2 3; do for name in one1 two2 six6; do
		"$tmp/$name" stay >"$tmp/said" &
		attackers="$attackers $!"
		# the frame that called syscall(); how many are behind it depends on the machine, and on when its tables came
		shown() { [ "$(awk -v n="$name" '/.syscall\+/ { getline; f += index($1, n) == 1 } END { print f + 0 }' "$tmp/out")" -ge $round ]; }
		waits shown
	done; done
	stop
	is "-x namesize=$size: nine programs" 0 "fired 9"
	case $size in
	16m)
		[ "$(grep -c "${tick}evil_function" "$tmp/out")" -eq 9 ]
		check $? "all have names"
		grep -q 'need more memory than -x namesize' "$tmp/err"
		check $? "and the notice tells that some were forgotten" ;;
	*)
		! grep -q "${tick}evil_function" "$tmp/out" && grep -q 'too large for -x namesize' "$tmp/err"
		check $? "symbols that are too large are left out, and the notice tells it" ;;
	esac
	peaceful
done
