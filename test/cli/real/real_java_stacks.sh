# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Java in every machine that is installed, made by each of its compilers: as many as 1,000 of waiting threads are
# those of jstack(1), and samples of a program that computes reach its start. JAVA_MODES: the options of java to test.
# slow: left out of `make check`
. test/cli/helpers.inc
may_trace "stacks of Java"
. test/cli/stack/java.inc
has_java

cat >"$tmp/Busy.java" <<'END'
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

public class Busy {
	static volatile long sink;
	interface Op { int f(int n); }
	static class A implements Op { public int f(int n) { return n * 31 + 7; } }
	static class B implements Op { public int f(int n) { return fib(n & 7); } }
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	static final Op[] ops = { new A(), new B(), n -> n + 1 };
	static String text(int n) {
		StringBuilder b = new StringBuilder();
		for (int i = 0; i < 8; i++)
			b.append(n + i).append(',');
		return b.toString();
	}
	static void work(int n) {
		Map<Integer, String> m = new HashMap<>();
		Integer[] a = new Integer[200];

		for (int i = 0; i < 50; i++) {
			m.put(i, text(n + i));
			sink += ops[i % 3].f(i);
		}
		for (int i = 0; i < 200; i++)
			a[i] = n * i * 7919 % 1000;
		Arrays.sort(a);
		System.arraycopy(new byte[4000], 0, new byte[4000], 0, 4000);
		sink += m.hashCode() + a[3];
	}
	public static void main(String[] a) {
		for (int i = 0; ; i++) {
			work(i);
			if (i == 20000)
				System.out.println("ready");
		}
	}
}
END
javac -Xlint:-options --release 8 -d "$tmp" "$tmp/Busy.java" >"$tmp/err" 2>&1 || { bad "Java: a program that computes"; exit 1; }

# reaches_start WHAT JAVA [OPTION…]: 98 of 100 samples begin where a thread does
reaches_start() {
	what=$1 java=$2
	shift 2
	: >"$tmp/said"
	"$java" -XX:+UseSerialGC "$@" -cp "$tmp" Busy >"$tmp/said" 2>&1 &
	jvm=$!
	waits grep -q ready "$tmp/said"
	run -q -x ustackframes=300 -p $jvm -n '
	profile-997 /pid == $target && arg1 != 0/ { @[ustack()] = count(); n++; } profile-997 /n > 1500/ { exit(0); }'
	kill -9 $jvm
	wait $jvm 2>/dev/null
	awk 'BEGIN { RS = ""; FS = "\n" }
	    { n = $NF + 0; all += n; if ($0 ~ /start_thread|thread_start|clone/) good += n; else if (n > most) { most = n; left = $0 } }
	    END { print all, good, left; exit all < 1000 || good < all * 0.98 }' "$tmp/out" >"$tmp/log"
	check $? "$what: $(awk 'NR == 1 { print $2 " of " $1 }' "$tmp/log") samples reach the start of their thread"
}

seed=$$
for java in $(for j in "$(command -v java)" /usr/lib/jvm/*/bin/java; do readlink -f "$j"; done | sort -u); do
	version=$("$java" -version 2>&1 | sed -n '1s/.*"\(.*\)".*/\1/p')
	[ -x "$(dirname "$java")/jstack" ] || continue
	for mode in ${JAVA_MODES:--Xint -Xmixed -XX:TieredStopAtLevel=1 -XX:-TieredCompilation -XX:+PreserveFramePointer}; do
		seed=$((seed + 1))
		java_stacks "Java $version $mode" "$java" 100 150 $seed 20000 $mode
	done
	reaches_start "Java $version" "$java"
	reaches_start "Java $version, C1" "$java" -XX:TieredStopAtLevel=1
	reaches_start "Java $version, interpreted" "$java" -Xint
done
