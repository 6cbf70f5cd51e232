// In the place of detached_thread.cpp: threads that can be refused.
#include "fake_stopper.h"

#include <system_error>
#include <thread>
#include <utility>

#include "errors.h"
#include "stopper.h"

namespace cds {

std::atomic<bool> test::no_threads{false};

void run_detached(std::function<void()> call) {
    if (test::no_threads) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    }
    std::thread([call = std::move(call)] {
        try {
            call();
        } catch (...) {
            remember_current_exception();
        }
    }).detach();
}

}  // namespace cds
