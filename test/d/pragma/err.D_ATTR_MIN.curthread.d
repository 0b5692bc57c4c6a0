/* @flags: -x amin=Evolving/Evolving/Common */
dtrace:::BEGIN { trace((uint64_t)curthread); }
