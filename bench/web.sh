#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench/web.sh [BUILD [NAME…]]: how quick the live page is and what it costs, in Chromium (bench/web.mjs). Needs what
# test/cli/web/web_page.sh needs, which also fetches playwright-core into BUILD/web-test.
cd "$(dirname "$0")/.." || exit 2
build=${1:-build}
modules=$build/web-test
if [ ! -x "$build/dtrace-web" ] || [ ! -d "$modules/node_modules" ]; then
	echo "bench/web.sh: run test/cli/web/web_page.sh first" >&2
	exit 1
fi
for command in node "${CHROMIUM:-/usr/bin/chromium}"; do
	command -v "$command" >/dev/null || { echo "bench/web.sh: $command is not installed" >&2; exit 77; }
done
[ $# -eq 0 ] || shift
exec node bench/web.mjs "$(realpath "$modules")" "$build/dtrace" "$@"
