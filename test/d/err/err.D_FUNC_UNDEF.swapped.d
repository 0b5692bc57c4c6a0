/* N B12 */
BEGIN { prinft("x"); }
