// The hand-shake with a starting runtime and the finding of its debugger library: what each operating system does its
// own way.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cordebug/com.h"
#include "debugger_pipes.h"

namespace cds {

// Makes a runtime that starts in one process wait for a debugger. Ends the wait when destroyed, whatever happened.
class StartupHandshake {
  public:
    virtual ~StartupHandshake() = default;
    // Whether the runtime stands and waits; false after the time.
    virtual bool wait(std::uint32_t timeout_ms) = 0;
    // Ends the hand-shake. Idempotent, never fails.
    virtual void finish() noexcept = 0;
};

// Throws Failure: no such process, or its start-up is claimed already.
std::unique_ptr<StartupHandshake> make_startup_handshake(std::uint32_t process_id);

struct RuntimeLocation {
    std::string library_path;    // the runtime's own library, UTF-8
    std::uint64_t base_address;  // where the process has it: its module handle
};

// The folder, or the one that TMPDIR names where it is NULL, with a slash at its end.
std::string temporary_folder_or_default(const char* folder);

// Where a process has its runtime. Throws Failure: no process, no permission, not .NET, replaced on disk, single-file.
RuntimeLocation locate_runtime(std::uint32_t process_id, const DebuggerPipes& pipes);

// Waits until the runtime answers debuggers. Throws Failure with CDS_E_NO_PIPES when it does not in time.
void wait_for_debugger_transport(std::uint32_t process_id, const DebuggerPipes& pipes,
                                 const std::string& temporary_folder, std::uint32_t timeout_ms);

// Loads the debugger library in the folder of a runtime, and makes it faster where it can. Throws Failure:
// CDS_E_UNTRUSTED where others could have written the library, unless `trust_runtime`. The library's handle is never to
// be closed.
void* load_debugger_library(const std::string& folder, bool trust_runtime);

// Initialises it: the loader of this platform does not.
void start_debugger_library(void* library);

// The same, but for one that was initialised before.
void start_debugger_library_once(void* library);

// Loads the debugger library beside the runtime and makes its root object. Throws as load_debugger_library does.
IUnknown* create_debugger_object(std::uint32_t process_id, const RuntimeLocation& runtime,
                                 const std::string& temporary_folder, bool trust_runtime);

}  // namespace cds
