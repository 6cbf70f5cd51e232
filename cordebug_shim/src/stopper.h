// Calls into the runtime that may never return, each on a thread that can be given up.
#pragma once

#include <chrono>
#include <functional>

namespace cds {

// Runs `call` on a thread of its own. True when it returned before the deadline; else the thread is left to itself, and
// what `call` captured must outlive it (shared ownership).
bool run_within(std::chrono::steady_clock::time_point deadline, std::function<void()> call);

// The same without a deadline: true when it returned before `is_given_up`, which is asked every 20 ms, became true.
bool run_until(const std::function<bool()>& is_given_up, std::function<void()> call);

// Runs `call` on a thread of its own without waiting.
void run_detached(std::function<void()> call);

}  // namespace cds
