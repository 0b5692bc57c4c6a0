/*
 * @quiet
 * @fire: prov:mod1:func_read:entry
 * @fire: prov:mod2:func_write:return
 * @fire: other:m:f:entry
 */
prov:mod?:: { printf("1 %s\n", probemod); }
*::*read: { printf("2 %s\n", probefunc); }
::func_*:[er]* { printf("3 %s\n", probename); }
pro[a-z]:mod[!1]:: { printf("4 %s\n", probemod); }
*:*:*:entry { printf("5 %s\n", probeprov); }
::: { printf("6 %s\n", probeprov); }
prov:mod[2-9]::re*n { printf("7 %s\n", probename); }
