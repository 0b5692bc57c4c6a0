BEGIN { --2; }
