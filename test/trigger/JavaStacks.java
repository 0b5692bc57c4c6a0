// SPDX-License-Identifier: BSD-2-Clause
/*
 * Threads that call each other in a random order, by all ways that Java has, and then wait in read() of a FIFO, so
 * that what they are in is known: JavaStacks FIFO THREADS DEPTH SEED WARM. They do the same without waiting for
 * WARM times first, so that the virtual machine compiles what they call, and inlines it; then "ready" is printed, and
 * a byte of the input lets them go on.
 */
import java.io.FileInputStream;
import java.lang.reflect.Method;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntUnaryOperator;

public class JavaStacks {
	static volatile long sink;
	final Random random;
	final FileInputStream in;
	boolean waits;

	JavaStacks(FileInputStream in, long seed) { this.in = in; random = new Random(seed); }

	interface Step { int go(JavaStacks s, int left) throws Exception; }
	static class Plain implements Step {
		public int go(JavaStacks s, int left) throws Exception { return s.next(left) + 1; }
	}
	static class Tried implements Step {
		public int go(JavaStacks s, int left) throws Exception {
			try {
				return s.next(left) + 2;
			} finally {
				sink++;
			}
		}
	}
	static class Locked implements Step {
		public synchronized int go(JavaStacks s, int left) throws Exception { return s.next(left) + 3; }
	}
	static class Wide implements Step {
		int many(JavaStacks s, int left, long a, double b, long c, double d, int e, int f, long g, long h) throws Exception {
			int r = s.next(left);
			return r + (int) (a + b + c + d + e + f + g + h);
		}
		public int go(JavaStacks s, int left) throws Exception { return many(s, left, 1, 2, 3, 4, 5, 6, 7, 8); }
	}

	/* the virtual machine is asked, by native code, to call Java */
	public static int reflected(JavaStacks s, int left) throws Exception { return s.next(left) + 4; }
	static final Method method;
	static {
		try {
			method = JavaStacks.class.getMethod("reflected", JavaStacks.class, int.class);
		} catch (Exception e) {
			throw new Error(e);
		}
	}

	static int small(JavaStacks s, int left) throws Exception { return s.next(left); }
	static int smaller(JavaStacks s, int left) throws Exception { return small(s, left) + 5; }

	/* a local one for each thread, whose locks are not shared */
	final Step[] steps = { new Plain(), new Tried(), new Locked(), new Wide(), new Plain() };

	int lambda(int left) {
		IntUnaryOperator f = n -> {
			try {
				return next(n);
			} catch (Exception e) {
				throw new RuntimeException(e);
			}
		};
		return f.applyAsInt(left);
	}

	int next(int left) throws Exception {
		if (left == 0)
			return end();
		switch (random.nextInt(8)) {
		case 0: return smaller(this, left - 1);
		case 1: return lambda(left - 1);
		case 2: return random.nextInt(4) == 0 ? (Integer) method.invoke(null, this, left - 1) : small(this, left - 1);
		default: return steps[random.nextInt(steps.length)].go(this, left - 1);
		}
	}

	int end() throws Exception { return waits ? in.read() : 1; }

	public static void main(String[] a) throws Exception {
		int threads = Integer.parseInt(a[1]), depth = Integer.parseInt(a[2]), warm = Integer.parseInt(a[4]);
		long seed = Long.parseLong(a[3]);
		FileInputStream in = new FileInputStream(a[0]);
		CountDownLatch done = new CountDownLatch(threads), go = new CountDownLatch(1);

		for (int i = 0; i < threads; i++) {
			long own = seed * 1000 + i;

			Thread t = new Thread(() -> {
				try {
					JavaStacks s = new JavaStacks(in, own);

					for (int k = 0; k < warm; k++)
						s.next(s.random.nextInt(12));
					s.waits = true;
					done.countDown();
					go.await();
					s.next(s.random.nextInt(depth));
				} catch (Throwable e) {
					System.out.println(e);
				}
			}, "deep" + i);
			t.setDaemon(true);
			t.start();
		}
		done.await();
		System.out.println("ready");
		System.in.read();
		go.countDown();
		Thread.sleep(Long.MAX_VALUE);
	}
}
