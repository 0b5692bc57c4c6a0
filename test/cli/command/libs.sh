# SPDX-License-Identifier: BSD-2-Clause
# D libraries of -L: order, cycles, what is missing, what is broken, what overrides what.
. test/cli/helpers.inc

# lib DIRECTORY FILE: a library with the text of stdin
lib() {
	mkdir -p "$tmp/$1" && cat >"$tmp/$1/$2"
}

lib plain a.d <<-'EOF'
	inline int FROM_LIB = 7;
	typedef struct libpt { int x; } libpt_t;
	translator libpt_t < int i > { x = i + FROM_LIB; };
	provider libprov { probe go(int a, int b) : (int b); };
EOF
is "an inline of a library" 0 "" -e -L "$tmp/plain" -n 'BEGIN { trace(FROM_LIB); }'
is "a translator of a library" 0 "" -e -L "$tmp/plain" -n 'BEGIN { trace(xlate <libpt_t>(1).x); }'
is "a provider of a library" 0 "" -e -Z -L "$tmp/plain" -n 'libprov:::go { trace(args[0]); }'
is "a library's probe has what it declares" 1 "[D_ARGS_IDX]" -e -Z -x errtags -L "$tmp/plain" -n 'libprov:::go { trace(args[1]); }'
is "without -L it is unknown" 1 "failed to resolve FROM_LIB" -e -n 'BEGIN { trace(FROM_LIB); }'
is "-x nolibs" 1 "failed to resolve FROM_LIB" -e -x nolibs -L "$tmp/plain" -n 'BEGIN { trace(FROM_LIB); }'
is "-x libdir is -L" 0 "" -e -x libdir="$tmp/plain" -n 'BEGIN { trace(FROM_LIB); }'
is "a library's name cannot be made again" 1 "[D_DECL_IDRED]" -e -x errtags -L "$tmp/plain" -n 'inline int FROM_LIB = 1; BEGIN { }'
# N10: -e without a program checks the libraries
is "-e alone" 0 "" -e
is "-e and good libraries alone" 0 "" -e -L "$tmp/plain"
is "-e and no such directory" 1 "failed to open library directory $tmp/none" -e -L "$tmp/none"
lib bad a.d <<-'EOF'
	inline int A = ;
EOF
is "-e and a broken library alone" 1 "failed to compile libraries: \"$tmp/bad/a.d\", line 1: syntax error" -e -L "$tmp/bad"
is "unless none is loaded" 0 "" -e -x nolibs -L "$tmp/bad"
is "no such directory" 1 "failed to open library directory $tmp/none" -e -L "$tmp/none" -n 'BEGIN { trace(1); }'

# b.d needs z.d, which comes later by name
lib order b.d <<-'EOF'
	#pragma D depends_on library z.d
	inline int B = Z * 2;
EOF
lib order z.d <<-'EOF'
	inline int Z = 4;
EOF
is "depends_on decides the order" 0 "" -e -L "$tmp/order" -n 'int a[B]; BEGIN { trace(a[0]); }'

lib cycle a.d <<-'EOF'
	#pragma D depends_on library b.d
	inline int A = 1;
EOF
lib cycle b.d <<-'EOF'
	#pragma D depends_on library a.d
	inline int B = 1;
EOF
is "a cycle" 1 "Cyclic dependency detected: b.d => a.d" -e -L "$tmp/cycle" -n 'BEGIN { trace(1); }'
lib self a.d <<-'EOF'
	#pragma D depends_on library a.d
EOF
is "a library that needs itself" 1 "Cyclic dependency detected: a.d => a.d" -e -L "$tmp/self" -n 'BEGIN { trace(1); }'

for class in provider module; do
	lib "missing_$class" a.d <<-EOF
		#pragma D depends_on $class nosuch
		inline int A = nothing_known;
	EOF
	is "a missing $class skips the library" 0 "" -e -L "$tmp/missing_$class" -n 'BEGIN { trace(1); }'
	is "a missing $class: its names are unknown" 1 "failed to resolve A" -e -L "$tmp/missing_$class" -n 'BEGIN { trace(A); }'
done
lib missing_library a.d <<-'EOF'
	#pragma D depends_on library nosuch.d
	inline int A = 1;
EOF
# S B7, P 4.17, H 18
is "a missing library is named" 1 "library a.d requires library nosuch.d" -e -L "$tmp/missing_library" -n 'BEGIN { trace(1); }'
lib chain a.d <<-'EOF'
	#pragma D depends_on library b.d
	inline int A = B;
EOF
lib chain b.d <<-'EOF'
	#pragma D depends_on module nosuch
	inline int B = 1;
EOF
lib chain c.d <<-'EOF'
	inline int C = 3;
EOF
is "what needs a skipped library is skipped, the rest is not" 0 "" -e -L "$tmp/chain" -n 'BEGIN { trace(C); }'
is "a skipped library's dependant" 1 "failed to resolve A" -e -L "$tmp/chain" -n 'BEGIN { trace(A); }'

lib broken a.d <<-'EOF'
	inline int GOOD = 1;

	inline int BAD = "text";
EOF
is "a broken library, with its file and line" 1 "\"$tmp/broken/a.d\", line 3: " -e -L "$tmp/broken" -n 'BEGIN { trace(1); }'
is "a broken library, its tag" 1 "[D_OP_INCOMPAT]" -e -x errtags -L "$tmp/broken" -n 'BEGIN { trace(1); }'
lib syntax a.d <<-'EOF'
	inline int ;
EOF
is "a library with bad syntax" 1 "\"$tmp/syntax/a.d\", line 1: " -e -L "$tmp/syntax" -n 'BEGIN { trace(1); }'

# errno.d is one of the system's; SIGHUP is of signal.d
lib over errno.d <<-'EOF'
	inline int ENOENT = 1000;
EOF
is "a user's file stands for the system's" 0 "" -e -L "$tmp/over" -n 'int a[ENOENT == 1000 ? 1 : -1]; BEGIN { trace(a[0]); }'
is "and nothing of that one is left" 1 "failed to resolve EPERM" -e -L "$tmp/over" -n 'BEGIN { trace(EPERM); }'
is "the system's own" 0 "" -e -n 'int a[ENOENT == 2 ? 1 : -1]; BEGIN { trace(a[EPERM - 1]); }'
lib first x.d <<-'EOF'
	inline int WHICH = 1;
EOF
lib second x.d <<-'EOF'
	inline int WHICH = 2;
EOF
is "the first -L wins" 0 "" -e -L "$tmp/first" -L "$tmp/second" -n 'int a[WHICH == 1 ? 1 : -1]; BEGIN { trace(a[0]); }'
lib sysdir only.d <<-'EOF'
	inline int ONLY = 1;
EOF
is "-x syslibdir stands for all we ship" 1 "failed to resolve ENOENT" -e -x syslibdir="$tmp/sysdir" -n 'BEGIN { trace(ENOENT); }'
is "-x syslibdir is searched" 0 "" -e -x syslibdir="$tmp/sysdir" -n 'BEGIN { trace(ONLY); }'

lib version a.d <<-'EOF'
	#pragma D binding "1.6" NEW
	inline int NEW = 1;
	inline int OLD = 1;
	struct vt { int x; };
	#pragma D binding "1.6" translator
	translator struct vt < int i > { x = i; };
EOF
is "bound to a later version: hidden" 1 "failed to resolve NEW" -e -x version=1.5 -L "$tmp/version" -n 'BEGIN { trace(NEW); }'
is "bound to a later version: seen" 0 "" -e -x version=1.6 -L "$tmp/version" -n 'BEGIN { trace(NEW); }'
is "a bound translator: hidden" 1 "[D_XLATE_NONE]" -e -x errtags -x version=1.5 -L "$tmp/version" -n 'BEGIN { trace(xlate <struct vt>(1).x); }'
is "a bound translator: seen" 0 "" -e -x version=1.6 -L "$tmp/version" -n 'BEGIN { trace(xlate <struct vt>(1).x); }'
is "an unknown version" 1 "version" -e -x version=7.7 -n 'BEGIN { }'
is "no version" 1 "version" -e -x version=abc -n 'BEGIN { }'

# H 18: what cannot be read is named and left out, as in history; nothing waits for a FIFO
lib odd good.d <<-'EOF'
	inline int GOOD = 1;
EOF
mkfifo "$tmp/odd/fifo.d"
ln -s /nonexistent "$tmp/odd/dangling.d"
mkdir "$tmp/odd/folder.d"
for what in 'fifo.d is left out: it is not a regular file' 'dangling.d is left out: No such file or directory' \
    'folder.d is left out: Is a directory'; do
	is "$what" 0 "library $tmp/odd/$what" -e -L "$tmp/odd" -n 'BEGIN { trace(GOOD); }'
done
is "a name that was in it may be why this fails" 1 "dangling.d is left out" -e -L "$tmp/odd" -n 'BEGIN { trace(NONE); }'
