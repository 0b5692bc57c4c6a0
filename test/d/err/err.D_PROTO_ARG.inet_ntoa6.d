/* P 4.17 */
BEGIN { trace(inet_ntoa6((int *)0)); }
