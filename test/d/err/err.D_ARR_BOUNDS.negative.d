int a[3];
BEGIN { trace(a[-1]); }
