BEGIN { this->a = 1; }
END { this->a = "x"; }
