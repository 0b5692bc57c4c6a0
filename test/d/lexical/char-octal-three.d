/*
 * An octal escape ends after three digits.
 * @quiet
 */
BEGIN { printf("%x %x\n", '\1011', '\0601'); }
