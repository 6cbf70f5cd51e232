"""Steps.

A step is a stack of plans: `plan` says what one is, `plan_stack` has the one loop that asks them, `stepper` starts
steps, and `statement` is the plan at the bottom of each. What else is here:

- `plans/`: the plans that carry a step, and those of runtimes' and threads' peculiarities
  - `moves`: over or into ranges of IL, out of a frame, through a library's code
  - `multicast_delegates`: the same without Just My Code where an older runtime would end the program
  - `run_to_return`: out of what a library or the runtime has called: lambdas, the methods of a delegate
  - `out_of_call`: out of any other method; `step`, `run_to`: what others are made of
  - `targeted_call`: into one chosen call of the statement
  - `library_callback`: through a library's method that calls the user's code
  - `thrown`: an exception on the way; `pool_item`: the end of what the thread pool or a timer runs
  - `interrupted_thread`: steps of a thread that was stopped in mid-statement
- `async_/`: the plans of async methods
  - `await_resumption`: over an await that suspends; `await_ends`: at the end of its statement; `await_plan`: their base
  - `awaiting_caller`: over the end of an async method, or out of it, into whoever awaits it, a library included
  - `waiters`: where these go on; `result_notice`: who takes the result later, and the elements of async iterators
  - `out_of_result_taker`: out of the library's code that takes a result; `async_entry`: into optimised async methods
  - `remembered_calls`, `running_tasks`: which call, which task it is
- `fsharp/`: `computation`: the plan that goes on in the pieces of F#'s computations; `computation_run`,
  `dynamic_machines`: what runs those
- `move_planner`: which plans carry a step from where it is; `landing`: whether it may end where it has come to;
  `origin`: where it has begun
- `skipped_methods`: step filtering: properties, operators, methods without source; `ranges`: the IL of statements and
  lines; `step_in_targets`, `call_places`: the calls of a statement
- `return_values`, `skip_notes`, `story`: listeners: what calls returned, what was stepped over, what the step did

What steps read of async methods and tasks is in `dap_dotnet/async_tasks`.
"""
