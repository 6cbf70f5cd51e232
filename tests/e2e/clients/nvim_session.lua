-- One session of nvim-dap: the set-up that `dap-dotnet config` prints, a breakpoint, a look at stack and locals, a step, on to the end.
-- Environment: NVIM_DAP (its folder), SETUP (what `config` prints), PROGRAM, SOURCE, LINE, RESULT (a file for what was seen, as JSON).
vim.opt.runtimepath:append(vim.env.NVIM_DAP)
local dap = require("dap")
local seen = { stops = {} }
local previous_frame

local function finish(problem)
  seen.problem = problem
  local file = assert(io.open(vim.env.RESULT, "w"))
  file:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
  file:close()
  vim.cmd("qall!")
end

dofile(vim.env.SETUP)
local configuration = vim.tbl_extend("force", dap.configurations.cs[1], {
  program = vim.env.PROGRAM,
  args = { "3" },
  console = "internalConsole", -- nobody sees a terminal here
})

dap.listeners.after.event_stopped["test"] = function(session, body)
  -- nvim-dap asks for threads, stack and scopes of its own accord; what it then shows is in session.current_frame.
  vim.wait(10000, function()
    local frame = session.current_frame
    return frame and frame ~= previous_frame and frame.scopes and frame.scopes[1] and frame.scopes[1].variables ~= nil
  end, 10)
  local frame = session.current_frame
  previous_frame = frame
  local locals = {}
  for _, variable in pairs(frame and frame.scopes and frame.scopes[1].variables or {}) do
    locals[variable.name] = variable.value
  end
  table.insert(seen.stops, { reason = body.reason, line = frame and frame.line, locals = locals })
  if #seen.stops == 1 then
    dap.clear_breakpoints()
    dap.step_over()
  else
    dap.continue()
  end
end
dap.listeners.before.event_exited["test"] = function(_, body) seen.exit_code = body.exitCode end
dap.listeners.after.event_terminated["test"] = function() vim.defer_fn(finish, 200) end

vim.defer_fn(function() finish("time ran out") end, 30000)
vim.cmd("edit " .. vim.fn.fnameescape(vim.env.SOURCE))
vim.bo.filetype = "cs"
vim.api.nvim_win_set_cursor(0, { tonumber(vim.env.LINE), 0 })
dap.set_breakpoint()
dap.run(configuration)
