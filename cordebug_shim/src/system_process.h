// A process of the operating system that cannot be mistaken for a later one with the same id.
#pragma once

#include <cstdint>
#include <memory>

namespace cds {

// Any thread.
class SystemProcess {
  public:
    virtual ~SystemProcess() = default;
    // Ends it at once; one that has ended already is no error. Throws Failure when the system refuses.
    virtual void kill() = 0;
    // Whether it has ended, waited for by its parent or not.
    virtual bool has_ended() noexcept = 0;
    // Notes how long its threads have had the processor.
    virtual void note_turns() noexcept = 0;
    // Whether each thread has had the processor for a moment since they were noted, or does not want it now.
    virtual bool turns_were_had() const noexcept = 0;
};

// Throws Failure: no such process, or no permission.
std::unique_ptr<SystemProcess> open_process(std::uint32_t process_id);

}  // namespace cds
