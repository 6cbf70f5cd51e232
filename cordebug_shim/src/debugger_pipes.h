// The pipes by which the runtime of a process and its debugger talk, as they show before a debugger comes.
#pragma once

#include <cstdint>
#include <string>

namespace cds {

class DebuggerPipes {
  public:
    // Of a process with this TMPDIR. Throws as fail_process does.
    DebuggerPipes(std::uint32_t process_id, std::string temporary_folder);

    // Whether the runtime has made them, where the process itself looks for them.
    bool are_made() const;

    // Whether both are where a debugger looks for them, and are pipes of the process's own, not something that another
    // user has put in their place.
    bool are_reachable() const;

    // Throws CDS_E_OTHER_NAMESPACE where the runtime has made them, and a debugger here would not find them.
    void require_same_namespace() const;

    // Throws CDS_E_ALREADY_DEBUGGED where somebody has come to them. A second debugger's attempt to attach would hang
    // both.
    void require_no_debugger() const;

  private:
    bool is_own_pipe(const std::string& path) const;

    std::uint32_t process_id_;
    std::string folder_;
    std::string in_;
    std::string out_;
    std::string in_inside_;  // through the process's own root
};

}  // namespace cds
