/*
 * Macros in each part of a description.
 * @quiet
 * @args: t mod 4
 * @fire: t:mod:f:n4
 * @fire: t:mod:f:n5
 * @fire: u:mod:f:n4
 */
$1:$2::n$3 { printf("%s %s\n", probeprov, probename); }
$1:::n$$3 { printf("again %s\n", probename); }
