# SPDX-License-Identifier: BSD-2-Clause
# Completion of bash, zsh and fish (N 9.13): in real shells, whose screen is that of tmux.
# A1: names of processes, static probes, functions and files that are commands of a shell, typed into each shell; none is run.
# slow: shells are typed into and waited for; what they show does not depend on the compiler
. test/cli/helpers.inc
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
shell=bash victims=
clean_up() {
	for shell in bash zsh fish; do t kill-server; done
	for p in $victims; do kill "$p"; done 2>/dev/null
	rm -rf "$tmp"
}
trap clean_up EXIT
t() { tmux -L $shell -f /dev/null "$@" >"$tmp/out" 2>&1; }
shows() { t capture-pane -p; grep -qxF -e "$1" "$tmp/out"; }
cleared() { t capture-pane -p; [ "$(grep . "$tmp/out" | tr -d ' ')" = '>' ]; }
given_up() { t send-keys C-c; sleep 0.1; begun; }
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

# A1. Each name, if a shell takes it as it is, creates the file pwned. The dtrace of these lines answers questions and traces nothing.
mkdir "$tmp/asked" "$tmp/work"
printf '#!/bin/sh\ncase $1 in --*) exec "%s" "$@" ;; esac\n' "$(realpath "$dtrace")" >"$tmp/asked/dtrace"
for name in dtruss plockstat lockstat iosnoop; do printf '#!/bin/sh\n' >"$tmp/asked/$name"; done
chmod 755 "$tmp"/asked/*
mkfifo "$tmp/never"
stays() {	# stays NAME: a process of that name, until it is killed
	sh -c 'printf %b "$1" >/proc/$$/comm; read -r x <"$2"' sh "$1" "$tmp/never" &
	victims="$victims $!"
}
renamed() { ! cat $(printf '/proc/%s/comm ' $victims) | grep -qx sh; }
stays 'zpsemi;>pwned;'
stays 'zptick`>pwned`'
stays 'zpd$(>pwned)'
stays "zpq';>pwned;'"
stays 'zpdq";>pwned;"'
stays 'zpline\n>pwned\n'
stays 'zpplain'
screen=0 other=10
until [ "${screen%?}" = "${other%?}" ]; do	# so that there is a list of ids, with names
	stays 'zp\033[2J\0302\0233!'
	screen=$!
	stays 'zp\033[2J\0302\0233!'
	other=$!
done
waits renamed
cp "${BUILD:-build}/test/hostile_names" "$tmp/zzmod;>pwned;"
"$tmp/zzmod;>pwned;" stay >"$tmp/said" &
sites=$!
victims="$victims $sites"
waits grep -q ready "$tmp/said"
run --complete zz
printf 'zzname%s:\nzzplain%s:\n' $sites $sites | cmp -s - "$tmp/out"
check $? "probes with plain names, and no others"
run --complete "zzplain$sites:"
[ ! -s "$tmp/out" ]
check $? "no file whose name is not plain"
run --complete "zzplain$sites::"
[ ! -s "$tmp/out" ]
check $? "nor such a function"
run --complete "zzname$sites:::"
[ ! -s "$tmp/out" ]
check $? "nor such a probe"
run --complete=-W -- zp
echo zpplain | cmp -s - "$tmp/out"
check $? "processes with plain names, and no others"
run --complete=-p -- $screen
printf '%s\tzp??2J???\n' $screen | cmp -s - "$tmp/out"
check $? "the name of a process is shown without what a terminal obeys"
for name in 'zzfsemi;>pwned;' 'zzftick`>pwned`' 'zzfdollar$(>pwned)' "zzfquote';>pwned;'" 'zzfdouble";>pwned;"'; do
	printf '#!/bin/sh\n' >"$tmp/work/$name"
	chmod 755 "$tmp/work/$name"
done
printf '#!/bin/sh\n' >"$tmp/work/zzfplain"
chmod 755 "$tmp/work/zzfplain"
PATH="$tmp/work:$PATH" run --complete=-c -- zzf
echo zzfplain | cmp -s - "$tmp/out"
check $? "commands with plain names, and no others"

reads() {	# reads PATTERN: the last line of the screen
	t capture-pane -p
	line=$(grep . "$tmp/out" | tail -n 1 | tr -d ' ')
	case $line in $1) return 0 ;; esac
	return 1
}
enter() {	# enter TEXT END: typed with two tabs, ended and entered; what is left of a line is given up
	t send-keys -l "$1"
	waits reads '>?*'
	t send-keys Tab Tab
	t send-keys -l "$2"
	t send-keys Enter
	waits reads '[>?]' || bad "$shell: $1: no prompt"
	[ "$line" = '>' ] || { t send-keys C-c; waits begun; }
}
nothing() {	# nothing WHAT: has happened, and no such name is on the screen
	[ ! -e "$tmp/work/pwned" ]
	check $? "$shell: $1: no command is run"
	rm -f "$tmp/work/pwned"
	[ "$1" = files ] || ! grep -q pwned "$tmp/out"
	check $? "$shell: $1: no such name is offered"
	t send-keys C-l
	waits begun
}
hostile() {	# hostile QUOTE
	for name in semi tick d q dq line; do enter "dtrace -W $1zp$name" "$1"; done
	nothing "processes${1:+ in $1}"
	for name in zzsemi zztick zzdollar zzquote zzdouble zzline zzand "zzplain$sites:zz" "zzplain$sites::zz" "zzname$sites:::zz"; do
		enter "dtrace -n $1$name" "$1"
	done
	nothing "probes${1:+ in $1}"
	enter "dtrace -s $1zzfsemi" "$1"
	enter "dtruss $1zzftick" "$1"
	enter "iosnoop -c $1zzfdollar" "$1"
	enter "plockstat $1zzfquote" "$1"
	enter "lockstat $1zzfdouble" "$1"
	nothing files
}
attacked() {	# the shell goes where the hostile files are
	t send-keys -l "cd $tmp/work; PATH=$tmp/asked:$tmp/work:\$PATH"
	t send-keys Enter C-l
	waits begun
	typed 'dtrace -W zppl' 'dtrace -W zpplain'
	typed 'dtrace -P zzpla' "dtrace -P zzplain$sites"
	for quote in '' "'" '"'; do hostile "$quote"; done
	for name in dtrace dtruss plockstat; do
		typed "$name -p $screen" "$name -p $screen"
		t send-keys -l "$name -p ${screen%?}"
		t send-keys Tab Tab
		# bash lists ids alone, on a line above the one that is typed
		if [ $shell = bash ]; then waits has "$other" && waits reads ">$name*"; else waits has 'zp??2J???'; fi
		check $? "$shell: $name: names beside process ids"
		# one by one: an interrupt discards what is typed after it, and one may be lost while the list is made
		waits given_up
		t send-keys C-l
		waits cleared
	done
}
has() { t capture-pane -p; grep -qF -e "$1" "$tmp/out"; }
cat >"$tmp/rc" <<END
PS1='> ' PS2='? '
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
attacked
command -v zsh >/dev/null || { echo "ok - completion in zsh # SKIP no zsh"; exit 0; }
shell=zsh
cat >"$tmp/.zshrc" <<END
PS1='> ' PS2='? '
fpath=($PWD/completion \$fpath)
autoload -Uz compinit && compinit -u -d "$tmp/dump"
END
t new-session -d -x 100 -y 20 "ZDOTDIR=$tmp zsh -i"
waits begun
typed 'dtrace -n sysc' 'dtrace -n syscall:'
both
attacked
command -v fish >/dev/null || exit 0
shell=fish
cat >"$tmp/config" <<END
function fish_prompt; echo '> '; end
set fish_greeting
set fish_autosuggestion_enabled 0
source completion/dtrace.fish
END
t new-session -d -x 100 -y 20 "HOME=$tmp fish --no-config --init-command 'source $tmp/config'"
waits begun
attacked
