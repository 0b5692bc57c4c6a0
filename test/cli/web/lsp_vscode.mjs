// SPDX-License-Identifier: BSD-2-Clause
// The extension for VS Code, with a stand-in for the editor: lsp_vscode.mjs EXTENSION SCRIPT DTRACE LIBRARIES, for lsp.sh.
import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";

const [extension, script, dtrace, libraries] = process.argv.slice(2), text = readFileSync(script, "utf8").replace("syscall::re\n", "");
let failed = 0, received = null;
const check = (good, what) => {
	console.log(`${good ? "ok" : "not ok"} - VS Code: ${what}`);
	failed += good ? 0 : 1;
};
class Range { constructor(a, b, c, d) { this.at = [a, b, c, d]; } }
class Made { constructor(...words) { this.words = words; } }
const providers = {}, register = (name) => (_, p) => { providers[name] = p; return {}; };
const uri = { toString: () => `file://${script}` };
const document = { languageId: "dtrace", version: 1, uri, getText: () => text };
const vscode = {
	Range, Diagnostic: class extends Made {}, CompletionItem: class extends Made {}, CompletionList: class extends Made {},
	Hover: class extends Made {}, MarkdownString: class extends Made {}, Location: class extends Made {}, DocumentSymbol: class extends Made {},
	Uri: { parse: (s) => s },
	window: { showWarningMessage: (m) => console.log(`not ok - ${m}`) },
	workspace: { textDocuments: [document], getConfiguration: () => ({ get: () => [dtrace, "--lsp", "-L", libraries] }),
		onDidOpenTextDocument: () => ({}), onDidChangeTextDocument: () => ({}), onDidCloseTextDocument: () => ({}) },
	languages: { createDiagnosticCollection: () => ({ set: (u, list) => { received = list; } }), registerCompletionItemProvider: register("complete"),
		registerHoverProvider: register("hover"), registerDefinitionProvider: register("define"), registerDocumentSymbolProvider: register("symbols") },
};
const load = Module._load;
Module._load = (name, ...rest) => name === "vscode" ? vscode : load(name, ...rest);
const { activate, deactivate } = createRequire(import.meta.url)(extension);
activate({ subscriptions: [] });
const place = (word, into) => {
	const before = text.slice(0, text.indexOf(word) + into).split("\n");
	return { line: before.length - 1, character: before.at(-1).length };
};
const hover = await providers.hover.provideHover(document, place("timestamp", 2));
check(hover.words[0].words[0].includes("uint64_t timestamp"), "what a word is");
const at = await providers.define.provideDefinition(document, place("OWN_LIMIT", 2));
check(at.words[0].endsWith("/own.d") && at.words[1].at[0] === 0, "where it is declared");
const list = await providers.complete.provideCompletionItems(document, place("execnam", 7));
check(list.words[0].some((i) => i.words[0] === "execname" && i.insertText === "execname"), "what can follow");
check((await providers.symbols.provideDocumentSymbols(document)).length === 3, "what the text has");
while (received === null) await new Promise((done) => setTimeout(done, 20));
check(received.length === 1 && received[0].words[1].includes("execnam") && received[0].words[2] === 0, "an error");
deactivate();
process.exitCode = failed;
