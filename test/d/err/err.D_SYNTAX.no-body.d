/* P 4w */
BEGIN
int i;
