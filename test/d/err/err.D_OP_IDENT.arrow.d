BEGIN { trace(curthread->(pid)); }
