# SPDX-License-Identifier: BSD-2-Clause
# Scripts source test/cli/helpers.inc.
. test/cli/helpers.inc
