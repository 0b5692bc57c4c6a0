// SPDX-License-Identifier: BSD-2-Clause
// What was counted in each moment for each key, for pictures of a part of the time: only what has changed, in typed arrays of
// bounded size. The oldest quarter goes when they are full.

const MOST = 2 << 20;			// entries of 16 bytes

export class ChangeLog {
	private moments = new Uint32Array(1024);
	private keys = new Uint32Array(1024);
	private amounts = new Float64Array(1024);
	private n = 0;
	first = 0;			// the oldest moment of which everything is here

	add(moment: number, key: number, amount: number): void {
		if (this.n === MOST) this.forget();
		if (this.n === this.moments.length) this.grow();
		this.moments[this.n] = moment;
		this.keys[this.n] = key;
		this.amounts[this.n++] = amount;
	}

	private grow(): void {
		const size = this.moments.length * 2, wider = <T extends Uint32Array | Float64Array>(to: T, from: T) => (to.set(from), to);
		this.moments = wider(new Uint32Array(size), this.moments);
		this.keys = wider(new Uint32Array(size), this.keys);
		this.amounts = wider(new Float64Array(size), this.amounts);
	}

	private forget(): void {
		const quarter = MOST / 4;
		this.first = this.moments[quarter - 1] + 1;
		for (const a of [this.moments, this.keys, this.amounts]) a.copyWithin(0, quarter, this.n);
		this.n -= quarter;
	}

	/** What came in the moments from..to, both included. */
	each(from: number, to: number, take: (key: number, amount: number, moment: number) => void): void {
		let low = 0, high = this.n;
		while (low < high) {
			const middle = low + high >> 1;
			if (this.moments[middle] < from) low = middle + 1;
			else high = middle;
		}
		for (let i = low; i < this.n && this.moments[i] <= to; i++) take(this.keys[i], this.amounts[i], this.moments[i]);
	}
}
