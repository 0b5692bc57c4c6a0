# SPDX-License-Identifier: BSD-2-Clause
# slow
# The live page beside pictures of it that are kept (test/web/pictures): light, dark, wide, 1,280 pixels, a phone. Its layout is
# checked on every machine, its pixels where Chromium and fonts are those of the pictures (test/web/pictures.mjs).
# -u makes the pictures anew: look at them before you commit them.
. test/web/modules.sh
web_modules "the live page beside its kept pictures"
case $build in *asan*|*clang*) echo "ok - the live page beside its kept pictures # SKIP once is enough"; exit 0 ;; esac
esbuild=$build/web/node_modules/.bin/esbuild
[ -x "$esbuild" ] || esbuild=$(command -v esbuild)
if [ -z "$esbuild" ] || [ ! -e "$build/gen/page.html" ]; then
	echo "ok - the live page beside its kept pictures # SKIP the page is not built here: no esbuild, or no $build/gen/page.html"
	exit 0
fi
node test/web/pictures.mjs "$modules" "$build" "$esbuild" "$@"
