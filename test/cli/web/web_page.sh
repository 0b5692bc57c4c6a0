# SPDX-License-Identifier: BSD-2-Clause
# slow
# The live page in Chromium, on live traces: test/web/page.mjs does what somebody would do with it. Types of the page's
# script are checked here too; the build only strips them.
# alone
. test/web/modules.sh
web_modules "the live page in Chromium"
if "$modules/node_modules/.bin/tsc" -p web; then echo "ok - types"; else echo "not ok - types"; fi
node test/web/page.mjs "$modules" "$dtrace" "$build/test/calls"
node test/web/views.mjs "$modules" "$dtrace"
node test/web/senses.mjs "$modules" "$dtrace" "$build/test/calls"
node test/web/standalone.mjs "$modules" "$dtrace"
