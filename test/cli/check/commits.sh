# SPDX-License-Identifier: BSD-2-Clause
# tools/commit-check: what is refused in messages of commits, and that it looks at the commits of this tree.
. test/cli/helpers.inc
command -v git >/dev/null || { ok "messages of commits # SKIP no git"; exit 0; }
GIT_DIR=$tmp/git GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_DIR GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
git init -q --bare "$tmp/git"
tree=$(git hash-object -t tree -w /dev/null)
first=$(git commit-tree -m first -m why "$tree")
message() {	# message WHAT WANTED TEXT [PARENT]: WANTED is part of what is printed, empty: nothing is
	commit=$(printf "$3" | git commit-tree -p "$first" ${4:+-p "$4"} "$tree")
	tools/commit-check "$first..$commit" >"$tmp/out" 2>"$tmp/err"
	status=$?
	if [ -z "$2" ]; then
		[ $status -eq 0 ] && [ ! -s "$tmp/out" ]
	else
		[ $status -eq 1 ] && grep -qF -e "$2" "$tmp/out"
	fi
	check $? "$1"
}
long=$(printf '%072d' 0)
message "a subject and a body" "" 'Subject\n\nWhy.\n'
message "72 columns" "" "$long\n\nWhy.\n"
message "73 columns" "73 columns, more than 72" "1$long\n\nWhy.\n"
message "72 columns of other letters" "" "$(printf '%036d' 0)éééééééééééééééééééééééééééééééééééé\n\nWhy.\n"
message "no body" "no body that says why" 'Subject\n'
message "no body, but who signed it" "no body that says why" 'Subject\n\nSigned-off-by: a\n'
message "no empty line" "no empty line after its subject" 'Subject\nWhy.\n\nMore.\n'
other=$(git commit-tree -m other -m why -p "$first" "$tree")
message "a merge needs no body" "" "Merge branch 'a'\n" "$other"

# without a range: what was made since the rule came
dated() {	# dated STATUS DATE WHAT
	commit=$(echo Subject | GIT_COMMITTER_DATE="$2" git commit-tree -p "$first" "$tree")
	git update-ref refs/heads/dated "$commit" && git symbolic-ref HEAD refs/heads/dated
	tools/commit-check >"$tmp/out" 2>"$tmp/err"
	[ $? -eq "$1" ]
	check $? "$3"
}
dated 0 '2026-11-18 05:59:59 +0000' "a commit from before the rule"
dated 1 '2026-11-18 06:00:01 +0000' "a commit from after it"
