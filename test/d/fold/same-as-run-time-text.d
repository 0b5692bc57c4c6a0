/*
 * Folded and computed: text compared with no text (P6: predicates of tools ask whether $$1 is given).
 * @quiet
 */
string none; string some;
BEGIN
{
	none = ""; some = "a";
	printf("%d%d %d%d %d%d\n", "" == "", none == "", "" != "", none != "", "a" == "", some == "");
	printf("%d%d %d%d %d%d\n", "" < "a", none < some, "a" <= "", some <= none, "a" > "", some > none);
	printf("%d%d %d%d\n", "" >= "a", none >= some, "" >= "", none >= none);
}
