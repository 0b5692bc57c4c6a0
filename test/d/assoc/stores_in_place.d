/*
 * E7: arrays whose elements are never freed are stored to in place; one that a later clause frees is not.
 * @quiet
 */
BEGIN { n[1]++; n[1]++; n[2]++; b[3] = 7; b[3] = 9; z[1]++; z[1]++; m[1] = -1; m[1]++; m[1]++; }
BEGIN { n[1] += 10; n[2] = 5 + n[2]; z[2] = 4; z[1] = 0; }
BEGIN { z[1]++; }
BEGIN { printf("%d %d %d %d %d %d\n", n[1], n[2], b[3], z[1], z[2], m[1]); exit(0); }
