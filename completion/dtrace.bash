# SPDX-License-Identifier: BSD-2-Clause
# Completion for bash: options, -x names and their values, probes, processes. What there is the command itself says
# (--help, --list, --complete), so nothing here goes stale. Tools all have the same options.
#
# Bash inserts answers as they are, and unprivileged users choose names of processes, probes and files. Names come from
# dtrace --complete only, which leaves out what is not plain; __dtrace_reply trusts it no further.
# Commands are found in $PATH, not where the command line says: a tab runs no program of the current directory.

# Splits the line before the cursor as the shell does: words in __dtrace_words, the quote that is open in __dtrace_quote.
# COMP_WORDS will not do: it takes descriptions apart at their colons.
__dtrace_split() {
	local text=$1 word= quote= any= c i
	__dtrace_words=()
	for ((i = 0; i < ${#text}; i++)); do
		c=${text:i:1}
		if [[ -n $quote ]]; then
			if [[ $c == "$quote" ]]; then quote=; else word+=$c; fi
		elif [[ $c == [\'\"] ]]; then
			quote=$c any=1
		elif [[ $c == [[:space:]] ]]; then
			[[ -z $word$any ]] || __dtrace_words+=("$word")
			word= any=
		else
			word+=$c
		fi
	done
	__dtrace_words+=("$word")
	__dtrace_quote=$quote
}

# Readline replaces only what follows the last character that breaks words; inside quotes there is none.
__dtrace_reply() {	# __dtrace_reply WORD COMPLETION…
	local word=$1 cut= way rest LC_ALL=C
	shift
	if [[ -z $__dtrace_quote ]]; then
		[[ $COMP_WORDBREAKS != *:* || $word != *:* ]] || cut=${word%"${word##*:}"}
		[[ $COMP_WORDBREAKS != *=* || $word != *=* ]] || cut=${word%"${word##*=}"}
	fi
	COMPREPLY=()
	for way; do
		rest=${way#"$word"} rest=${rest%' {'}
		[[ $way != "$word"* || $rest == *[^A-Za-z0-9_.:+@~,=-]* ]] || COMPREPLY+=("${way#"$cut"}")
	done
	[[ ${#COMPREPLY[@]} -gt 1 || ${COMPREPLY[0]} != *[:=] ]] || compopt -o nospace 2>/dev/null
}

__dtrace_lines() {	# __dtrace_lines WORD COMMAND…: each line of what it prints is a way
	local word=$1 ways
	shift
	mapfile -t ways < <("$@" 2>/dev/null)
	__dtrace_reply "$word" "${ways[@]}"
}

# The beginning of a description; -P ends with the provider, -m with the module, -f with the function. In a list of
# descriptions the last one counts.
__dtrace_probes() {	# __dtrace_probes WORD PARTS
	local word=$1 parts=$2 before= ways i
	[[ $word != *,* ]] || before=${word%"${word##*,}"}
	word=${word##*,}
	[[ $word != *[[:space:]{/]* ]] || return 0	# it is the program already
	local colons=${word//[^:]/}
	mapfile -t ways < <(dtrace --complete "$word" 2>/dev/null)
	# One way only: what follows it is looked for too. Inside quotes readline would else end them.
	while [[ $parts -eq 4 && ${#ways[@]} -eq 1 && ${ways[0]} == *: ]]; do
		mapfile -t ways < <(dtrace --complete "${ways[0]}" 2>/dev/null)
	done
	[[ ${#ways[@]} -ne 1 || -z $__dtrace_quote ]] || ways+=("${ways[0]} {")
	for i in "${!ways[@]}"; do
		[[ ${#colons} -lt $((parts - 1)) ]] || ways[i]=${ways[i]%:}
		ways[i]=$before${ways[i]}
	done
	__dtrace_reply "$before$word" "${ways[@]}"
}

# -x: the names, and behind = the words that an option takes.
__dtrace_settings() {
	local word=$1 form values ways=()
	while read -r form _; do
		if [[ $word == *=* ]]; then
			[[ $form == "${word%%=*}="* ]] || continue
			IFS='|' read -ra values <<<"${form#*=}"
			for form in "${values[@]}"; do
				[[ $form == [A-Z]* ]] || ways+=("${word%%=*}=$form")
			done
		elif [[ $form == [a-z]* ]]; then
			[[ $form != *=* ]] || form=${form%%=*}=
			ways+=("$form")
		fi
	done < <(dtrace --list options 2>/dev/null)
	__dtrace_reply "$word" "${ways[@]}"
}

__dtrace_args() { dtrace --complete="$1" -- "$2" | cut -f 1; }	# __dtrace_args OPTION WORD: a process, its id, a command
__dtrace_formats() { dtrace --list options | sed -n 's/^oformat=\([^ ]*\).*/\1/p' | tr '|' '\n'; }
__dtrace_lists() { printf '%s\n' actions aggregations conversions functions options providers variables; }
__dtrace_flags() { "$1" --help 2>&1 | sed -n 's/^[[:space:]]*\(--*[A-Za-z0-9][A-Za-z0-9]*\).*/\1/p'; }

_dtrace() {
	local __dtrace_words __dtrace_quote command=${1##*/} word last
	__dtrace_split "${COMP_LINE:0:COMP_POINT}"
	word=${__dtrace_words[${#__dtrace_words[@]} - 1]}
	last=
	[[ ${#__dtrace_words[@]} -lt 2 ]] || last=${__dtrace_words[${#__dtrace_words[@]} - 2]}
	case $command in
	lockstat | plockstat | dtruss)
		case $last in
		-x) __dtrace_settings "$word"; return ;;
		-o) COMPREPLY=(); return ;;	# readline completes files
		-p) [[ $command == lockstat ]] || { __dtrace_lines "$word" __dtrace_args -p "$word"; return; } ;;
		esac
		[[ $word != -* ]] || { __dtrace_lines "$word" __dtrace_flags "$command"; return; }
		[[ $last == -* ]] || __dtrace_lines "$word" __dtrace_args -c "$word"
		return ;;
	esac
	if [[ ${command##*/} != dtrace ]]; then	# a tool
		case $last in
		-*n) __dtrace_lines "$word" __dtrace_args -W "$word" ;;
		-*p) __dtrace_lines "$word" __dtrace_args -p "$word" ;;
		-*x) __dtrace_settings "$word" ;;
		-*O) __dtrace_lines "$word" __dtrace_formats ;;
		-*c) __dtrace_lines "$word" __dtrace_args -c "$word" ;;
		-*o) COMPREPLY=() ;;
		*) [[ $word != -* ]] || __dtrace_lines "$word" __dtrace_flags "$command" ;;
		esac
		return
	fi
	case $last in
	-*[nfmPi] | -*[xpWOcX] | -*[sobDILU] | --list) ;;
	*) last= ;;
	esac
	case $last in
	-*n) __dtrace_probes "$word" 4 ;;
	-*f) __dtrace_probes "$word" 3 ;;
	-*m) __dtrace_probes "$word" 2 ;;
	-*P) __dtrace_probes "$word" 1 ;;
	-*x) __dtrace_settings "$word" ;;
	-*[pWc]) __dtrace_lines "$word" __dtrace_args "-${last: -1}" "$word" ;;
	-*O) __dtrace_lines "$word" __dtrace_formats ;;
	-*X) __dtrace_reply "$word" a c s t ;;
	--list) __dtrace_lines "$word" __dtrace_lists ;;
	*)
		COMPREPLY=()
		[[ -n $last || $word != -* ]] || __dtrace_lines "$word" __dtrace_flags dtrace ;;
	esac
}

complete -o default -F _dtrace dtrace lockstat plockstat dtruss
# loaded by the name of a tool: a link to this file
[[ ${BASH_SOURCE[0]##*/} == *.bash ]] || complete -o default -F _dtrace "${BASH_SOURCE[0]##*/}"
