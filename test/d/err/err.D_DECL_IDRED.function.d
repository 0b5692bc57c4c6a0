int strlen;
