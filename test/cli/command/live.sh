# SPDX-License-Identifier: BSD-2-Clause
# --live (N 8, N 9.12): the numbers on the screen, its keys, screens of any size, and a terminal that is restored however
# the command ends. The screen is that of tmux.
# alone
. test/cli/helpers.inc
may_trace "the live view"
run --live -n 'BEGIN { exit(0); }'
is "it is refused without a terminal" 1 'dtrace: --live draws on a terminal, and standard output is not one'
run --live -o "$tmp/file" -n 'BEGIN { exit(0); }'
is "and with -o" 2 'not valid in combination'
command -v tmux >/dev/null || { echo "ok - the live view # SKIP no tmux"; exit 0; }
export TMUX_TMPDIR="$tmp"
unset TMUX
screen=0	# each has a server of its own: one that ends and one that begins do not meet
trap 't kill-server; rm -rf "$tmp"' EXIT
t() { tmux -L live$screen -f /dev/null "$@" >"$tmp/out" 2>&1; }
shows() { t capture-pane -p; grep -q -e "$1" "$tmp/out"; }

cat >"$tmp/prog.d" <<'END'
BEGIN
{
	@many["zebra", 1] = sum(4711); @many["ant", 2] = sum(12); @many["horse", 3] = sum(99);
	@q["d"] = quantize(1); @q["d"] = quantize(2); @q["d"] = quantize(1000); @m["largest"] = max(31); @u[usym(1)] = count();
	printf("said once\n");
}
END
echo "BEGIN { $(for i in $(seq 100 160); do echo "@n[\"key$i\"] = sum($i);"; done) }" >"$tmp/keys.d"
cat >"$tmp/one" <<END
stty -g >"$tmp/before"
$dtrace --live "\$@"
echo \$? >"$tmp/status"
# after SIGKILL it is another process that restores the terminal, a moment later
until [ "\$(stty -g)" = "\$(cat "$tmp/before")" ]; do sleep 0.05; done
stty -g >"$tmp/after"
echo the end of it
exec sleep 1000
END
# live COLUMNS ROWS ARGS…: on a new screen; ended: until it has ended
live() {
	rm -f "$tmp/before" "$tmp/after" "$tmp/status"
	columns=$1 rows=$2
	shift 2
	t kill-server
	screen=$((screen + 1))
	t new-session -d -x "$columns" -y "$rows" "LC_ALL=C sh $tmp/one $*"
}
over() { [ -s "$tmp/after" ]; }
restored() {	# restored WHAT STATUS
	waits over && waits shows 'the end of it'
	[ "$(cat "$tmp/status")" = "$2" ] && ! grep -q 'q: end' "$tmp/out" &&
	    t display-message -p '#{alternate_on}#{cursor_flag}#{wrap_flag}' && grep -qx 011 "$tmp/out"
	check $? "$1"
}
signal() {	# to the dtrace of this screen
	t list-panes -F '#{pane_pid}'
	kill -"$1" "$(pgrep -P "$(cat "$tmp/out")" -x dtrace)"
}

live 80 24 -s "$tmp/prog.d"
waits shows '^ *4711  .* zebra  1$'
check $? "the number of an element"
grep -q 'VALUE  *.S  @many' "$tmp/out" && [ "$(grep -n zebra "$tmp/out" | cut -d : -f 1)" -lt "$(grep -n horse "$tmp/out" | cut -d : -f 1)" ] &&
    [ "$(grep -n horse "$tmp/out" | cut -d : -f 1)" -lt "$(grep -n ant "$tmp/out" | cut -d : -f 1)" ]
check $? "sorted by value, the largest first"
grep -q '^  *3  .* d  1 ## # 1023$' "$tmp/out"
check $? "a distribution: how many, and its picture"
grep -q '^  *31   *largest$' "$tmp/out"
check $? "max() has no rate"
waits shows 'said once'
check $? "what the program prints"
t send-keys s s
waits shows 'by key'
check $? "s sorts by rate, then by key"
[ "$(grep -n ant "$tmp/out" | cut -d : -f 1)" -lt "$(grep -n zebra "$tmp/out" | cut -d : -f 1)" ]
check $? "so it is"
t send-keys Space
waits shows PAUSED
check $? "space holds the picture"
t send-keys q
restored "q ends the trace and restores the terminal" 0
t capture-pane -p
grep -q '4711$' "$tmp/out"
check $? "the aggregations stay"

live 24 6 -s "$tmp/keys.d"
waits shows '160  .*key160'
check $? "a small screen has the largest"
! grep -q key155 "$tmp/out" && [ "$(grep -c key1 "$tmp/out")" = 4 ]
check $? "as many as fit"
t resize-window -x 60 -y 20
waits shows key145
check $? "and more when it has grown"
signal TERM
restored "SIGTERM" 0
live 1 1 -s "$tmp/keys.d"
t resize-window -x 80 -y 24
waits shows 'key160'
check $? "a screen of one character does no harm"
signal KILL
restored "SIGKILL" 137
live 80 24 -n "'BEGIN { @[\"x\"] = sum(815); } tick-1s { exit(3); } END { printf(\"at the end\"); }'"
restored "exit()" 3
t capture-pane -p
grep -q 'at the end' "$tmp/out" && grep -q '815$' "$tmp/out"
check $? "with what END prints"

# rates: a counter that is cleared each second, and one that grows
live 80 24 -n "'tick-20hz { @[\"twenty\"] = count(); }'"
rate() { shows twenty && awk '/twenty/ { found = $2 >= 10 && $2 <= 30 } END { exit !found }' "$tmp/out"; }
waits rate
check $? "what a second adds"
