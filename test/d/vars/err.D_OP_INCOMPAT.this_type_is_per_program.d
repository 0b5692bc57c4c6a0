dtrace:::BEGIN { this->x = 1; }
dtrace:::END { this->x = "s"; }
