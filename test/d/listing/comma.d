/* The comma operator, and statements for their effect only. */
BEGIN { trace((x = 1, x + 1)); arg0; this->a = this->b = arg1; }
