/* Quiet: values bare, without blanks, newlines or names.
 * @quiet
 */
BEGIN { trace((char)-5); trace(" "); trace((unsigned short)60000); trace(" "); trace(-7); trace(" "); trace(-1L); trace("|"); trace((unsigned long)-1); trace("\n"); }
