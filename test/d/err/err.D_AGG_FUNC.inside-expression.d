BEGIN { x = (@a = count()); }
