BEGIN { printf("%.*s"); }
