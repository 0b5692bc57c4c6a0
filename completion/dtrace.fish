# SPDX-License-Identifier: BSD-2-Clause
# Completion for fish: options, -x names and their values, probes, processes. What there is the command itself says
# (--help, --list, --complete). Tools all have the same options.
#
# Unprivileged users choose names of processes and probes. They come from dtrace --complete only, which leaves out what is
# not plain; fish quotes them again.

function __dtrace_probes --argument-names parts --description 'how a probe description can go on'
	set --local word (commandline --current-token --cut-at-cursor | string trim --left --chars="'\"")
	set --local before ''
	if string match --quiet '*,*' -- "$word"
		set before (string replace --regex '[^,]*$' '' -- "$word")
		set word (string replace --regex '.*,' '' -- "$word")
	end
	string match --quiet --regex '[\s{/]' -- "$word"; and return
	set --local colons (string replace --all --regex '[^:]' '' -- "$word")
	for way in (dtrace --complete "$word" 2>/dev/null)
		if test (string length -- "$colons") -ge (math $parts - 1)
			set way (string trim --right --chars=: -- $way)
		end
		echo -- "$before$way"
	end
end

function __dtrace_args --argument-names option --description 'a process, or its id with its name beside it'
	dtrace --complete=$option -- (commandline --current-token --cut-at-cursor | string trim --left --chars="'\"") 2>/dev/null
end

function __dtrace_settings --description 'options of -x, and their values'
	set --local word (commandline --current-token --cut-at-cursor)
	for line in (dtrace --list options 2>/dev/null | string match --regex '^[a-z].*')
		set --local form (string split --max 1 ' ' -- $line)[1]
		set --local name (string split --max 1 = -- $form)[1]
		if not string match --quiet '*=*' -- $form
			echo $name
		else if string match --quiet -- "$name=*" "$word"
			for value in (string split '|' -- (string split --max 1 = -- $form)[2] | string match --regex '^[a-z0-9-].*')
				echo "$name=$value"
			end
		else
			echo "$name="
		end
	end
end

function __dtrace_flags --argument-names program --description 'the options of a command, with what they do'
	type --query $program; and $program --help 2>&1 | string replace --filter --regex '^\s+(--?[A-Za-z0-9]+)(?:, --[a-z]+)?(?: [A-Za-z][^ ]*)?(?:\s+(.*))?$' '$1\t$2'
end

function __dtrace_after --description 'is the last word before this one such an option?'
	set --local words (commandline --tokenize --cut-at-cursor --current-process)
	string match --quiet --regex -- "^-[A-Za-z]*[$argv[1]]\$" "$words[-1]"
end

for name in dtrace
	complete --command $name --no-files --condition '__dtrace_after n' --arguments '(__dtrace_probes 4)'
	complete --command $name --no-files --condition '__dtrace_after f' --arguments '(__dtrace_probes 3)'
	complete --command $name --no-files --condition '__dtrace_after m' --arguments '(__dtrace_probes 2)'
	complete --command $name --no-files --condition '__dtrace_after P' --arguments '(__dtrace_probes 1)'
	complete --command $name --no-files --condition '__dtrace_after x' --arguments '(__dtrace_settings)'
	complete --command $name --no-files --condition '__dtrace_after p' --arguments '(__dtrace_args -p)'
	complete --command $name --no-files --condition '__dtrace_after W' --arguments '(__dtrace_args -W)'
	complete --command $name --no-files --condition '__dtrace_after O' \
	    --arguments '(dtrace --list options | string replace --filter --regex "^oformat=([^ ]*).*" "\$1" | string split "|")'
	complete --command $name --no-files --condition '__dtrace_after X' --arguments 'a c s t'
	complete --command $name --long-option list --exclusive --arguments 'actions aggregations conversions functions options providers variables'
	complete --command $name --condition 'string match --quiet -- "-*" (commandline --current-token)' --arguments '(__dtrace_flags dtrace)'
end
# loaded by the name of a command or a tool: a link to this file
for name in (string replace --regex '\.fish$' '' -- (status basename) | string match --invert --regex 'lockstat$|^dtruss$|^dtrace$')
	complete --command $name --no-files --condition '__dtrace_after n' --arguments '(__dtrace_args -W)'
	complete --command $name --no-files --condition '__dtrace_after x' --arguments '(__dtrace_settings)'
	complete --command $name --no-files --condition '__dtrace_after p' --arguments '(__dtrace_args -p)'
	complete --command $name --no-files --condition '__dtrace_after O' \
	    --arguments '(dtrace --list options | string replace --filter --regex "^oformat=([^ ]*).*" "\$1" | string split "|")'
	complete --command $name --condition 'string match --quiet -- "-*" (commandline --current-token)' --arguments "(__dtrace_flags $name)"
end
for name in lockstat plockstat dtruss
	complete --command $name --no-files --condition '__dtrace_after x' --arguments '(__dtrace_settings)'
	complete --command $name --condition 'string match --quiet -- "-*" (commandline --current-token)' --arguments "(__dtrace_flags $name)"
end
for name in plockstat dtruss
	complete --command $name --no-files --condition '__dtrace_after p' --arguments '(__dtrace_args -p)'
end
