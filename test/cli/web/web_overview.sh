# SPDX-License-Identifier: BSD-2-Clause
# slow
# The live page in Chromium: its overview of the machine, the gallery, panels that are arranged, time that they share, runs
# that are compared, the editor; and axe-core finds no fault of accessibility (test/web/overview.mjs).
# alone
. test/web/modules.sh
web_modules "the overview of the live page"
node test/web/overview.mjs "$modules" "$dtrace" "$build/test/calls"
