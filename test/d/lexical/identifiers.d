/*
 * Names may hold underscores and digits, and differ by case.
 * @quiet
 */
BEGIN
{
	_ = 1; __x9 = 2; X = 3; x = 4; aVeryLongNameThatGoesOnAndOnAndOnForMoreThanThirtyTwoCharacters = 5;
	printf("%d %d %d %d %d\n", _, __x9, X, x, aVeryLongNameThatGoesOnAndOnAndOnForMoreThanThirtyTwoCharacters);
	intx = 6; iffy = 7; selfish = 8; this_ = 9; sizeofx = 10;
	printf("%d %d %d %d %d\n", intx, iffy, selfish, this_, sizeofx);
}
