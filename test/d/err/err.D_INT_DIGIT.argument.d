/* @args: 08 */
BEGIN { trace($1); }
