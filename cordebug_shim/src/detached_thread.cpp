#include <functional>
#include <thread>
#include <utility>

#include "errors.h"
#include "stopper.h"

namespace cds {

void run_detached(std::function<void()> call) {
    std::thread([call = std::move(call)] {
        try {
            call();
        } catch (...) {
            remember_current_exception();
        }
    }).detach();
}

}  // namespace cds
