/*
 * A variable that both use has the type of the actions.
 * @quiet
 * @fire: t:::a
 * @fire: t:::a
 */
t:::a /!self->seen/ { self->seen = (char)1; printf("once %d\n", sizeof (self->seen)); }
