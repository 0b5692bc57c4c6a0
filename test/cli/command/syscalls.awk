# SPDX-License-Identifier: BSD-2-Clause
# What is wrong with a table of system calls, a line for each fault. In: files of decoders (cmd/dtruss/*.c), then
# src/table/syscalls.def or a copy of it (def=FILE), then a list of calls that a machine has (calls=FILE).
function fault(what) { print name[row] ": " what }
function words(text, sep, out) { return text == "" ? 0 : split(text, out, sep) }

# decoders
FILENAME ~ /\.c$/ {
	line = $0
	while (match(line, /(\.name = |FLAGS\(|VALUES\(|TYPE\()"[^"]*"/)) {
		kind = substr(line, RSTART, RLENGTH)
		gsub(/.*[=(] *"|"/, "", kind)
		if (kind in kinds)
			print kind ": two decoders have this name"
		kinds[kind] = ++nkinds
		line = substr(line, RSTART + RLENGTH)
	}
	next
}

# rows
FILENAME == def {
	if (/^[SNGC]\(/) {
		open = 1
		text = ""
	}
	if (!open)
		next
	text = text " " $0
	if (!/\)$/)
		next
	open = 0
	take_row()
}
function take_row(   part, form, n) {
	sub(/^ */, "", text)
	form = substr(text, 1, 1)
	n = split(text, part, "\"")
	name[++row] = text
	sub(/^..(\()?/, "", name[row])
	sub(/[,)].*/, "", name[row])
	if (form == "C")
		native[row] = text
	else if (name[row] <= last)
		fault("not in the order of the names")
	else
		last = name[row]
	rows[name[row]] = 1
	if (form == "S" || form == "N")
		take_call(n, part)
}
# "letters" "types" "result" "kinds"
function take_call(n, part,   types, list, kind, i, single) {
	if (n != 9) {
		fault("not a row")
		return
	}
	if (part[2] !~ /^[FDPNSMITXR]*$/)
		fault("letters " part[2])
	if (part[6] != "" && !(part[6] in kinds && part[6] ~ /^=/))
		fault("there is no decoder of results " part[6])
	types = part[4] == "?" ? -1 : words(part[4], ", *", list)
	n = words(part[8], " ", list)
	single = n == 1 && list[1] ~ /^\*/
	if (!single && types >= 0 && types != n)
		fault(types " types and " n " kinds")
	for (i = 1; i <= n; i++) {
		kind = list[i]
		if (!(kind in kinds) && kind ~ /[0-9]$/) {
			if (substr(kind, length(kind)) >= n)
				fault("no argument has the number in " kind)
			sub(/[0-9]$/, "", kind)
		}
		if (!(kind in kinds) || kind ~ /^=/)
			fault("there is no kind " list[i])
	}
}

# calls that there are
FILENAME == calls && !($1 in rows) { print $1 ": has no row" }
END {
	for (row in native) {
		sub(/.*, */, "", native[row])
		sub(/\).*/, "", native[row])
		if (!(native[row] in rows))
			fault("there is no call " native[row])
	}
	if (last == "" || nkinds == 0)
		print "no rows, or no decoders"
}
