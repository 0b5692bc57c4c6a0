BEGIN { jstack(1, "a"); }
