"""Steps.

A step is a stack of plans: `plan` says what one is, `plan_stack` has the one loop that asks them, `stepper` starts
steps, and `statement` is the plan at the bottom of each. What else is here:

- `plans/`: the plans that carry a step, and those of runtimes' and threads' peculiarities
- `async_/`: the plans of async methods: behind an await, in whoever awaits or takes the result
- `fsharp/`: the plan that goes on in the pieces of F#'s computations
- `ranges`, `skipped_methods`, `step_in_targets`: what the IL and the symbols say of statements and calls
- `return_values`, `skip_notes`, `story`: listeners: what calls returned, what was stepped over, what the step did

What steps read of async methods and tasks is in `dap_dotnet/async_tasks`.
"""
