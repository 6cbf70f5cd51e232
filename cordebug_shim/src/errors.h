// Failures inside the shim, and the one place where they become codes and a message for the calling thread.
#pragma once

#include <exception>
#include <string>

#include "cordebug/com.h"
#include "cordebug_shim.h"

namespace cds {

// Thrown inside the shim only. `guarded` turns it into a code at the boundary.
class Failure : public std::exception {
  public:
    Failure(std::int32_t code, std::string message, HRESULT hr = 0);
    const char* what() const noexcept override { return message_.c_str(); }
    std::int32_t code() const { return code_; }
    HRESULT hr() const { return hr_; }

  private:
    std::int32_t code_;
    HRESULT hr_;
    std::string message_;
};

// CDS_E_GONE, CDS_E_STALE or CDS_E_RUNTIME, as the HRESULT says; `what` names the call that failed.
[[noreturn]] void fail_runtime(HRESULT hr, const char* what);

// Throws when the runtime refused a call.
inline void require(HRESULT hr, const char* what) {
    if (failed(hr)) {
        fail_runtime(hr, what);
    }
}

// Name of an HRESULT or its hexadecimal digits.
std::string hresult_text(HRESULT hr);

// Remembers the exception under way as this thread's last error; only inside a catch block.
std::int32_t remember_current_exception() noexcept;

// The code of this thread's last error.
std::int32_t last_error_code() noexcept;

// Runs the body of an entry point: nothing is ever thrown out of it.
template <typename Body>
std::int32_t guarded(Body&& body) noexcept {
    try {
        body();
        return CDS_OK;
    } catch (...) {
        return remember_current_exception();
    }
}

}  // namespace cds
