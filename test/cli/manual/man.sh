# SPDX-License-Identifier: BSD-2-Clause
# The examples of the manual page are run as they stand there.
. test/cli/helpers.inc
case $dtrace in /*) ;; *) dtrace=$PWD/$dtrace ;; esac
page=$PWD/man/dtrace.1
cd "$tmp" || exit 2
mkdir bin
ln -s "$dtrace" bin/dtrace
PATH=$tmp/bin:$PATH
echo 'BEGIN { exit(0); }' >script.d
sed -n '/^\.SH EXAMPLES/,/^\.SH "SEE/s/^\(dtrace .*\)$/\1/p' "$page" >examples
traces=$(dtrace -qn 'BEGIN { exit(0); }' 2>&1 >/dev/null)
while IFS= read -r line; do
	case "$line:$traces" in
	*" -e "*:*) ;;
	*:*privileges*) echo "ok - $line # SKIP $traces"; continue ;;
	esac
	if sh -c "$line" >out 2>&1 </dev/null; then echo "ok - $line"; else echo "not ok - $line: $(head -n 2 out)"; fi
done <examples
