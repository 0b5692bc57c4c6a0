BEGIN { printa("%@d", @nosuch); }
