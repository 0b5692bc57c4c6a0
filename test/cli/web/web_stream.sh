# SPDX-License-Identifier: BSD-2-Clause
# The page's decoder of recordings, without a browser: real recordings of dtrace, in pieces, cut off, damaged and hostile
# (test/web/stream.mjs).
dtrace=${DTRACE:-build/dtrace}
esbuild=${dtrace%/*}/web/node_modules/.bin/esbuild
[ -x "$esbuild" ] || esbuild=$(command -v esbuild)
if [ "$(id -u)" -ne 0 ] || ! command -v node >/dev/null || [ -z "$esbuild" ]; then
	echo "ok - recordings in the page # SKIP tracing needs root, the test node and esbuild"
	exit 0
fi
node test/web/stream.mjs "$esbuild" "$dtrace"
