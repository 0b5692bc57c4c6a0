/* The name of a plain global says nothing of what it is: it has to be known. */
BEGIN /!x/ { }
