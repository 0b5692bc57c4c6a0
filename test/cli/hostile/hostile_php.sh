# SPDX-License-Identifier: BSD-2-Clause
# An untrusted process that claims to be PHP, with frames, functions, classes and strings that are invalid or change
# while they are read: only its own names are lost.
. test/cli/helpers.inc
may_trace "invalid frames of PHP"
. test/cli/hostile/liar.inc
use_liar php_liar php8.2
right() { ! grep -F .php "$tmp/out" | grep -qvE '^ *(Liar::(lie|another|li\?\[3\?)|{main}) \(/liar\.php(:7)?\)$'; }

lies honest
tr -s ' \n' ' ' <"$tmp/out" | grep -qF "Liar::lie (/liar.php:7) {main} (/liar.php:7) " && native main
check $? "valid frames are shown"

for way in hash unhashed length long kind freed control empty high class nowhere code internal function none other; do
	goes_on $way
done
for way in line circle endless wild race; do
	is_limited $way
done
