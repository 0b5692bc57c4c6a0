/* nspec as a pragma. */
#pragma D option nspec=2
BEGIN { printf("%d %d %d", speculation(), speculation(), speculation()); }
