# SPDX-License-Identifier: BSD-2-Clause
# A client of the language server, for lsp.sh: lsp_client.py FOLDER COMMAND...
import json
import subprocess
import sys

folder, command = sys.argv[1], sys.argv[2:]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
asked = 0
received = []


def send(message):
    data = json.dumps(dict(message, jsonrpc="2.0"), ensure_ascii=asked % 2 == 0).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    server.stdin.flush()


def receive():
    length = 0
    while True:
        line = server.stdout.readline().strip()
        if line == b"":
            break
        name, value = line.split(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return json.loads(server.stdout.read(length))


def ask(method, params):
    global asked
    asked += 1
    send({"id": asked, "method": method, "params": params})
    while True:
        message = receive()
        if message.get("id") == asked and "method" not in message:
            return message.get("result", message.get("error"))
        received.append(message)


def note(method, params):
    send({"method": method, "params": params})


def check(good, what, *seen):
    print("ok - " + what if good else "not ok - %s: %s" % (what, json.dumps(seen, ensure_ascii=False)[:600]))


text = open(folder + "/script.d", encoding="utf-8").read()
uri = "file://" + folder + "/script.d"


def place(where, into, width):
    before = text[:text.index(where) + into]
    return {"textDocument": {"uri": uri},
            "position": {"line": before.count("\n"), "character": width(before.split("\n")[-1])}}


def utf16(line):
    return len(line.encode("utf-16-le")) // 2


def utf8(line):
    return len(line.encode())


def diagnostics(version):
    while True:
        message = receive()
        if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["version"] == version:
            return message["params"]["diagnostics"]


def covered(found, width):
    """The text that a range means."""
    line = text.split("\n")[found["start"]["line"]]
    return "".join(c for i, c in enumerate(line)
                   if found["start"]["character"] <= width(line[:i]) < found["end"]["character"])


width = utf16
begun = ask("initialize", {"capabilities": {}})
check(begun["capabilities"]["positionEncoding"] == "utf-16", "columns are those of UTF-16 if nothing is said", begun)
note("initialized", {})
note("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "dtrace", "version": 1, "text": text}})
found = diagnostics(1)
check(len(found) == 1 and found[0]["code"] == "D_SYNTAX" and found[0]["range"]["start"]["line"] >= 9,
      "a clause that is not complete yet", found)
check(ask("textDocument/completion", place("syscall::re\n", 11, width))["items"][0]["label"] ==
      "syscall:vmlinux:read:entry", "probes that can follow")

text = text.replace("syscall::re\n", "")
note("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "x"}, {"text": text}]})
found = diagnostics(2)
check(len(found) == 1 and covered(found[0]["range"], width) == "execnam" and "execname" in found[0]["message"],
      "an error at its place, behind characters of two halves, with its hint", found)
for name, into, want in (("timestamp", 3, "uint64_t timestamp"), ("O_CREAT", 1, "inline int O_CREAT"),
                         ("LIMIT > 2", 0, "inline int LIMIT = 3;"), ("OWN_LIMIT", 2, "inline int OWN_LIMIT = 4;"),
                         ("count()", 5, "count()"), ("pr_fname", 4, "string pr_fname"),
                         ("syscall::open*", 9, "probes"), ("exec-success", 6, "one probe")):
    got = ask("textDocument/hover", place(name, into, width))
    check(got is not None and want in got["contents"]["value"], "what %s is" % name, got)
check(ask("textDocument/hover", place("{", 0, width)) is None, "a brace is nothing")
for name, into, want, line in (("O_CREAT", 7, "/fcntl.d", "O_CREAT"), ("LIMIT > 2", 2, "/script.d", "LIMIT = 3"),
                               ("OWN_LIMIT", 1, "/lib/own.d", "OWN_LIMIT"), ("self->t", 6, "/script.d", "self->t ="),
                               ("@opens", 3, "/script.d", "@opens["), ("pr_fname", 1, ".d", "string pr_fname")):
    got = ask("textDocument/definition", place(name, into, width))
    good = got is not None and got["uri"].endswith(want)
    if good and got["uri"] != uri:
        lines = open(got["uri"][7:].replace("%20", " "), encoding="utf-8").read().split("\n")
    else:
        lines = text.split("\n")
    check(good and line in lines[got["range"]["start"]["line"]], "where %s is declared" % name, got)
for name, into, want in (("execnam", 7, "execname"), ("self->t", 6, "self->t"), ("@opens", 3, "@opens"), ("O_CREAT", 3, "O_CREAT"),
                         ("OWN_LIMIT", 3, "OWN_LIMIT"), ("$target", 4, "$target"), ("count()", 3, "count")):
    got = ask("textDocument/completion", place(name, into, width))
    item = [i for i in got["items"] if i["label"] == want]
    check(len(item) == 1 and name.startswith(covered(item[0]["textEdit"]["range"], width)), "%s can follow" % want, got)
names = [s["name"] for s in ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})]
check(names == ["LIMIT", "syscall::open*:entry", "proc:::exec-success"], "what the text has", names)

text = "syscal::read:entry { }\nBEGIN { nosuch(); }\n"
note("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [{"text": text}]})
found = diagnostics(3)
check([f["severity"] for f in found] == [2, 1] and "did you mean syscall" in found[0]["message"],
      "a probe that is not here is a warning, and the rest is looked at", found)
text = "#pragma D option bufs\n"
note("textDocument/didChange", {"textDocument": {"uri": uri, "version": 4}, "contentChanges": [{"text": text}]})
got = ask("textDocument/completion", place("bufs", 4, width))
check([i["label"] for i in got["items"]] == ["bufsize"], "options behind #pragma", got)
text = "\xff\ud83d" + "{" * 5000 + "/" * 5000 + "\"" + "'"
note("textDocument/didChange", {"textDocument": {"uri": uri, "version": 5}, "contentChanges": [{"text": text.encode("utf-8", "replace").decode()}]})
check(len(diagnostics(5)) >= 1, "nonsense has an error")
note("textDocument/didClose", {"textDocument": {"uri": uri}})
check(ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}})["code"] == -32602,
      "a text that was closed")
check(received[-1]["params"]["diagnostics"] == [], "its errors are taken back", received[-1])
check(ask("workspace/nothing", {})["code"] == -32601, "a method that there is not")
check(ask("shutdown", None) is None, "shutdown")
note("exit", None)
server.stdin.close()
sys.exit(server.wait())
