/* ! and !! */
BEGIN { trace(!arg0); trace(!!arg0); trace(!(arg0 == arg1)); }
