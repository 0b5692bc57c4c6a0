# SPDX-License-Identifier: BSD-2-Clause
# What a person reads when a program is wrong: the whole of stderr, for text on the command line and in files.
. test/cli/helpers.inc
dtrace=$(realpath "$dtrace")
cd "$tmp" || exit 2

# is WHAT ARGS…: stderr must be what stands on stdin, the status 1, stdout empty.
is() {
	what=$1
	shift
	cat >want
	"$dtrace" -e "$@" >out 2>err </dev/null
	status=$?
	if [ "$status" -ne 1 ]; then
		echo "not ok - $what: status $status, not 1: $(head -n 3 err)"
	elif [ -s out ]; then
		echo "not ok - $what: stdout: $(head -n 3 out)"
	elif ! diff -u want err >diff; then
		echo "not ok - $what: other text"
		cat diff
	else
		echo "ok - $what"
	fi
}

is "an unknown name in the actions" -n 'BEGIN { trace(exename); }' <<'END'
dtrace: invalid probe specifier BEGIN { trace(exename); }: in action list: failed to resolve exename: Unknown variable name
  -n:1:15 | BEGIN { trace(exename); }
          |               ^~~~~~~ did you mean `execname`?
END
is "an unknown name in the predicate" -n 'BEGIN /nosuch/ { trace(1); }' <<'END'
dtrace: invalid probe specifier BEGIN /nosuch/ { trace(1); }: in predicate: failed to resolve nosuch: Unknown variable name
  -n:1:8 | BEGIN /nosuch/ { trace(1); }
         |        ^~~~~~
END
is "a predicate that is no number" -n 'BEGIN /execname/ { trace(1); }' <<'END'
dtrace: invalid probe specifier BEGIN /execname/ { trace(1); }: in predicate: predicate result must be of scalar type, not "string"
  -n:1:8 | BEGIN /execname/ { trace(1); }
         |        ^~~~~~~~
END
is "a syntax error has no region" -n 'BEGIN { trace(1 +); }' <<'END'
dtrace: invalid probe specifier BEGIN { trace(1 +); }: syntax error near ")"
  -n:1:18 | BEGIN { trace(1 +); }
          |                  ^ expected an expression
END
is "the end of the text" -n 'BEGIN { trace(1);' <<'END'
dtrace: invalid probe specifier BEGIN { trace(1);: syntax error near end of input
  -n:1:18 | BEGIN { trace(1);
          |                  ^ the { of line 1 is never closed
END
is "the tag comes first" -x errtags -n 'BEGIN { x = 1; x = "a"; }' <<'END'
dtrace: invalid probe specifier BEGIN { x = 1; x = "a"; }: [D_OP_INCOMPAT] in action list: operands have incompatible types: "int" = "string"
  -n:1:16 | BEGIN { x = 1; x = "a"; }
          |                ^~~~~~~
END
is "a description with too many parts" -n 'a:b:c:d:e' <<'END'
dtrace: invalid probe specifier a:b:c:d:e: invalid probe description "a:b:c:d:e": Overspecified probe description
  -n:1:1 | a:b:c:d:e
         | ^~~~~~~~~
END
is "-P takes one part" -P 'a:b' <<'END'
dtrace: invalid probe specifier a:b: invalid probe description "a:b": Overspecified probe description
  -P:1:1 | a:b
         | ^~~
END
is "-m takes two" -m 'a:b:c' <<'END'
dtrace: invalid probe specifier a:b:c: invalid probe description "a:b:c": Overspecified probe description
  -m:1:1 | a:b:c
         | ^~~~~
END
is "-f takes three, and says where the actions are wrong" -f 'getpid { trace(nosuch); }' <<'END'
dtrace: invalid probe specifier getpid { trace(nosuch); }: in action list: failed to resolve nosuch: Unknown variable name
  -f:1:16 | getpid { trace(nosuch); }
          |                ^~~~~~
END
is "several lines on the command line" -n 'BEGIN
{
	trace(nosuch);
}' <<'END'
dtrace: invalid probe specifier BEGIN ...: in action list: failed to resolve nosuch: Unknown variable name
  -n:3:8 |         trace(nosuch);
         |               ^~~~~~
END
is "a declaration on the command line" -n 'int x; string x; BEGIN { trace(1); }' <<'END'
dtrace: invalid probe specifier int x; string x; BEGIN { trace(1); }: in action list: identifier redeclared: x
	 current: string
	previous: int
  -n:1:15 | int x; string x; BEGIN { trace(1); }
          |               ^
END

printf 'BEGIN\n{\n\ttrace(1);\n\tprintf("%%d %%s", 1);\n}\n' >line.d
is "a file says its line" -s line.d <<'END'
dtrace: failed to compile script line.d: line 4: printf( ) prototype mismatch: conversion #2 (%s) is missing a corresponding value argument
  line.d:4:9 |         printf("%d %s", 1);
             |                ^~~~~~~
END
printf '#line 100 "other.y"\nBEGIN { trace(nosuch); }\n' >mark.d
is "#line says the file" -s mark.d <<'END'
dtrace: failed to compile script mark.d: "other.y", line 100: failed to resolve nosuch: Unknown variable name
  other.y:100:15 | BEGIN { trace(nosuch); }
                 |               ^~~~~~
END
printf 'BEGIN { trace(1);' >end.d
is "no newline at the end" -s end.d <<'END'
dtrace: failed to compile script end.d: line 1: syntax error near end of input
  end.d:1:18 | BEGIN { trace(1);
             |                  ^ the { of line 1 is never closed
END
printf 'BEGIN { trace("\303\244\303\266", nosuch); }\n' >utf8.d
is "a caret behind UTF-8 text" -s utf8.d <<'END'
dtrace: failed to compile script utf8.d: line 1: failed to resolve nosuch: Unknown variable name
  utf8.d:1:23 | BEGIN { trace("äö", nosuch); }
              |                     ^~~~~~
END
is "a word of another tracer" -n 'BEGIN { trace(comm); }' <<'END'
dtrace: invalid probe specifier BEGIN { trace(comm); }: in action list: failed to resolve comm: Unknown variable name
  -n:1:15 | BEGIN { trace(comm); }
          |               ^~~~ did you mean `execname`?
END
