#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Static probes of programs that others built: a PostgreSQL server whose transactions pgbench counts, Python functions that are called
# a known number of times, collections and methods of a Java machine.
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
may_trace "static probes of other programs"
server= java=
stop() { [ -n "$1" ] && kill "$1" 2>/dev/null && wait "$1" 2>/dev/null; }
trap 'stop "$server"; stop "$java"; rm -rf "$tmp"' EXIT

# has FILE PROVIDER: static probes of it are in the file
has() { grep -q 'stapsdt' "$1" && grep -aq "$2" "$1"; }

# ---- PostgreSQL ----

bin=
for dir in /usr/lib/postgresql/*/bin; do
	[ -x "$dir/postgres" ] && [ -x "$dir/pgbench" ] && has "$dir/postgres" transaction__commit && bin=$dir
done
as=
for name in postgres nobody; do
	id "$name" >/dev/null 2>&1 && as=$name && break
done

as_user() { setpriv --reuid "$as" --regid "$(id -g "$as")" --clear-groups "$@"; }
answers() { as_user "$bin/pg_isready" -q -h "$db" >/dev/null 2>&1; }

database() {
	db=$tmp/db
	mkdir "$db" && chmod 755 "$tmp" && chown "$as" "$db" || return 1
	as_user "$bin/initdb" -D "$db/data" -A trust -N >"$tmp/initdb" 2>&1 || return 1
	setpriv --reuid "$as" --regid "$(id -g "$as")" --clear-groups "$bin/postgres" -D "$db/data" -k "$db" -c listen_addresses= -c fsync=off -c autovacuum=off >"$tmp/log" 2>&1 &
	server=$!
	waits answers && as_user "$bin/pgbench" -q -i -h "$db" postgres >"$tmp/init" 2>&1
}

# pgbench says END; at the end of each of its transactions: the thread's next commit is that one.
postgres() {
	start -qn '
	BEGIN { printf("ready\n"); }
	postgresql*:::query-start { @q[copyinstr(arg0, 24)] = count(); }
	postgresql*:::query-start /copyinstr(arg0, 5) == "END;"/ { self->end = 1; }
	postgresql*:::transaction-commit /self->end/ { @commits = count(); self->end = 0; }
	postgresql*:::transaction-commit { @all = count(); }
	END { printa("commits %@d\n", @commits); printa("all %@d\n", @all); printa("%s %@d\n", @q); }'
	as_user "$bin/pgbench" -n -c 2 -t 300 -h "$db" postgres >"$tmp/bench" 2>&1
	kill -INT "$tracer"
	wait "$tracer"
	did=$(sed -n 's|^number of transactions actually processed: \([0-9]*\)/.*|\1|p' "$tmp/bench")
	[ "${did:-0}" -eq 600 ]
	check $? "pgbench did 600 transactions"
	grep -qx "commits $did" "$tmp/out"
	check $? "PostgreSQL: transaction-commit is pgbench's count, $did"
	grep -qx "END; $did" "$tmp/out"
	check $? "PostgreSQL: texts of queries"
	[ "$(sed -n 's/^all //p' "$tmp/out")" -ge "$did" ]
	check $? "PostgreSQL: other commits are its own few"
	run -lP "postgresql$server" -m postgres
	is "PostgreSQL: probes listed by process and module" 0 "transaction-commit"
	run -lP "pid$server" -m postgres
	is "PostgreSQL: functions listed by process and module" 0 "PostgresMain"
	kill -0 "$server"
	check $? "PostgreSQL: the server lives"
}

if [ -z "$bin" ] || [ -z "$as" ] || ! command -v setpriv >/dev/null; then
	ok "PostgreSQL # SKIP no server with static probes here"
elif database; then
	postgres
	stop "$server"
	server=
else
	cat "$tmp/initdb" "$tmp/log" >"$tmp/err" 2>/dev/null
	bad "PostgreSQL: a server of our own"
fi

# ---- Python ----

python=
for file in /usr/bin/python3.*; do
	case $file in *-*) continue ;; esac
	has "$(readlink -f "$file")" function__entry && python=$file
done

# Python 3.11 passes its site of function-entry only where something is thrown into a frame, as by close().
python_calls() {
	cat >"$tmp/calls.py" <<'END'
def known(n):
    return n + 1

def thrown():
    yield 1

print(sum(map(known, range(1000))))
for i in range(50):
    g = thrown()
    next(g)
    g.close()
END
	run -qc "$python $tmp/calls.py" -n '
	python$target:::function-entry { @e[basename(copyinstr(arg0)), copyinstr(arg1)] = count(); }
	python$target:::function-return /copyinstr(arg1) == "known"/ { @r[basename(copyinstr(arg0)), arg2] = count(); }
	END { printa("%s %s %@d\n", @e); printa("%s line %d: %@d returns\n", @r); }'
	case $python in
	*3.11) is "Python: function-entry" 0 "calls.py thrown 50" ;;
	*) is "Python: function-entry" 0 "calls.py known 1000" ;;
	esac
	is "Python: function-return, its file and line" 0 "calls.py line 2: 1000 returns"
	is "Python: the program's own output" 0 500500
}

if [ -n "$python" ]; then
	python_calls
else
	ok "Python # SKIP no Python with static probes here"
fi

# ---- Java ----

jvm=
command -v javac >/dev/null && jvm=$(find -L "$(dirname "$(readlink -f "$(command -v javac)")")/../lib" -name libjvm.so | head -n 1)
# its library is loaded by the program: the process has to be there
java_calls() {
	cat >"$tmp/Known.java" <<'END'
public class Known {
	static int total;
	static void known(int n) { total += n; }
	public static void main(String[] a) throws Exception {
		System.out.println("up");
		System.in.read();
		for (int i = 0; i < 500; i++)
			known(i);
		for (int i = 0; i < 3; i++)
			System.gc();
		System.out.println(total);
	}
}
END
	javac -d "$tmp" "$tmp/Known.java" >"$tmp/err" 2>&1 || { bad "a Java program"; return; }
	mkfifo "$tmp/go"
	java -XX:+ExtendedDTraceProbes -XX:+UseSerialGC -Xmx64m -cp "$tmp" Known <"$tmp/go" >"$tmp/java" 2>&1 &
	java=$!
	exec 9>"$tmp/go"
	waits grep -q up "$tmp/java" || { bad "a Java program runs"; return; }
	start -qp "$java" -n '
	BEGIN { printf("ready\n"); }
	hotspot$target:::method-entry { this->c = copyinstr(arg1, arg2 + 1); this->m = copyinstr(arg3, arg4 + 1); }
	hotspot$target:::method-entry /this->c == "Known" && this->m == "known"/ { @m[this->c, this->m] = count(); }
	hotspot$target:::gc-begin { @b[arg0] = count(); }
	hotspot$target:::gc-end { @e = count(); }
	END { printa("%s.%s %@d\n", @m); printa("gc %d %@d\n", @b); printa("ended %@d\n", @e); }'
	echo >&9
	exec 9>&-
	wait "$java"
	java=
	wait "$tracer"
	status=$?
	is "Java: method-entry" 0 "Known.known 500"
	is "Java: gc-begin, all of it each time" 0 "gc 1 3"
	is "Java: gc-end" 0 "ended 3"
	grep -qx 124750 "$tmp/java"
	check $? "Java: the program's own output"
}

if [ -n "$jvm" ] && has "$jvm" method__entry; then
	java_calls
else
	ok "Java # SKIP no Java machine with static probes here"
fi
