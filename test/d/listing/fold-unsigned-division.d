/* Division folds in the operands' common type. */
BEGIN { trace(-1 / 2u); }
