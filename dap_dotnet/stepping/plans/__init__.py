"""The plans of steps; `stepping.plan_stack` has the loop that asks them."""
