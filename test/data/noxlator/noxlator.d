/* SPDX-License-Identifier: BSD-2-Clause */
/* A library whose probe has an argument that nothing translates. */
struct noxlator { int m; };
provider noxlator {
	probe start(int x) : (struct noxlator x);
};
