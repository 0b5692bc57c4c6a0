/* An aggregation nothing was added to prints nothing. */
BEGIN /0/ { @never = count(); }
BEGIN { printa(@never); printa("%@d\n", @never); clear(@never); trunc(@never); normalize(@never, 2); trace("fine"); }
