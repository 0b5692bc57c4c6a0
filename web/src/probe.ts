// SPDX-License-Identifier: BSD-2-Clause
// The name of a probe as somebody would write it, from provider:module:function:name. Where entry and return, or a place in
// code, say what fired, the function is the name; other probes are named by their provider, and the function that they are in
// means nothing to who asked for them.

export function probeName(full: string): string {
	const [provider, , func, ...rest] = full.split(":"), name = rest.join(":");
	if (func === "" || func === undefined) return name;
	return /^(entry|return)$/.test(name) || /^pid\d/.test(provider) ? `${func}:${name}` : `${provider}:::${name}`;
}
