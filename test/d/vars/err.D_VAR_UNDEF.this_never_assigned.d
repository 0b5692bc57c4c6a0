dtrace:::BEGIN { trace(this->nothing); }
