/* A constant 0 divisor of %. */
BEGIN { trace(pid % (1 - 1)); }
