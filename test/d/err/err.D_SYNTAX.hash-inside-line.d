BEGIN { # trace(1); }
