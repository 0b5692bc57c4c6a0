/* @skip-unless: grep -q ' _etext$' /proc/kallsyms */
BEGIN { trace(`_etext); }
