#pragma once

#include <atomic>

namespace cds::test {

// No thread can be made.
extern std::atomic<bool> no_threads;

}  // namespace cds::test
