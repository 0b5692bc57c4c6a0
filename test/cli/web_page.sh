# SPDX-License-Identifier: BSD-2-Clause
# slow
# The live page in Chromium, on live traces: test/web/page.mjs does what somebody would do with it. Types of the page's
# script are checked here too; the build only strips them.
dtrace=${DTRACE:-build/dtrace}
build=${dtrace%/*}
skip() {
	echo "ok - the live page in Chromium # SKIP $1"
	exit 0
}
[ -x "$build/dtrace-web" ] || skip "dtrace-web is not built"
[ "$(id -u)" -eq 0 ] || skip "tracing needs root"
command -v chromium >/dev/null || skip "no chromium"
command -v npm >/dev/null || skip "no npm"
modules=$build/web-test
if ! cmp -s test/web/package-lock.json "$modules/made"; then
	mkdir -p "$modules" && cp test/web/package.json test/web/package-lock.json "$modules" || exit 2
	(cd "$modules" && npm ci --silent --no-audit --no-fund) >/dev/null 2>&1 || skip "npm cannot fetch playwright-core"
	cp test/web/package-lock.json "$modules/made"
fi
modules=$(realpath "$modules")
if "$modules/node_modules/.bin/tsc" -p web; then echo "ok - types"; else echo "not ok - types"; fi
node test/web/page.mjs "$modules" "$dtrace" "$build/test/calls"
