# SPDX-License-Identifier: BSD-2-Clause
# Units, ticks and times of the live page, its layout of programs on all tools, and the limit on what its overview costs
# (test/web/numbers.mjs). Neither a browser nor rights are needed.
dtrace=${DTRACE:-build/dtrace}
esbuild=${dtrace%/*}/web/node_modules/.bin/esbuild
[ -x "$esbuild" ] || esbuild=$(command -v esbuild)
if ! command -v node >/dev/null || [ -z "$esbuild" ]; then
	echo "ok - numbers of the page # SKIP the test needs node and esbuild"
	exit 0
fi
node test/web/numbers.mjs "$esbuild"
