/* @flags: -Z -L test/data/noxlator */
noxlator:::start { trace(args[0].m); }
