/*
 * this-> is zero when a firing starts, and is shared by the clauses of one firing in program order.
 * @quiet
 * @fire: t:::a
 * @fire: t:::a
 */
this int i;
this long j;
this string s;
t:::a { printf("start %d %d [%s]\n", this->i, this->j, this->s); }
t:::a { this->i = 4; this->j = 5; this->s = "five"; }
t:::a { printf("then %d %d [%s]\n", this->i, this->j, this->s); }
