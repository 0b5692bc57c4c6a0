BEGIN { @a = count(); printa(1, @a); }
