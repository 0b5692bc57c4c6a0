/* A struct ends with its brace; enumerators have their type; members without a name; bytes that are no text (S F). */
#pragma D option quiet
enum simpson { homer, marge, bart };
struct layout {
	int n;
	struct { int x; union { short s; char c; }; };
	char text[4], raw[3], full[2], empty[2];
};
struct layout v;
BEGIN
{
	v.n = 1; v.x = 2; v.s = 0x41; v.text[0] = 'o'; v.text[1] = 'k'; v.raw[0] = 4; v.full[0] = 'a'; v.full[1] = 'b';
	print(v);
	printf("|\n");
	print(bart);
	print(v.n);
	print(v.raw);
}
