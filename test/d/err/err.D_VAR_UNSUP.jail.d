BEGIN { trace(jailname); }
