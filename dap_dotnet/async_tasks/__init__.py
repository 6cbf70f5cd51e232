"""Async methods and tasks, as the objects of the program have them: where they stand, who awaits them.

- `state_machine`, `await_states`: one call of an async method, and at which `await` it is suspended
- `awaiters`, `async_callers`: who awaits it, and who awaits that
- `suspended_methods`, `boxes`, `awaited`, `task_trees`: all that are suspended, found on the heap, and what they await
- `fsharp_computations`, `fsharp_places`, `fsharp_pieces`: the same for F#'s tasks without optimisation
- `awaited_exceptions`, `delegate_exceptions`, `delegate_uses`: whether anybody handles what goes into a task
"""
