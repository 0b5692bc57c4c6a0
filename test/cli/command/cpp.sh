# SPDX-License-Identifier: BSD-2-Clause
# The preprocessor of -C: its flags, what it sees, and where errors are said to be.
. test/cli/helpers.inc

# script NAME: a file with the text of stdin
script() {
	cat >"$tmp/$1"
}

mkdir "$tmp/inc" "$tmp/more"
printf '#define FROM_INC 3\ntypedef int inc_t;\n' >"$tmp/inc/inc.h"
printf '#include "more.h"\n' >"$tmp/inc/nest.h"
printf 'struct more {\n\tnosuch_t x;\n};\n' >"$tmp/more/more.h"
printf '#define BESIDE 1\n' >"$tmp/beside.h"

script define.d <<-'EOF'
	int a[N];
	BEGIN { trace(a[0]); }
EOF
is "-D" 0 "" -e -C -D N=3 -s "$tmp/define.d"
is "-DN=3 in one word" 0 "" -e -C -DN=3 -s "$tmp/define.d"
is "-D without a value is 1" 0 "" -e -C -D N -s "$tmp/define.d"
is "the last of -D and -U counts" 1 "N" -e -C -D N=3 -U N -s "$tmp/define.d"
is "no -C, no preprocessor" 1 "N" -e -D N=3 -s "$tmp/define.d"
script undef.d <<-'EOF'
	#ifdef __linux
	#error still there
	#endif
	BEGIN { trace(1); }
EOF
is "-U of what is predefined" 0 "" -e -C -U __linux -s "$tmp/undef.d"
is "#error of the preprocessor" 1 "still there" -e -C -s "$tmp/undef.d"
is "a preprocessor that fails" 1 "Preprocessor failed to process input program" -e -C -s "$tmp/undef.d"

script include.d <<-'EOF'
	#include "inc.h"
	inc_t x;
	BEGIN { x = FROM_INC; }
EOF
is "-I" 0 "" -e -C -I "$tmp/inc" -s "$tmp/include.d"
is "without -I" 1 "inc.h" -e -C -s "$tmp/include.d"
is "-H names the headers" 0 "$tmp/inc/inc.h" -e -C -H -I "$tmp/inc" -s "$tmp/include.d"
script near.d <<-'EOF'
	#include "beside.h"
	BEGIN { trace(BESIDE); }
EOF
is "a header beside the script" 0 "" -e -C -s "$tmp/near.d"
is "-x cpp, incdir and define are the flags' names" 0 "" -e -x cpp -x incdir="$tmp/inc" -x define=UNUSED -s "$tmp/include.d"
is "-x cpppath" 1 "Preprocessor not found: /nonexistent/cpp" -e -C -x cpppath=/nonexistent/cpp -s "$tmp/near.d"
is "-x cppargs" 0 "" -e -C -x cppargs=-DN=2 -s "$tmp/define.d"
is "-Xs is traditional" 0 "" -e -C -Xs -s "$tmp/near.d"
is "text of -n is not preprocessed" 1 "failed to resolve N" -e -C -D N=3 -n 'BEGIN { trace(N); }'

script after.d <<-'EOF'
	#!/usr/sbin/dtrace -Cs
	#include "inc.h"
	#define MANY \
		1

	BEGIN
	{
		trace(nosuch);
	}
EOF
is "a line after #!, #include and a continued #define" 1 "line 8: failed to resolve nosuch" -e -C -I "$tmp/inc" -s "$tmp/after.d"
script nest.d <<-'EOF'
	#include "nest.h"
	BEGIN { trace(1); }
EOF
is "a line of a nested header" 1 "more.h\", line 2: " -e -C -I "$tmp/inc" -I "$tmp/more" -s "$tmp/nest.d"
script back.d <<-'EOF'
	#include "inc.h"
	#include "inc/inc.h"
	BEGIN { trace(nosuch); }
EOF
is "back from two headers" 1 "line 3: failed to resolve nosuch" -e -C -I "$tmp/inc" -I "$tmp" -s "$tmp/back.d"
script line.d <<-'EOF'
	#line 100 "made.y"
	BEGIN { trace(nosuch); }
EOF
is "#line through the preprocessor" 1 "\"made.y\", line 100: " -e -C -s "$tmp/line.d"
is "#line without it" 1 "\"made.y\", line 100: " -e -s "$tmp/line.d"
script predef.d <<-'EOF'
	#if !defined(__SUNW_D) || !defined(__SUNW_D_64) || !defined(__unix) || !defined(__linux) || defined(__GNUC__)
	#error what is predefined
	#endif
	#if __SUNW_D_VERSION != 0x0100e000
	#error version
	#endif
	BEGIN { trace(1); }
EOF
is "what is predefined" 0 "" -e -C -s "$tmp/predef.d"
script version.d <<-'EOF'
	int a[__SUNW_D_VERSION == 0x01002002 ? 1 : -1];
	BEGIN { trace(a[0]); }
EOF
is "__SUNW_D_VERSION follows -x version" 0 "" -e -C -x version=1.2.2 -s "$tmp/version.d"

script args.d <<-'EOF'
	BEGIN { printf("%s %d", $1, $2); }
EOF
is "a quoted argument is a string" 0 "" -e -s "$tmp/args.d" '"two words"' 7
is "a plain text too" 0 "" -e -s "$tmp/args.d" /a/b 7
is "a number is not" 1 "[D_PRINTF_ARG_TYPE]" -e -x errtags -s "$tmp/args.d" 12 7
is "a script's arguments with -C" 0 "" -e -C -s "$tmp/args.d" '"x"' 0x10

# S C11, P 4.6, N5: headers of the system, each alone, with a predicate behind it; those that the preprocessor does not find are left out
headers='sys/types.h sys/socket.h netinet/in.h signal.h sys/wait.h linux/types.h linux/fs.h linux/if_ether.h stddef.h stdio.h errno.h fcntl.h
    stdint.h sys/stat.h time.h unistd.h sys/mman.h sys/time.h stdlib.h endian.h string.h netinet/tcp.h netinet/udp.h netinet/ip.h
    netinet/ip6.h netinet/ip_icmp.h arpa/inet.h net/if.h net/ethernet.h pthread.h sched.h poll.h sys/epoll.h sys/resource.h sys/un.h
    sys/uio.h sys/ioctl.h sys/ptrace.h limits.h inttypes.h ctype.h math.h wchar.h setjmp.h dirent.h pwd.h netdb.h termios.h dlfcn.h elf.h
    link.h linux/tcp.h linux/udp.h linux/ip.h linux/ipv6.h linux/netlink.h linux/perf_event.h linux/bpf.h linux/futex.h linux/io_uring.h
    linux/filter.h linux/seccomp.h asm/ptrace.h asm/unistd.h complex.h byteswap.h linux/swab.h linux/byteorder/little_endian.h
    linux/input.h linux/if_packet.h sys/param.h sys/sysmacros.h semaphore.h syslog.h utmpx.h ucontext.h'

# all_headers WHAT PREPROCESSOR: each of them compiles, and so do a predicate and a division behind it
all_headers() {
	bad= found=0
	for h in $headers; do
		printf '#include <%s>\n' "$h" | "$2" >/dev/null 2>&1 || continue
		found=$((found + 1))
		printf '#include <%s>\nBEGIN /pid > 0 && (pid / 2) > 0/ { trace(pid / 2); }\n' "$h" >"$tmp/h.d"
		"$dtrace" -C -x cpppath="$2" -e -s "$tmp/h.d" >/dev/null 2>&1 || bad="$bad $h"
	done
	if [ -n "$bad" ]; then
		echo "not ok - $1:$bad"
	elif [ "$found" -lt 40 ]; then
		echo "ok - $1 # SKIP $2 finds $found of them"
	else
		echo "ok - $1"
	fi
}
all_headers "headers of the system" cpp
case $(uname -m) in
x86_64) other=aarch64-linux-gnu-cpp ;;
*) other=x86_64-linux-gnu-cpp ;;
esac
all_headers "headers of the other machine" "$other"
script several.d <<-'EOF'
	#include <stdio.h>
	#include <sys/socket.h>
	#include <netinet/in.h>
	#include <linux/if_ether.h>
	BEGIN { trace(sizeof (struct sockaddr_in)); trace(sizeof (struct ethhdr)); trace(sizeof (FILE *)); }
EOF
is "several of them together" 0 "" -e -C -s "$tmp/several.d"
printf 'static inline int twice(int x)\n{\n\tconst char *s = "}"; /* } */ double d = 1.5;\n\treturn x + x;\n}\nstruct after { int m; };\n' >"$tmp/inc/body.h"
script body.d <<-'EOF'
	#include "body.h"
	BEGIN { trace(sizeof (struct after)); trace(nosuch); }
EOF
is "a function's body is skipped, and lines are counted" 1 "line 2: failed to resolve nosuch" -e -C -I "$tmp/inc" -s "$tmp/body.d"
script closed.d <<-'EOF'
	#include "body.h"
	BEGIN /(sizeof (struct after) == 4)/ { exit(0); }
	END { trace(1); } }
EOF
is "its braces are counted in full" 1 "line 3: extra } in input stream" -e -C -I "$tmp/inc" -s "$tmp/closed.d"
