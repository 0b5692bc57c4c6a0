# SPDX-License-Identifier: BSD-2-Clause
# Completion of bash, zsh and fish (N 9.13): in a real bash and zsh, whose screen is that of tmux.
. test/trigger/trace.sh
is_complete() {	# is_complete WHAT DESCRIPTION LINE…: what dtrace says, all of it
	what=$1 word=$2
	shift 2
	run --complete "$word"
	for line; do echo "$line"; done >"$tmp/want"
	cmp -s "$tmp/want" "$tmp/out"
	check $? "$what"
}
bash -n completion/dtrace.bash 2>"$tmp/err"
check $? "the syntax for bash"
for shell in zsh fish; do
	file=completion/_dtrace
	[ $shell = zsh ] || file=completion/dtrace.fish
	if command -v $shell >/dev/null; then
		$shell -n $file 2>"$tmp/err"
		check $? "the syntax for $shell"
	else
		echo "ok - the syntax for $shell # SKIP no $shell"
	fi
done
may_trace "completion of probes"
is_complete "a provider" sysca syscall:
is_complete "a function, with the parts before it" syscall::getppi syscall::getppid:
is_complete "names" syscall:vmlinux:getppid: syscall:vmlinux:getppid:entry syscall:vmlinux:getppid:return
is_complete "a name that is used alone" BEG BEGIN
is_complete "parts that are empty" profile: profile::
run --complete a:b:c:d:e
[ ! -s "$tmp/out" ] && [ "$status" = 1 ]
check $? "too many parts"

mkdir "$tmp/bin"
for name in dtrace lockstat plockstat; do ln -s "$(realpath "$dtrace")" "$tmp/bin/$name"; done
PATH="$tmp/bin:$PATH"
export PATH
if command -v fish >/dev/null; then
	fishes() {	# fishes LINE WAY: it is among them
		HOME=$tmp fish --no-config -c "source completion/dtrace.fish; complete -C \"$1\"" >"$tmp/out" 2>"$tmp/err"
		cut -f 1 "$tmp/out" | grep -qx -e "$2"
		check $? "fish: $1"
	}
	fishes 'dtrace -n sysc' syscall:
	fishes "dtrace -n 'syscall::getppi" syscall::getppid:
	fishes 'dtrace -qn BEGIN,syscall::getppid:e' BEGIN,syscall::getppid:entry
	fishes 'dtrace -P prof' profile
	fishes 'dtrace -x encoding=u' encoding=utf8
	fishes 'dtrace -x aggr' aggrate=
	fishes 'dtrace --do' --doctor
	fishes 'dtrace -s READ' README.md
	fishes 'dtrace -p 1' 1
	fishes 'lockstat -' -C
else
	echo "ok - fish # SKIP no fish"
fi

command -v tmux >/dev/null || { echo "ok - completion in a shell # SKIP no tmux"; exit 0; }
export TMUX_TMPDIR="$tmp"
unset TMUX
shell=bash
trap 't kill-server; shell=bash; t kill-server; rm -rf "$tmp"' EXIT
t() { tmux -L $shell -f /dev/null "$@" >"$tmp/out" 2>&1; }
shows() { t capture-pane -p; grep -qxF -e "$1" "$tmp/out"; }
begun() { t capture-pane -p; [ "$(grep . "$tmp/out" | tail -n 1 | tr -d ' ')" = '>' ]; }
typed() {	# typed TEXT LINE: what the line becomes with a tab; then it is removed
	t send-keys -l "$1"
	t send-keys Tab
	waits shows "> $2"
	check $? "$shell: $1"
	t send-keys C-u
	waits begun
}
both() {
	typed 'dtrace -qn syscall::getppid:en' 'dtrace -qn syscall::getppid:entry'
	typed 'dtrace -x encod' 'dtrace -x encoding='
	typed 'dtrace -x encoding=u' 'dtrace -x encoding=utf8'
	typed 'dtrace -P prof' 'dtrace -P profile'
	typed 'dtrace -f syscall::getppi' 'dtrace -f syscall::getppid'
	typed 'dtrace --doct' 'dtrace --doctor'
	typed 'dtrace -O fla' 'dtrace -O flame'
	typed 'dtrace --list opt' 'dtrace --list options'
	typed 'dtrace -s READ' 'dtrace -s README.md'
	typed 'dtrace -n BEG' 'dtrace -n BEGIN'
	typed 'lockstat -x encod' 'lockstat -x encoding='
}
cat >"$tmp/rc" <<END
PS1='> '
bind 'set bell-style none'
source completion/dtrace.bash
END
t new-session -d -x 100 -y 20 "bash --noprofile --rcfile $tmp/rc -i"
waits begun
typed 'dtrace -n sysc' 'dtrace -n syscall:vmlinux:'
typed "dtrace -n 'syscall::getppi" "dtrace -n 'syscall::getppid:"
typed "dtrace -n 'syscall::getppid:e" "dtrace -n 'syscall::getppid:entry"
typed 'dtrace -n BEGIN,syscall::getppi' 'dtrace -n BEGIN,syscall::getppid:'
both
command -v zsh >/dev/null || { echo "ok - completion in zsh # SKIP no zsh"; exit 0; }
shell=zsh
cat >"$tmp/.zshrc" <<END
PS1='> '
fpath=($PWD/completion \$fpath)
autoload -Uz compinit && compinit -u -d "$tmp/dump"
END
t new-session -d -x 100 -y 20 "ZDOTDIR=$tmp zsh -i"
waits begun
typed 'dtrace -n sysc' 'dtrace -n syscall:'
both
