BEGIN /1/ /2/ { trace(1); }
