BEGIN { pid(1); }
