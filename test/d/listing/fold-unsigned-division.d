/* Division folds in 64 bits, with the sign of the operands' common type. */
BEGIN { trace(-1 / 2u); }
