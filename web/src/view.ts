// SPDX-License-Identifier: BSD-2-Clause
// What views share, and the list of them. A view is one file in view/: it draws one aggregation, or what the trace has
// recorded, and calls register() with its name, its style and what it fits. The build puts all files of view/ into the page.
import type { Agg, Key, Model } from "./model";
import { Timeline } from "./timeline";

/** What the user has chosen, for drill.ts. */
export interface Pick {
	agg: Agg;
	key?: Key;
	part?: number;			// of the key: which of its parts
	low?: number | null;		// of a distribution: the range, both ends included
	high?: number | null;
	frame?: string;			// of a stack
	keep?: boolean;			// examples of it are wanted
}

/** A cell of a heat map: of a key, or of all together. */
export interface Cell { agg: Agg; key: Key | null; moment: number; bucket: number }
export interface Examples { readonly root: HTMLElement; show(cell: Cell | null): void }

export interface Stage {
	model: Model;
	/** Offers programs that look closer; a file without an editor has none. */
	pick?(p: Pick): void;
	/** What shows examples of a cell; a file without records has none. */
	examples?(): Examples;
	/** Time, as all views of the trace share it. */
	time?: Timeline;
	/** What has come of late is worth more than what has come at all: keys are sorted by it. */
	recent?: boolean;
}

/** Rows of 30 pixels that a panel has, if all panels of a dashboard are to be on the screen. */
export function compactRows(): number {
	return Math.max(8, Math.floor((innerHeight - 420) / 60));
}

/** The time of a stage; one of its own if it has none. */
export function timeOf(stage: Stage): Timeline {
	return stage.time ??= new Timeline(stage.model, !!stage.pick);
}

export interface View {
	readonly root: HTMLElement;
	/** New data, another size or another theme. */
	update(): void;
}

interface Named {
	name: string;			// of its tab or card
	order: number;			// tabs and cards are sorted by it
	css: string;
	keys?: [string, string][];	// what they do in its picture
}
/** A tab in the card of each aggregation that it fits. */
export interface AggView extends Named { fits(agg: Agg): boolean; make(stage: Stage, agg: Agg): View }
/** A card of its own, once it fits the trace. */
export interface TraceView extends Named { fitsTrace(model: Model): boolean; makeForTrace(stage: Stage): View }

export const aggViews: AggView[] = [];
export const traceViews: TraceView[] = [];

/** The style is adopted, not written into the page: its policy allows no other way. */
export function register(view: AggView | TraceView): void {
	const sheet = new CSSStyleSheet();
	sheet.replaceSync(view.css);
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
	const put = <T extends Named>(list: T[], v: T) => {
		list.push(v);
		list.sort((a, b) => a.order - b.order);
	};
	if ("fits" in view) put(aggViews, view);
	else put(traceViews, view);
}
