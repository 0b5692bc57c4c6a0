# SPDX-License-Identifier: BSD-2-Clause
# make install: what is where, and that scripts which begin with #!/usr/sbin/dtrace find it (T 13).
build=${BUILD:-build}
. test/cli/helpers.inc
inst() { make -s -o all B="$build" DESTDIR="$tmp/root" PREFIX=/usr install >"$tmp/log" 2>&1; }	# what is built already

inst
check $? "make install"
[ -x "$tmp/root/usr/bin/dtrace" ] && [ -e "$tmp/root/usr/lib/libdtrace.so.0" ] && [ -e "$tmp/root/usr/share/man/man1/dtrace.1" ]
check $? "command, library, manual page"
[ -s "$tmp/root/usr/share/man/man7/dtrace-options.7" ] && [ -s "$tmp/root/usr/share/man/man7/dtrace-providers.7" ] &&
    [ -s "$tmp/root/usr/share/man/man7/d.7" ] && [ -s "$tmp/root/usr/share/doc/dtrace/guide/reference-d.md" ]
check $? "the reference pages and the guide"
missing=
for link in $(grep -ho '](\([^)#:]*\)' "$tmp/root/usr/share/doc/dtrace/guide/"*.md | cut -c3- | sort -u); do
	[ -e "$tmp/root/usr/share/doc/dtrace/guide/$link" ] || missing="$missing $link"
done
[ -z "$missing" ]
check $? "links of the installed guide lead somewhere$missing"
[ -x "$tmp/root/usr/sbin/execsnoop" ] && [ -s "$tmp/root/usr/share/man/man8/execsnoop.8" ] &&
    head -n 1 "$tmp/root/usr/sbin/execsnoop" | grep -qx '#!/usr/sbin/dtrace --tool' && [ -s "$tmp/root/usr/share/doc/dtrace/tools/execsnoop.txt" ]
check $? "the tools, their manual pages and examples"
share=$tmp/root/usr/share
[ -s "$share/bash-completion/completions/plockstat" ] && [ -s "$share/bash-completion/completions/execsnoop" ] &&
    [ -s "$share/fish/vendor_completions.d/execsnoop.fish" ] && grep -q '^#compdef dtrace.* lockstat.* execsnoop' "$share/zsh/site-functions/_dtrace" &&
    [ -s "$share/vim/vimfiles/syntax/dtrace.vim" ] && [ -s "$share/vim/vimfiles/ftplugin/dtrace.lua" ] && [ -s "$share/dtrace/vscode/package.json" ] &&
    bash -c 'complete() { echo "$*"; }; source "$1"' bash "$share/bash-completion/completions/execsnoop" 2>/dev/null | grep -q ' execsnoop$'
check $? "completion and syntax files"
make -s -o all B="$build" DESTDIR="$tmp/local" PREFIX=/usr/local install >"$tmp/log" 2>&1 &&
    head -n 1 "$tmp/local/usr/local/sbin/execsnoop" | grep -qx '#!/usr/local/sbin/dtrace --tool'
check $? "the tools run the dtrace of their own prefix"
"$tmp/root/usr/sbin/dtrace" -e -n 'BEGIN { trace(1); }' >"$tmp/log" 2>&1
check $? "sbin/dtrace is the same command"
for name in dtruss lockstat plockstat; do
	"$tmp/root/usr/sbin/$name" >"$tmp/log" 2>&1
	[ $? -eq 2 ] && grep -qi usage "$tmp/log" && [ -e "$tmp/root/usr/share/man/man1/$name.1" ]
	check $? "$name, and its manual page"
done
rm -rf "$tmp/root" && mkdir -p "$tmp/root/usr/bin" && ln -s bin "$tmp/root/usr/sbin"
inst && [ ! -L "$tmp/root/usr/bin/dtrace" ] && "$tmp/root/usr/sbin/dtrace" -e -n BEGIN >"$tmp/log" 2>&1
check $? "where sbin and bin are one folder"
# A tool is run by its name: the kernel hands the words behind it to dtrace.
make -s -o all B="$build" PREFIX="$tmp/here" install >"$tmp/log" 2>&1
if "$tmp/here/sbin/dtrace" -qn 'BEGIN { exit(0); }' >"$tmp/log" 2>&1; then
	"$tmp/here/sbin/execsnoop" -c "sh -c '/bin/true 12345; exit 0'" -n true >"$tmp/log" 2>&1 && grep -q ' /bin/true 12345$' "$tmp/log"
	check $? "tools are run by their name, with options and operands"
else
	echo "ok - tools are run by their name # SKIP $(head -n 1 "$tmp/log")"
fi
