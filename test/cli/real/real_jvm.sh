#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A Java machine: sleeps, writes of four threads, collections and methods, by functions of its libraries and of libc, by
# system calls and by its static probes, beside what the program measures by System.nanoTime() and the machine counts
# itself, and beside bpftrace at the same time (test/trigger/real.sh).
# slow: left out of `make check`
# alone
. test/cli/helpers.inc
may_trace "Java"
if ! command -v javac >/dev/null || ! command -v java >/dev/null; then
	ok "Java # SKIP no Java here"
	exit 0
fi
what=Java
. test/trigger/real.sh

cat >"$tmp/Real.java" <<'END'
import java.io.FileOutputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

public class Real {
	interface Call { void run() throws Exception; }
	static final byte[] bytes = new byte[4711];	/* nothing else here writes as many at once */

	static long timed(int times, Call call) throws Exception {
		long spent = 0;
		for (int i = 0; i < times; i++) {
			long began = System.nanoTime();
			call.run();
			spent += System.nanoTime() - began;
		}
		return spent;
	}
	static void slow() throws Exception { Thread.sleep(5); }
	static long collections() {
		long n = 0;
		for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans())
			n += bean.getCollectionCount();
		return n;
	}
	public static void main(String[] a) throws Exception {
		long[] spent = new long[4];
		Thread[] threads = new Thread[4];
		FileOutputStream out = new FileOutputStream("/dev/null");

		timed(1, Real::slow);
		out.write(bytes);
		collections();
		System.out.println("up");
		System.in.read();
		System.out.println("sleep 20 " + timed(20, () -> Thread.sleep(10)));
		System.out.println("slow 20 " + timed(20, Real::slow));
		for (int i = 0; i < 4; i++) {
			int me = i;
			threads[i] = new Thread(() -> {
				try {
					spent[me] = timed(1000 * (me + 1), () -> out.write(bytes));
				} catch (Exception e) {
					System.out.println(e);
				}
			}, "writer-" + i);
			threads[i].start();
		}
		for (Thread t : threads)
			t.join();
		System.out.println("write 10000 " + (spent[0] + spent[1] + spent[2] + spent[3]));
		long before = collections();
		long collecting = timed(5, System::gc);
		System.out.println("gc " + (collections() - before) + " " + collecting);
		System.out.println("done");
		System.in.read();
	}
}
END
javac -d "$tmp" "$tmp/Real.java" >"$tmp/err" 2>&1 || { bad "Java: a program of our own"; exit 1; }
# a heap in which the program itself never makes a collection necessary
run_victim java -XX:+ExtendedDTraceProbes -XX:+UseSerialGC -Xms64m -Xmx64m -cp "$tmp" Real
jvm=$(mapped libjvm.so)
watch_by_peer "$jvm" JVM_Sleep
# libjava's function may end with a jump: it is left before it writes.
cat >"$tmp/java.d" <<'END'
#pragma D option quiet
pid$target:libjvm.so:JVM_Sleep:entry { self->t = timestamp; }
pid$target:libjvm.so:JVM_Sleep:return /self->t/ {
	@sleeps = count(); @slept = sum(timestamp - self->t); @least = min(timestamp - self->t); self->t = 0;
}
pid$target:libjava.so:Java_java_io_FileOutputStream_writeBytes:entry /arg4 == 4711/ { @natives = count(); self->j = timestamp; }
pid$target:libc*:write:entry /self->j && arg2 == 4711/ { self->w = timestamp; }
syscall::write:entry /self->w && arg2 == 4711/ { self->k = timestamp; }
syscall::write:return /self->k/ { @kwrites = count(); @kwrote = sum(timestamp - self->k); self->k = 0; }
pid$target:libc*:write:return /self->w/ {
	@writes = count(); @wrote = sum(timestamp - self->w); @bytes = sum(arg1); @who[tid] = count(); self->w = 0;
	@native = sum(timestamp - self->j); self->j = 0;
}
pid$target:libjvm.so:JVM_GC:entry { self->c = timestamp; }
pid$target:libjvm.so:JVM_GC:return /self->c/ { @asked = count(); @asking = sum(timestamp - self->c); self->c = 0; }
END {
	printa("sleeps %@d\n", @sleeps); printa("slept %@d\n", @slept); printa("least %@d\n", @least);
	printa("kwrites %@d\n", @kwrites); printa("kwrote %@d\n", @kwrote);
	printa("writes %@d\n", @writes); printa("wrote %@d\n", @wrote); printa("bytes %@d\n", @bytes); printa("thread %@d\n", @who);
	printa("natives %@d\n", @natives); printa("native %@d\n", @native); printa("asked %@d\n", @asked); printa("asking %@d\n", @asking);
}
tick-10ms /!live_/ { live_ = 1; printf("ready\n"); }
END
# Collections are made by a thread of the machine's own, one at a time.
if has_probe "$jvm" thread__sleep__begin; then cat >>"$tmp/java.d" <<'END'
uint64_t g;
hotspot$target:::thread-sleep-begin { self->s = timestamp; @asks[arg0] = count(); }
hotspot$target:::thread-sleep-end /self->s/ { @begun = count(); @inner = sum(timestamp - self->s); self->s = 0; }
hotspot$target:::thread-start /strstr(copyinstr(arg0, arg1 + 1), "writer-") != NULL/ { @started = sum(arg3 == tid); }
hotspot_jni$target:::GetByteArrayRegion-entry /arg3 == 4711/ { @copies = count(); }
hotspot$target:::gc-begin { g = timestamp; }
hotspot$target:::gc-end /g/ { @gcs = count(); @gc = sum(timestamp - g); g = 0; }
hotspot$target:::method-entry /copyinstr(arg3, arg4 + 1) == "slow"/ { self->m = timestamp; @class[copyinstr(arg1, arg2 + 1)] = count(); }
hotspot$target:::method-return /self->m && copyinstr(arg3, arg4 + 1) == "slow"/ {
	@methods = count(); @method = sum(timestamp - self->m); @leastm = min(timestamp - self->m); self->m = 0;
}
END {
	printa("asks %d %@d\n", @asks); printa("begun %@d\n", @begun); printa("inner %@d\n", @inner); printa("started %@d\n", @started); printa("copies %@d\n", @copies);
	printa("gcs %@d\n", @gcs); printa("gc %@d\n", @gc); printa("class %s %@d\n", @class);
	printa("methods %@d\n", @methods); printa("method %@d\n", @method); printa("leastm %@d\n", @leastm);
}
END
fi
trace_victim "$tmp/java.d"

own=$(($(spent sleep) + $(spent slow)))
# 20 sleeps of 10 ms, 20 of 5 ms
[ "$(got sleeps)" = 40 ] && [ "$(got least)" -ge 5000000 ] && inside 300000000 "$(got slept)" "$own"
check $? "Java: 40 sleeps, JVM_Sleep() $(got slept) ns in the program's own $own"
check_writes
[ "$(got natives)" = 10000 ]
check $? "Java: as many writes come through libjava"
inside "$(got kwrote)" "$(got wrote)" "$(got native)" "$(spent write)"
check $? "Java: time in the call, $(got kwrote) ns, in write(), $(got wrote), from libjava on, $(got native), by its own clock, $(spent write)"
[ "$(said gc)" = 5 ] && [ "$(got asked)" = 5 ] && inside "$(got asking)" "$(spent gc)"
check $? "Java: System.gc() 5 times, JVM_GC() $(got asking) ns in the program's own $(spent gc)"
if has_probe "$jvm" thread__sleep__begin; then
	[ "$(got asks | tr '\n' ' ')" = "5 20 10 20 " ] && [ "$(got begun)" = 40 ] && inside 300000000 "$(got inner)" "$(got slept)"
	check $? "Java: thread-sleep-begin tells how long, and to -end it takes $(got inner) ns"
	[ "$(got started)" = 4 ]
	check $? "Java: thread-start in the threads themselves, with their numbers"
	[ "$(got copies)" = 10000 ]
	check $? "Java: GetByteArrayRegion-entry, once a write"
	[ "$(got gcs)" = "$(said gc)" ] && inside "$(got gc)" "$(got asking)"
	check $? "Java: gc-begin to gc-end as often as the machine's bean counts, $(got gc) ns"
	[ "$(got class)" = "Real 20" ] && [ "$(got methods)" = 20 ] && [ "$(got leastm)" -ge 5000000 ] && inside 100000000 "$(got method)" "$(spent slow)"
	check $? "Java: a method, 20 times, $(got method) ns in the program's own $(spent slow)"
else
	ok "Java: its own probes # SKIP no static probes in it"
fi
check_peer 300000000 "$own"
exit 0
