/*
 * @quiet
 */
dtrace:::BEGIN { printf("%s %s [%s] %d\n", toupper("aBc1z{"), tolower("AbC1Z["), toupper(""), strlen(tolower("\311"))); }
