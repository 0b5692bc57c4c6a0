# SPDX-License-Identifier: BSD-2-Clause
# The agent as a service: the systemd unit. And in a container: the manifest for Kubernetes is consistent, its settings and programs are those that dtraced takes, and
# with the capabilities it names, and no other, the agent counts and serves.
. test/cli/helpers.inc
known=knownpod	# scripts run beside each other
. test/trigger/always.sh
always_begin "the manifest for Kubernetes"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || always_skip "the manifest for Kubernetes" "no python3-yaml"
command -v setpriv >/dev/null || always_skip "the manifest for Kubernetes" "no setpriv"

mkdir "$tmp/pod.d"
same "the manifest" "$(/usr/bin/python3 - "$tmp" <<'P'
import sys, yaml
docs = {(d['kind'], d['metadata']['name']): d for d in yaml.safe_load_all(open('package/kubernetes.yaml'))}
assert set(k for k, n in docs) == {'Namespace', 'ServiceAccount', 'ConfigMap', 'DaemonSet'}, docs.keys()
versions = {'Namespace': 'v1', 'ServiceAccount': 'v1', 'ConfigMap': 'v1', 'DaemonSet': 'apps/v1'}
for (kind, name), d in docs.items():
    assert d['apiVersion'] == versions[kind], kind
    assert kind == 'Namespace' or d['metadata']['namespace'] == 'dtrace', name
daemon = docs['DaemonSet', 'dtraced']['spec']
labels = daemon['template']['metadata']['labels']
assert all(labels[k] == v for k, v in daemon['selector']['matchLabels'].items())
pod = daemon['template']['spec']
assert pod['hostPID'] is True and 'hostNetwork' not in pod and ('ServiceAccount', pod['serviceAccountName']) in docs
[c] = pod['containers']
volumes = {v['name']: v for v in pod['volumes']}
assert sorted(volumes) == sorted(m['name'] for m in c['volumeMounts'])
mounts = {m['name']: m['mountPath'] for m in c['volumeMounts']}
assert all(m['readOnly'] for m in c['volumeMounts'])
for v in volumes.values():
    assert 'hostPath' in v or ('ConfigMap', v['configMap']['name']) in docs
assert volumes['pods']['hostPath']['path'] == '/var/log/containers' and mounts['pods'] == '/host/var/log/containers'
for a, b in (x for x in ((p, q) for p in mounts.values() for q in mounts.values()) if x[0] != x[1]):
    assert not b.startswith(a + '/'), 'a mount inside of another'
security = c['securityContext']
assert security['capabilities']['drop'] == ['ALL'] and not security['privileged'] and security['readOnlyRootFilesystem']
settings = docs['ConfigMap', 'dtraced']['data']['dtraced.conf']
lines = dict(line.split(' ', 1) for line in settings.splitlines())
assert lines['always'].split()[0] == mounts['always'] and lines['hostroot'] == '/host'
assert c['args'][:2] == ['--config', mounts['settings'] + '/dtraced.conf']
assert {'name': 'metrics', 'containerPort': int(lines['metrics'].split(':')[1])} in c['ports']
assert lines['metrics'].startswith('0.0.0.0:') and c['readinessProbe']['httpGet']['path'] == '/metrics'
assert daemon['template']['metadata']['annotations']['prometheus.io/port'] == lines['metrics'].split(':')[1]
top = sys.argv[1]
for name, text in docs['ConfigMap', 'dtraced-always']['data'].items():
    assert name.endswith('.d')
    open('%s/pod.d/%s' % (top, name), 'w').write(text)
with open(top + '/pod.conf', 'w') as f:
    f.write(settings.replace(mounts['always'], top + '/pod.d').replace(lines['metrics'], '127.0.0.1:0').replace('memory=64 cpu=10', 'memory=4000 cpu=100000'))
open(top + '/caps', 'w').write(','.join('+' + c.lower() for c in security['capabilities']['add']))
print('good')
P
)" good
grep -o 'cap-add [A-Z_]*' package/Containerfile.dtraced | sed 's/cap-add /+/' | tr 'A-Z\n' 'a-z,' | sed 's/,$//' >"$tmp/file_caps"
same "the capabilities are those of the Containerfile" "$(sed 's/^+all,//' "$tmp/file_caps" | tr , '\n' | LC_ALL=C sort | tr '\n' ' ')" "$(tr , '\n' <"$tmp/caps" | LC_ALL=C sort | sed '$a\' | tr '\n' ' ')"

if [ "$(id -u)" -ne 0 ]; then
	echo "ok - an agent with these capabilities # SKIP only root can give up capabilities"
	exit 0
fi
printf '#pragma D option aggrate=100ms\nsyscall::write:entry /execname == "knownpod"/ { @[execname] = count(); @cg[cgroup] = count(); }\n' >"$tmp/pod.d/load.d"
: >"$tmp/pod.log"
setpriv --bounding-set "-all,$(cat "$tmp/caps")" --inh-caps -all "$build/dtraced" --config "$tmp/pod.conf" --name node.example >"$tmp/out" 2>"$tmp/pod.log" </dev/null &
agents=$!
waits grep -q 'metrics are at' "$tmp/pod.log"
port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/metrics$|\1|p' "$tmp/pod.log")
waits logged pod "program pods runs"
check $? "the programs of the manifest run with its capabilities"
waits logged pod "program load runs"
load 10 25
waits has_value "$port" 'dtrace_load_count_total{execname="knownpod"}' 25
check $? "and count"
grep -q '^dtrace_load_cg_total{cgroup="/' "$tmp/metrics"
check $? "control groups are keys"

# the systemd unit: systemd has no complaint, and its capabilities are enough
kill $agents
wait $agents
if command -v systemd-analyze >/dev/null; then
	sed "s|@SBIN@|$(realpath "$build")|" package/dtraced.service >"$tmp/dtraced.service"
	systemd-analyze verify --man=no "$tmp/dtraced.service" >"$tmp/log" 2>&1 && [ ! -s "$tmp/log" ]
	check $? "systemd understands the unit"
else
	echo "ok - systemd understands the unit # SKIP no systemd-analyze"
fi
sed -n 's/^CapabilityBoundingSet=//p' package/dtraced.service | sed 's/CAP_/+/g; y/ABCDEFGHIJKLMNOPQRSTUVWXYZ /abcdefghijklmnopqrstuvwxyz,/' >"$tmp/caps"
[ -s "$tmp/caps" ]
check $? "the unit names capabilities"
: >"$tmp/pod.log"
setpriv --bounding-set "-all,$(cat "$tmp/caps")" --inh-caps -all "$build/dtraced" --config "$tmp/pod.conf" --name node.example >"$tmp/out" 2>"$tmp/pod.log" </dev/null &
agents=$!
waits logged pod "program load runs"
port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/metrics$|\1|p' "$tmp/pod.log")
load 10 30
waits has_value "$port" 'dtrace_load_count_total{execname="knownpod"}' 30
check $? "an agent with those of the unit counts"
