BEGIN { switch (1) { case 1: trace(1); } }
