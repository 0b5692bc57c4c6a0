# SPDX-License-Identifier: BSD-2-Clause
# javagc, javathreads: a Java program that collects its garbage five times and starts three threads.
# slow: left out of `make check`
. test/trigger/tools.sh
may_trace "tools for Java"
if ! command -v javac >/dev/null || ! command -v java >/dev/null; then
	ok "tools for Java # SKIP no Java here"
	exit 0
fi
victim=
trap '[ -n "$victim" ] && kill "$victim" 2>/dev/null; rm -rf "$tmp"' EXIT
cat >"$tmp/Load.java" <<'END'
public class Load {
	public static void main(String[] a) throws Exception {
		System.out.println("up");
		System.in.read();
		for (int i = 0; i < 5; i++)
			System.gc();
		for (int i = 0; i < 3; i++) {
			Thread t = new Thread(() -> { }, "known-thread-" + i);
			t.start();
			t.join();
		}
		System.out.println("done");
		System.in.read();
		System.in.read();
	}
}
END
javac -d "$tmp" "$tmp/Load.java" >"$tmp/err" 2>&1 || { bad "Java: a program of our own"; exit 1; }
# java_run: starts the program; it does its work when something is written to descriptor 9
java_run() {
	rm -f "$tmp/go"
	mkfifo "$tmp/go"
	java -XX:+UseSerialGC -Xms64m -Xmx64m -cp "$tmp" Load <"$tmp/go" >"$tmp/said" 2>&1 &
	victim=$!
	exec 9>"$tmp/go"
	waits grep -q up "$tmp/said"
}
java_run || { cp "$tmp/said" "$tmp/err"; bad "Java: a program runs"; exit 1; }
if ! listed 'hotspot*:::gc-begin'; then
	ok "tools for Java # SKIP this Java has no static probes"
	exit 0
fi
watch javagc
echo >&9
waits grep -q done "$tmp/said"
finish
row "5 collections" "^ *[0-9]+\.[0-9]{3} +$victim full +[0-9]+\.[0-9]{3}$" 5
row "and their summary" "^$victim all collections, in microseconds: +count 5 "
exec 9>&-
kill $victim && wait $victim 2>/dev/null
java_run
watch javathreads
echo >&9
waits grep -q done "$tmp/said"
finish
for i in 0 1 2; do
	row "thread $i starts" "^ *[0-9]+\.[0-9]{3} +$victim +[0-9]+ +[0-9]+ start known-thread-$i$"
	row "thread $i stops" " $victim +[0-9]+ +[0-9]+ stop +known-thread-$i$"
done
exec 9>&-
exit 0
