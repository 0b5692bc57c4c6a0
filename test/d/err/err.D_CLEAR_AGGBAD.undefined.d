BEGIN { clear(@nosuch); }
