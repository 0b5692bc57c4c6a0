BEGIN { @[exit(0)] = count(); }
