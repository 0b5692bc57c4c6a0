/* P6: text compared with no text costs nothing when the program runs; other texts are compared then. */
syscall:::entry /"" == "" || execname == ""/ { trace("a" == ""); }
syscall:::entry { trace("a" == "b"); }
