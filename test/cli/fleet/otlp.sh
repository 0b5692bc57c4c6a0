# SPDX-License-Identifier: BSD-2-Clause
# OTLP: what a collector gets of programs that run always, read by OpenTelemetry's own decoder for JavaScript; a collector that is not
# there, that is busy, that refuses, that takes only a part.
. test/cli/helpers.inc
known=knownotlp	# scripts run beside each other
. test/trigger/always.sh
always_begin "OTLP of programs that run always"
mkdir "$tmp/otlp.d"
answer 503
start_collector 0
check $? "a collector"
every_function >"$tmp/otlp.d/known.d"
cat >>"$tmp/otlp.d/known.d" <<'D'
syscall::write:entry /execname == "knownotlp"/ { self->span_start = timestamp; self->size = arg2; }
syscall::write:return /self->span_start/
{
	self->span_name = strjoin("write of ", execname); self->span_error = self->size == 390; self->span_trace = pid;
	trace(self->span_start); trace(self->span_name); trace(self->span_error); trace(self->span_trace); trace(self->size); trace(execname);
	self->span_start = 0;
}
D
start_agent otlp "memory=4000 cpu=100000 rate=10000000" "otlp http://127.0.0.1:$(cat "$tmp/port")/base/ every=1"
waits logged otlp "program known runs"
check $? "a program"

# busy, then there: nothing is lost
known_load
waits logged otlp "does not take what is sent; it is sent again later"
check $? "a collector that is busy: it is said, once"
retried() { scrape "$port" && [ "$(value dtrace_agent_otlp_retried_total)" -ge 2 ]; }
waits retried
check $? "requests are sent again"
answer 200
waits logged otlp "answers again"
check $? "and it is said when it answers"

need_decoder
cat >"$tmp/decode.js" <<'J'
// Decodes every request; prints what the last state of metrics is, and all spans together.
const fs = require('fs'), path = require('path');
const [top, modules] = process.argv.slice(2);
const proto = require(path.resolve(modules, 'node_modules/@opentelemetry/otlp-transformer/build/src/generated/root.js')).opentelemetry.proto;
const files = fs.readdirSync(top).filter(f => !f.endsWith('.part')).sort();
const read = (suffix, type) => files.filter(f => f.endsWith(suffix)).map(f => {
	const bytes = fs.readFileSync(path.join(top, f)), message = type.decode(bytes);
	if (type.verify(message) !== null || message.$unknowns)
		throw new Error(f);
	return type.toObject(message, { longs: String, bytes: String });
});
const metrics = read('.metrics', proto.collector.metrics.v1.ExportMetricsServiceRequest);
const traces = read('.traces', proto.collector.trace.v1.ExportTraceServiceRequest);
const text = list => (list || []).map(a => a.key + '=' + Object.values(a.value)[0]).join(',');
const last = metrics[metrics.length - 1];
if (last !== undefined) {
	const r = last.resourceMetrics[0];
	console.log('resource', text(r.resource.attributes));
	for (const m of r.scopeMetrics[0].metrics) {
		const kind = ['sum', 'gauge', 'histogram', 'summary'].find(k => m[k]), body = m[kind], p = body.dataPoints[0];
		if (body.dataPoints.length !== 1 || BigInt(p.startTimeUnixNano) > BigInt(p.timeUnixNano) || BigInt(p.timeUnixNano) < 1000000000000000000n)
			throw new Error(m.name);
		const buckets = (p.explicitBounds || []).map((b, i) => [b, p.bucketCounts[i]]).concat(p.bucketCounts ? [['inf', p.bucketCounts[p.bucketCounts.length - 1]]] : []);
		console.log(m.name, kind, body.aggregationTemporality || '-', body.isMonotonic || '-', '{' + text(p.attributes) + '}', p.asInt || '-', p.count || '-', p.sum === undefined ? '-' : p.sum,
			buckets.filter(b => b[1] !== '0').map(b => b.join(':')).join(' '), (p.quantileValues || []).map(q => q.quantile + ':' + q.value).join(' '));
	}
}
const spans = traces.flatMap(t => t.resourceSpans.flatMap(r => r.scopeSpans.flatMap(s => s.spans)));
const sum = {};
for (const s of spans) {
	const line = [s.name, s.kind, text(s.attributes), s.status ? 'status ' + s.status.code : ''].join(' ');
	sum[line] = (sum[line] || 0) + 1;
	if (BigInt(s.startTimeUnixNano) > BigInt(s.endTimeUnixNano) || Buffer.from(s.traceId, 'base64').length !== 16 || Buffer.from(s.spanId, 'base64').length !== 8)
		throw new Error('span');
}
for (const line of Object.keys(sum).sort())
	console.log('span', sum[line], line);
console.log('traces', new Set(spans.map(s => s.traceId)).size, 'ids', new Set(spans.map(s => s.spanId)).size);
J
if [ -n "$node" ]; then
	decoded() { node "$tmp/decode.js" "$tmp/got" "$modules" >"$tmp/out" 2>"$tmp/err" && grep -q '^dtrace.known.c sum 2 true {execname=knownotlp} 160 ' "$tmp/out" && grep -q '^traces 3 ids 160$' "$tmp/out"; }
	waits decoded
	check $? "OpenTelemetry's decoder reads all of it"
	cat >"$tmp/expected" <<-'DONE'
		resource service.name=dtrace,host.name=here,dtrace.program=known
		dtrace.known.av histogram 2 - {} - 160 9002  
		dtrace.known.c sum 2 true {execname=knownotlp} 160 - -  
		dtrace.known.l histogram 2 - {} - 160 - 49:30 99:128 inf:2 
		dtrace.known.ll histogram 2 - {} - 160 - 1:30 69:128 399:2 
		dtrace.known.ma gauge - - {} 390 - -  
		dtrace.known.mi gauge - - {} 1 - -  
		dtrace.known.p summary - - {} - 160 -  0:1 0.5:65 0.9:65 0.99:390 0.999:390 1:390
		dtrace.known.q histogram 2 - {execname=knownotlp} - 160 - 1:30 127:128 511:2 
		dtrace.known.s sum 2 - {} 9002 - -  
		dtrace.known.sd gauge - - {} 44 - -  
		span 128 write of knownotlp 1 self->size=64,execname=knownotlp 
		span 2 write of knownotlp 1 self->size=390,execname=knownotlp status 2
		span 30 write of knownotlp 1 self->size=1,execname=knownotlp 
		traces 3 ids 160
	DONE
	LC_ALL=C sort "$tmp/out" >"$tmp/sorted"
	LC_ALL=C sort "$tmp/expected" | diff - "$tmp/sorted" >"$tmp/log"
	check $? "metrics and spans are those of the load, bucket by bucket"
else
	echo "ok - OpenTelemetry's decoder reads all of it # SKIP npm cannot get @opentelemetry/otlp-transformer"
fi
sent() { scrape "$port" && [ "$(value dtrace_agent_otlp_sent_total)" -ge 2 ]; }
waits sent
check $? "what was sent is counted"
same "nothing was dropped or refused" "$(value dtrace_agent_otlp_dropped_total) $(value dtrace_agent_otlp_refused_total)" "0 0"

# refused for good, and in part
answer 400
waits logged otlp "the collector refuses a request with status 400 (/v1/"
check $? "a request that is refused is not sent again, and said"
answer 200 - 0a020805
waits logged otlp "the collector has not taken 5 items of a request"
check $? "what a collector does not take of a request is said"
refused() { scrape "$port" && [ "$(value dtrace_agent_otlp_refused_total)" -ge 2 ]; }
waits refused
check $? "and counted"

# gone: the queue is bounded by what the programs can make, and the agent ends all the same
answer 200
kill -9 "$collector"
full() { scrape "$port" && [ "$(value dtrace_agent_otlp_waiting)" -ge 3 ]; }
waits full
check $? "without a collector requests wait"
same "the program runs on" "$(value 'dtrace_agent_program_running{program="known"}')" 1
kill -TERM "$agent"
wait "$agent"
same "an agent without its collector ends" $? 0

# The queue is bounded: what is beyond it is dropped, oldest first, and counted.
cat >"$tmp/queue.c" <<'C'
#include "post.h"
#include <stdio.h>
#include <stdlib.h>

static void fill(int n, size_t len)
{
	struct post *p = post_open("http://127.0.0.1:1", "queue", NULL);
	char *bytes = calloc(1, len);
	struct queue_counts c;

	for (int i = 0; p != NULL && i < n; i++)
		post_put(p, "/v1/metrics", bytes, len);
	c = post_count(p);
	printf("%d: %llu + %llu, %llu\n", n, (unsigned long long)c.waiting, (unsigned long long)c.dropped, (unsigned long long)c.sent);
	post_close(p, 0);
	free(bytes);
}

int main(void)
{
	fill(300, 10);
	fill(5, 10 << 20);
	return 0;
}
C
if cc -D_GNU_SOURCE -DDT_VERSION='"test"' -Wall -Icmd/fleet -Icmd/common -o "$tmp/queue" "$tmp/queue.c" cmd/fleet/post.c cmd/fleet/queue.c -lpthread 2>"$tmp/log"; then
	"$tmp/queue" >"$tmp/out" 2>"$tmp/err"
	same "a queue of 256 requests" "$(sed -n 1p "$tmp/out")" "300: 256 + 44, 0"
	case $(sed -n 2p "$tmp/out") in
	"5: 3 + 2, 0" | "5: 4 + 1, 0") ok "or 32 MiB, and the one that is being sent" ;;
	*) bad "32 MiB: $(sed -n 2p "$tmp/out")" ;;
	esac
else
	bad "the queue compiles"
fi

for url in https://x.example ftp://x http:// 'http://[::1' 'http://a b' http://x:port http://x:80a http://x:; do
	printf 'always %s/otlp.d\notlp %s\n' "$tmp" "$(echo "$url" | tr -d ' ')$(echo "$url" | grep -q ' ' && printf '\001')" >"$tmp/bad.conf"
	"$build/dtraced" --config "$tmp/bad.conf" 2>"$tmp/err"
	same "$url is refused" "$? $(grep -c 'has to be http://HOST' "$tmp/err")" "1 1"
done
