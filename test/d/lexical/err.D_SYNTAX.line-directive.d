/* #line sets the line and the file of messages. */
#line 100 "elsewhere.d"

BEGIN { trace(1 +); }
