// SPDX-License-Identifier: BSD-2-Clause
// The language server of D for VS Code: `dtrace --lsp` is started with the first D text, and asked by the protocol.
"use strict";
const vscode = require("vscode");
const { spawn } = require("child_process");

class Server {
	constructor(command, onNote, onEnd) {
		this.left = Buffer.alloc(0);
		this.asked = new Map();
		this.number = 0;
		this.onNote = onNote;
		this.process = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
		this.process.stdout.on("data", (d) => this.take(d));
		this.process.stdin.on("error", () => undefined);
		this.process.on("error", (e) => onEnd(e.message));
		this.process.on("exit", () => {
			for (const [, done] of this.asked) done(null);
			this.asked.clear();
			onEnd("");
		});
	}

	send(message) {
		const text = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
		this.process.stdin.write(`Content-Length: ${text.length}\r\n\r\n`);
		this.process.stdin.write(text);
	}

	ask(method, params) {
		const id = ++this.number;
		return new Promise((done) => {
			this.asked.set(id, done);
			this.send({ id, method, params });
		});
	}

	take(data) {
		this.left = Buffer.concat([this.left, data]);
		for (;;) {
			const head = this.left.indexOf("\r\n\r\n");
			const length = head < 0 ? null : /content-length: *(\d+)/i.exec(this.left.toString("latin1", 0, head));
			if (!length || this.left.length < head + 4 + Number(length[1])) return;
			const end = head + 4 + Number(length[1]), message = JSON.parse(this.left.toString("utf8", head + 4, end));
			this.left = this.left.subarray(end);
			const done = this.asked.get(message.id);
			if (message.method) this.onNote(message);
			else if (done) {
				this.asked.delete(message.id);
				done(message.result ?? null);
			}
		}
	}

	end() {
		void this.ask("shutdown", null).then(() => this.send({ method: "exit" }));
	}
}

const range = (r) => new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
const isD = (d) => d.languageId === "dtrace";
const place = (d, p) => ({ textDocument: { uri: d.uri.toString() }, position: { line: p.line, character: p.character } });

function diagnostic(d) {
	const found = new vscode.Diagnostic(range(d.range), d.message, d.severity - 1);
	found.source = d.source;
	found.code = d.code;
	return found;
}

function item(i) {
	const made = new vscode.CompletionItem(i.label, i.kind - 1);
	made.detail = i.detail;
	made.documentation = i.documentation;
	made.range = range(i.textEdit.range);
	made.insertText = i.textEdit.newText;
	made.filterText = i.textEdit.newText;
	return made;
}

let server = null;

exports.activate = (context) => {
	const wrong = vscode.languages.createDiagnosticCollection("dtrace"), keep = (x) => context.subscriptions.push(x);
	const command = vscode.workspace.getConfiguration("dtrace").get("server") ?? ["dtrace", "--lsp"];
	server = new Server(command, (m) => {
		if (m.method === "textDocument/publishDiagnostics")
			wrong.set(vscode.Uri.parse(m.params.uri), m.params.diagnostics.map(diagnostic));
	}, (why) => {
		if (why) void vscode.window.showWarningMessage(`D: ${command.join(" ")} cannot be started (${why}); install dtrace, or set dtrace.server`);
	});
	const ready = server.ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
	void ready.then(() => server.send({ method: "initialized", params: {} }));
	const note = (method, params) => void ready.then(() => server.send({ method: `textDocument/${method}`, params }));
	const ask = (method, params) => ready.then(() => server.ask(`textDocument/${method}`, params));
	const open = (d) => isD(d) && note("didOpen", { textDocument: { uri: d.uri.toString(), languageId: "dtrace",
		version: d.version, text: d.getText() } });
	vscode.workspace.textDocuments.forEach(open);
	keep(wrong);
	keep(vscode.workspace.onDidOpenTextDocument(open));
	keep(vscode.workspace.onDidChangeTextDocument((e) => isD(e.document) && note("didChange", {
		textDocument: { uri: e.document.uri.toString(), version: e.document.version },
		contentChanges: [{ text: e.document.getText() }] })));
	keep(vscode.workspace.onDidCloseTextDocument((d) => isD(d) && note("didClose", { textDocument: { uri: d.uri.toString() } })));
	keep(vscode.languages.registerCompletionItemProvider("dtrace", { provideCompletionItems: async (d, p) => {
		const list = await ask("completion", place(d, p));
		return list && new vscode.CompletionList(list.items.map(item), list.isIncomplete);
	} }, ":", ">", "@", "$"));
	keep(vscode.languages.registerHoverProvider("dtrace", { provideHover: async (d, p) => {
		const h = await ask("hover", place(d, p));
		return h && new vscode.Hover(new vscode.MarkdownString(h.contents.value), range(h.range));
	} }));
	keep(vscode.languages.registerDefinitionProvider("dtrace", { provideDefinition: async (d, p) => {
		const at = await ask("definition", place(d, p));
		return at && new vscode.Location(vscode.Uri.parse(at.uri), range(at.range));
	} }));
	keep(vscode.languages.registerDocumentSymbolProvider("dtrace", { provideDocumentSymbols: async (d) =>
		(await ask("documentSymbol", { textDocument: { uri: d.uri.toString() } }) ?? []).map((s) =>
			new vscode.DocumentSymbol(s.name, s.detail, s.kind - 1, range(s.range), range(s.selectionRange))) }));
};

exports.deactivate = () => server?.end();
