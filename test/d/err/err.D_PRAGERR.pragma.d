/* S C9 */
#pragma D error "not for this system"
BEGIN { }
