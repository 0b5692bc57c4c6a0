-- SPDX-License-Identifier: BSD-2-Clause
-- What Neovim's client gets from the server, written to $LSP_OUT, for lsp.sh.
local out = io.open(os.getenv("LSP_OUT"), "w")
local function say(...) out:write(table.concat({ ... }, " "), "\n") end
vim.g.dtrace_lsp_command = { os.getenv("LSP_DTRACE"), "--lsp", "-L", os.getenv("LSP_LIB") }
vim.cmd("filetype plugin on")
local last = vim.fn.line("$")
local incomplete = vim.fn.getline(last)
vim.fn.deletebufline("%", last)
vim.bo.filetype = "dtrace"
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
for _, d in ipairs(vim.diagnostic.get(0)) do say("diagnostic", d.lnum, d.message) end
local function ask(method, line, word, into)
	local text = vim.fn.getline(line)
	vim.fn.cursor(line, text:find(word, 1, true) + into)
	local params = vim.lsp.util.make_position_params(0, "utf-16")
	local all = vim.lsp.buf_request_sync(0, "textDocument/" .. method, params, 60000) or {}
	for _, r in pairs(all) do return r.result end
end
local hover = ask("hover", 6, "timestamp", 2)
say("hover", hover and hover.contents.value:gsub("\n", " ") or "nothing")
local there = ask("definition", 9, "O_CREAT", 2)
say("definition", there and there.uri or "nothing")
for _, i in ipairs((ask("completion", 7, "execnam", 7) or { items = {} }).items) do say("complete", i.label) end
vim.fn.append("$", incomplete)
for _, i in ipairs((ask("completion", vim.fn.line("$"), incomplete, #incomplete) or { items = {} }).items) do say("complete", i.label) end
out:close()
vim.cmd("qall!")
