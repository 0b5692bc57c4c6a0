# SPDX-License-Identifier: BSD-2-Clause
# -O trace-event: spans of entries and returns, instants, counters; every object has what the format says it has.
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - trace events # SKIP tracing needs root"
	exit 0
fi
if ! command -v python3 >/dev/null; then
	echo "ok - trace events # SKIP no python3"
	exit 0
fi

# read FILE: what the format demands of each object, then the given lines, with the objects as `all`
read_events() {
	file=$1
	shift
	printf '%s\n' 'import json, sys' 'all_ = json.load(open(sys.argv[1], encoding="utf-8"))' \
	    'need = { "X": {"ts", "dur", "cat", "args"}, "B": {"ts", "cat", "args"}, "i": {"ts", "s", "cat", "args"}, "C": {"ts", "args"}, "M": {"args"} }' \
	    'for e in all_:' \
	    '    assert set(e) == need[e["ph"]] | {"ph", "name", "pid", "tid"}, e' \
	    '    assert isinstance(e["name"], str) and isinstance(e["pid"], int) and isinstance(e["tid"], int) and isinstance(e["args"], dict), e' \
	    '    assert all(isinstance(e[k], (int, float)) and e[k] >= 0 for k in ("ts", "dur") if k in e), e' \
	    '    assert e["ph"] != "C" or all(isinstance(v, int) for v in e["args"].values()), e' \
	    '    assert e["ph"] != "M" or (e["name"] in ("thread_name", "process_name") and list(e["args"]) == ["name"]), e' \
	    'def of(ph, name=None): return [e for e in all_ if e["ph"] == ph and name in (None, e["name"])]' "$@" >"$tmp/read.py"
	python3 "$tmp/read.py" "$file" 2>&1 | tail -n 1
}

"$dtrace" -qO trace-event -n 'syscall::getppid:entry /pid == $target/ { trace(pid); trace(tid); trace(execname); x = 7; trace(x); }
    syscall::getppid:return /pid == $target/ { trace(pid); trace(tid); trace(arg0); }' -c 'python3 -c "import os
for i in range(5): os.getppid()"' >"$tmp/out" 2>"$tmp/err"
same "spans of a thread" "$(read_events "$tmp/out" 'x = of("X", "getppid")' \
    'print(len(x) >= 5, len({e["tid"] for e in x}), all(e["args"]["x"] == 7 and list(e["args"]["return"]) == ["arg0"] for e in x), len(of("i")), {e["pid"] == x[0]["pid"] for e in of("M", "process_name")}, of("M", "process_name")[-1]["args"]["name"][:6])')" \
    "True 1 True 0 {True} python"

"$dtrace" -qO trace-event -n 'syscall::getppid:entry /pid == $target/ { }' -c 'python3 -c "import os
for i in range(5): os.getppid()"' >"$tmp/out" 2>"$tmp/err"
same "without returns entries are instants, by CPU" "$(read_events "$tmp/out" \
    'print(len(of("i", "getppid:entry")) >= 5, len(of("X")) + len(of("B")), of("M", "process_name")[0]["args"]["name"])')" "True 0 CPUs"

"$dtrace" -qO trace-event -n 'BEGIN { s = "</\"\n\377"; trace(s); trace(1); trace(1); @a["k", 2] = count(); @ = sum(-3); @h = quantize(1); printa(@a); exit(0); }' >"$tmp/out" 2>"$tmp/err"
same "a histogram is no counter, which is told" "$(cat "$tmp/err")" "dtrace: @h is left out: a histogram is no counter; -O heatmap shows it"
same "values, counters and names that are no names" "$(read_events "$tmp/out" \
    'print(json.dumps(of("i", "BEGIN")[0]["args"]), [(e["name"], e["args"]) for e in of("C")])')" \
    '{"s": {"string": "</\"\n\ufffd", "bytes": "3c2f220aff"}, "value2": 1, "value3": 1} [('"'@a[k, 2]', {'count': 1}), ('@sum', {'sum': -3})]"

"$dtrace" -qO trace-event -n 'BEGIN { exit(0); }' >"$tmp/out"
same "nothing" "$(cat "$tmp/out")" "[]"
