/* @skip-unless: test -r /sys/kernel/btf/vmlinux */
BEGIN { trace((enum pid_type)PIDTYPE_NOBODY); }
