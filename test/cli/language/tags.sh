# SPDX-License-Identifier: BSD-2-Clause
# The error tags: each one the compiler uses has a test, each test a tag that exists, and doc/ERRORS.md tells the truth.
. test/cli/helpers.inc
export LC_ALL=C

# empty WHAT FILE: nothing may be in the file
empty() {
	if [ -s "$2" ]; then echo "not ok - $1: $(tr '\n' ' ' <"$2")"; else echo "ok - $1"; fi
}

sed -n 's/^X(\(D_[A-Z_0-9]*\),.*/\1/p' src/base/tags.def | sort >"$tmp/known"
find test/d -name 'err.*.d' | sed 's,.*/err\.\([^.]*\)\..*,\1,' | sort -u >"$tmp/tested"
sed -n 's/^\(D_[A-Z_0-9]*\) ..*/\1/p' test/d/err/NEVER | sort >"$tmp/never"
# a tag in a string or a comment is not a use
find src -name '*.[ch]' -exec sed 's,/\*.*\*/,,; s,"[^"]*",,g' {} + | grep -owE 'D_[A-Z][A-Z_0-9]*' | sort -u |
	comm -12 - "$tmp/known" >"$tmp/used"

uniq -d "$tmp/known" >"$tmp/bad"
empty "no tag is defined twice" "$tmp/bad"
comm -23 "$tmp/used" "$tmp/tested" | comm -23 - "$tmp/never" >"$tmp/bad"
empty "every tag the compiler uses has a test" "$tmp/bad"
comm -23 "$tmp/tested" "$tmp/known" >"$tmp/bad"
empty "every tag with a test exists" "$tmp/bad"
comm -12 "$tmp/tested" "$tmp/never" >"$tmp/bad"
empty "no tag that is never raised has a test" "$tmp/bad"
sort -u "$tmp/tested" "$tmp/never" | comm -23 "$tmp/known" - >"$tmp/bad"
empty "every tag has a test or a reason to have none" "$tmp/bad"
tools/errors-doc | diff - doc/ERRORS.md >"$tmp/bad"
empty "doc/ERRORS.md is what tools/errors-doc makes" "$tmp/bad"
