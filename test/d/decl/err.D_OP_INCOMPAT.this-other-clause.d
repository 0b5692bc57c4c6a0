/* this->a has one type in the whole program. */
BEGIN { this->a = 1; }
END { this->a = "x"; }
