# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tests of the live page: web_modules NAME ends the test as skipped where something is missing; else $build is
# the build folder and $modules has playwright-core and the compiler of the page's types, fetched once.
# shellcheck shell=sh
web_modules() {
	dtrace=${DTRACE:-build/dtrace}
	build=${dtrace%/*} why=
	if [ ! -x "$build/dtrace-web" ]; then why="dtrace-web is not built"
	elif [ "$(id -u)" -ne 0 ]; then why="tracing needs root"
	elif ! command -v chromium >/dev/null; then why="no chromium"
	elif ! command -v npm >/dev/null; then why="no npm"
	fi
	modules=$build/web-test
	if [ -z "$why" ] && ! cmp -s test/web/package-lock.json "$modules/made"; then
		mkdir -p "$modules" && cp test/web/package.json test/web/package-lock.json "$modules" || exit 2
		if (cd "$modules" && npm ci --silent --no-audit --no-fund) >/dev/null 2>&1; then
			cp test/web/package-lock.json "$modules/made"
		else
			why="npm cannot fetch playwright-core"
		fi
	fi
	if [ -n "$why" ]; then
		echo "ok - $1 # SKIP $why"
		exit 0
	fi
	modules=$(realpath "$modules")
}
