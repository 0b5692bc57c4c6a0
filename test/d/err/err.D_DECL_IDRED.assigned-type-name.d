typedef int mine;
BEGIN { mine = 1; }
