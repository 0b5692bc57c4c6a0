# SPDX-License-Identifier: BSD-2-Clause
# dtrace --lsp: a client of our own, which also sends malformed messages, Neovim's client, and the extension for VS Code with a
# stand-in for the editor.
. test/cli/helpers.inc
web=${dtrace%/*}/dtrace-web
if [ ! -x "$web" ] || ! command -v python3 >/dev/null; then
	echo "ok - the language server # SKIP dtrace-web is not built, or there is no python3"
	exit 0
fi
export XDG_CACHE_HOME="$tmp/cache of 1"
mkdir "$tmp/lib"
cat >"$tmp/lib/own.d" <<'D'
inline int OWN_LIMIT = 4;
struct own_pair { int own_first; };
D
cat >"$tmp/script.d" <<'D'
#!/usr/sbin/dtrace -qs
/* käse 😀 */ inline int LIMIT = 3;
syscall::open*:entry
/pid == $target && LIMIT > 2/
{
	self->t = timestamp;
	@opens["käse😀", execnam] = count();
}
proc:::exec-success { trace(O_CREAT); trace(curpsinfo->pr_fname); trace(OWN_LIMIT); }
syscall::re
D
timeout 120 python3 test/cli/web/lsp_client.py "$tmp" "$dtrace" --lsp -L "$tmp/lib" >"$tmp/log" 2>&1
status=$?
grep '^ok\|^not ok' "$tmp/log"
grep -q '^not ok' "$tmp/log" && sed -n '/^ok/!p' "$tmp/log" | sed 's/^/  /'
check $status "a client of our own, to its end"
[ "$(sed -n 1p "$tmp/cache of 1/dtrace/fcntl.d" | wc -l)" -eq 1 ] && [ ! -w "$tmp/cache of 1/dtrace/fcntl.d" -o "$(id -u)" -eq 0 ]
check $? "a library that is in no file is one then"

# malformed input ends the server or is refused; the server never hangs
refused() {	# refused WHAT STATUS PATTERN: of what comes on standard input
	timeout 60 "$dtrace" --lsp >"$tmp/out" 2>"$tmp/err"
	[ $? -eq "$2" ] && { [ -z "$3" ] || grep -q "$3" "$tmp/out"; }
	check $? "$1"
}
message() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
printf '' | refused "no input at all" 1 ''
[ -s "$tmp/out" ] && bad "… is answered by nothing"
printf 'hello\r\n\r\n' | refused "no length" 1 ''
head -c 100000 /dev/zero | refused "no head" 1 ''
printf 'Content-Length: 99999999999\r\n\r\n{}' | refused "a message that is too long" 1 ''
message '{"jsonrpc":"2.0"' | refused "no JSON" 1 '"code":-32700'
message '{"jsonrpc":"2.0","id":7,"method":"textDocument/hover"}' | refused "before initialize" 1 '"id":7,"error":{"code":-32002'
{
	message '{"jsonrpc":"2.0","id":"a\u0062","method":"initialize","params":{}}'
	message '{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///none"}}}'
	message '{"jsonrpc":"2.0","id":3,"method":"shutdown"}'
	message '{"jsonrpc":"2.0","id":4,"method":"textDocument/hover"}'
	message '{"jsonrpc":"2.0","method":"exit"}'
} | refused "the status after shutdown and exit" 0 '"id":4,"error":{"code":-32600'
grep -q '"id":"a\\u0062","result"' "$tmp/out" && grep -q '"id":2,"error":{"code":-32602' "$tmp/out"
check $? "an id comes back as it was; a text that is not open is refused"

if command -v nvim >/dev/null; then
	cp "$tmp/script.d" "$tmp/nvim.d"
	LSP_DTRACE=$(readlink -f "$dtrace") LSP_LIB="$tmp/lib" LSP_OUT="$tmp/seen" HOME="$tmp" timeout 120 nvim --headless -u NONE -i NONE \
	    -c "set rtp^=$PWD/editor/vim" -c "luafile test/cli/web/lsp_nvim.lua" "$tmp/nvim.d" </dev/null >"$tmp/log" 2>&1
	for what in 'diagnostic 6 .*failed to resolve execnam' 'hover .*uint64_t timestamp' 'definition .*/fcntl.d' 'complete .*execname' 'complete .*syscall:vmlinux:read:entry'; do
		grep -q "$what" "$tmp/seen" 2>/dev/null
		check $? "Neovim: $what"
	done
else
	ok "Neovim # SKIP there is none"
fi
if command -v node >/dev/null; then
	timeout 120 node test/cli/web/lsp_vscode.mjs "$PWD/editor/vscode/extension.js" "$tmp/script.d" "$(readlink -f "$dtrace")" "$tmp/lib" >"$tmp/log" 2>&1
	status=$?
	grep '^ok\|^not ok' "$tmp/log"
	check $status "the extension for VS Code, to its end"
else
	ok "the extension for VS Code # SKIP there is no node"
fi
