t$9:::n { trace(1); }
