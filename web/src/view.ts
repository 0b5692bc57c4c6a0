// SPDX-License-Identifier: BSD-2-Clause
// What views share. A view draws one aggregation, or the records; it is told when there is something new.
import type { Agg, Key, Model } from "./model";

/** What somebody has pointed at, for drill.ts. */
export interface Pick {
	agg: Agg;
	key?: Key;
	part?: number;			// of the key: which of its parts
	low?: number | null;		// of a distribution: the range, both ends included
	high?: number | null;
	frame?: string;			// of a stack
}

export interface Stage {
	model: Model;
	pick(p: Pick): void;
}

export interface View {
	readonly root: HTMLElement;
	/** New data, another size or another theme. */
	update(): void;
}
