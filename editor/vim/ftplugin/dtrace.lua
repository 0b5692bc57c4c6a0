-- SPDX-License-Identifier: BSD-2-Clause
-- Neovim: the language server of D, unless g:dtrace_no_lsp is set. g:dtrace_lsp_command is a list of words.
if vim.b.did_dtrace_lsp or vim.g.dtrace_no_lsp or not vim.lsp then return end
local command = vim.g.dtrace_lsp_command or { "dtrace", "--lsp" }
if vim.fn.executable(command[1]) == 0 then return end
vim.b.did_dtrace_lsp = true
local config = { name = "dtrace", cmd = command, root_dir = vim.fn.getcwd() }
if vim.lsp.start then
	vim.lsp.start(config)
else				-- before 0.8
	vim.g.dtrace_lsp_client = vim.g.dtrace_lsp_client or vim.lsp.start_client(config)
	if vim.g.dtrace_lsp_client then vim.lsp.buf_attach_client(0, vim.g.dtrace_lsp_client) end
end
