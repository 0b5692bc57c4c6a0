# SPDX-License-Identifier: BSD-2-Clause
# pycalls, pyimport: a Python program whose calls and modules are known.
. test/trigger/tools.sh
may_trace "tools for Python"
python=/usr/bin/python3
cat >"$tmp/program.py" <<'DONE'
import sys
sys.path.insert(0, sys.argv[1])
import outer_module
def often():
    return 1
def seldom():
    for _ in range(10):
        often()
for _ in range(100):
    seldom()
DONE
echo "import inner_module" >"$tmp/outer_module.py"
echo "import time; time.sleep(0.05)" >"$tmp/inner_module.py"
program="$python -B $tmp/program.py $tmp"
run -ln 'python*:::function-return' -c "$program"
if ! grep -q function-return "$tmp/out"; then
	ok "tools for Python # SKIP no Python with static probes: $(head -n 1 "$tmp/err")"
	exit 0
fi
tool pycalls -c "$program" 1000
row "1000 calls" "^ *1000 often +$tmp/program.py$"
row "100 calls" "^ *100 seldom +$tmp/program.py$"
tool pyimport -c "$program"
value "the inner module, which sleeps 50 ms" "$(awk '$4 == "inner_module" { print int($2) }' "$tmp/out")" 50 1000000
value "is in the time of the outer one" "$(awk '$4 == "outer_module" { print int($2) }' "$tmp/out")" \
    "$(awk '$4 == "inner_module" { print int($2) }' "$tmp/out")" 1000000
row "and indented" "^ *[0-9]+ +[0-9]+\.[0-9]{3} +1   inner_module$"
tool pyimport -c "$program" 50
row "slow ones alone" "module" 2
exit 0
