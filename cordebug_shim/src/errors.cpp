#include "errors.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

namespace cds {
namespace {

struct HresultName {
    std::uint32_t value;
    const char* name;
};

constexpr HresultName general_names[] = {
    {0x00000000U, "S_OK"},
    {0x00000001U, "S_FALSE"},
    {0x80004001U, "E_NOTIMPL"},
    {0x80004002U, "E_NOINTERFACE"},
    {0x80004003U, "E_POINTER"},
    {0x80004005U, "E_FAIL"},
    {0x8000ffffU, "E_UNEXPECTED"},
    {0x80070005U, "E_ACCESSDENIED"},
    {0x8007000eU, "E_OUTOFMEMORY"},
    {0x80070057U, "E_INVALIDARG"},
    {0x8007012bU, "ERROR_PARTIAL_COPY"},
    {0x800705b4U, "ERROR_TIMEOUT"},
};

// Sorted by value: looked up by bisection.
constexpr HresultName runtime_names[] = {
#include "hresult_names.inc"
};

thread_local cds_error last_error{};

void remember(std::int32_t code, HRESULT hr, const char* message) noexcept {
    last_error.code = code;
    last_error.hresult = hr;
    std::snprintf(last_error.message, sizeof last_error.message, "%s", message);
}

const char* find_name(std::uint32_t value) noexcept {
    for (const HresultName& entry : general_names) {
        if (entry.value == value) {
            return entry.name;
        }
    }
    const auto* found =
        std::lower_bound(std::begin(runtime_names), std::end(runtime_names), value,
                         [](const HresultName& entry, std::uint32_t wanted) { return entry.value < wanted; });
    return found != std::end(runtime_names) && found->value == value ? found->name : nullptr;
}

}  // namespace

Failure::Failure(std::int32_t code, std::string message, HRESULT hr)
    : code_(code), hr_(hr), message_(std::move(message)) {}

std::string hresult_text(HRESULT hr) {
    if (const char* name = find_name(static_cast<std::uint32_t>(hr)); name != nullptr) {
        return name;
    }
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "0x%08X", static_cast<std::uint32_t>(hr));
    return digits.data();
}

void fail_runtime(HRESULT hr, const char* what) {
    switch (hr) {
        case CORDBG_E_PROCESS_TERMINATED:
        case CORDBG_E_PROCESS_DETACHED:
            throw Failure(CDS_E_GONE, "The process is gone or was detached from.", hr);
        case CORDBG_E_OBJECT_NEUTERED:
            throw Failure(CDS_E_STALE, "What was asked for belongs to an earlier stop.", hr);
        case CORDBG_E_PROCESS_NOT_SYNCHRONIZED:
            throw Failure(CDS_E_RUNTIME, "The program is running; stop it first.", hr);
        default:
            throw Failure(CDS_E_RUNTIME, std::string(what) + " failed: " + hresult_text(hr) + ".", hr);
    }
}

std::int32_t remember_current_exception() noexcept {
    try {
        throw;
    } catch (const Failure& failure) {
        remember(failure.code(), failure.hr(), failure.what());
    } catch (const std::bad_alloc&) {
        remember(CDS_E_MEMORY, 0, "Out of memory.");
    } catch (const std::exception& error) {
        remember(CDS_E_INTERNAL, 0, error.what());
    } catch (...) {
        remember(CDS_E_INTERNAL, 0, "An unknown exception.");
    }
    return last_error.code;
}

std::int32_t last_error_code() noexcept {
    return last_error.code;
}

}  // namespace cds

void cds_error_last(cds_error* out_error) {
    if (out_error != nullptr && out_error->size == sizeof *out_error) {
        *out_error = cds::last_error;
        out_error->size = sizeof *out_error;
    }
}

const char* cds_hresult_name(int32_t hresult) {
    return cds::find_name(static_cast<std::uint32_t>(hresult));
}

int32_t cds_version(void) {
    return CDS_VERSION;
}
