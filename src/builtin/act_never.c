/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions that have no meaning on an unmodified Linux. They are known by name, so that programs which use
 * them get a sentence that says what to do instead of an unknown name.
 */
#include "builtin/act_common.h"

/*
 * A row whose .unsupported makes the compiler refuse it; the other members are never used, but must be there.
 */
#define NEVER(n, f, i, p, why, d) \
	{ \
		.names = DT_ACT_NAMES({ .name = n, \
		    .kind = DT_BI_ACTION, \
		    .flags = f, \
		    .id = i, \
		    .proto = p, \
		    .attr = DT_ATTR_STABLE_COMMON, \
		    .unsupported = why, \
		    .doc = d }), \
		.shape = DT_SHAPE_EFFECT, .size = dt_field_by_type_size, .lower = dt_field_refused, \
		.bytes = dt_bytes_by_type, .value = dt_record_by_type, .text = dt_statement_other, \
		.json = dt_json_action_plain \
	}

const struct dt_action dt_action_PANIC = NEVER("panic", DT_BF_DESTRUCTIVE, DT_ACT_PANIC, "void()",
    "a tracing program cannot crash an unmodified kernel; write c to /proc/sysrq-trigger from system( )",
    "crashes the kernel");

const struct dt_action dt_action_BREAKPOINT = NEVER("breakpoint", DT_BF_DESTRUCTIVE, DT_ACT_BREAKPOINT,
    "void()",
    "a tracing program cannot enter the kernel debugger; write g to /proc/sysrq-trigger from system( )",
    "enters the kernel's debugger");

const struct dt_action dt_action_PCAP = NEVER("pcap", DT_BF_RECORDS, DT_ACT_PCAP, "void(void *, int)",
    "packet capture is not part of this release; tracemem( ) records the bytes of a packet",
    "records a packet for packet tools");
