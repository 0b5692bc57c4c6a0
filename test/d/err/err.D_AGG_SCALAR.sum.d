BEGIN { @ = sum("a"); }
