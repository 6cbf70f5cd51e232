// The process that copies another one (launcher/copying.h), as this one talks to it.
#pragma once

#include <cstdint>
#include <memory>

#include "process_copy.h"

namespace cds {

// Session thread.
class Copier : public std::enable_shared_from_this<Copier> {
  public:
    // Takes over its control socket. Throws Failure when it does not answer.
    Copier(std::uint32_t process_id, int control);
    Copier(const Copier&) = delete;
    Copier& operator=(const Copier&) = delete;
    ~Copier() = default;

    // A copy of the process as it is now. One that `runs` is held for the moment; else its debugger holds it. Throws
    // Failure.
    std::shared_ptr<const ProcessCopy> copy(bool runs);

  private:
    void send(const std::string& line) const;
    CopyParts receive();
    void drop(std::uint32_t copy) const noexcept;
    [[noreturn]] void fail(const std::string& step, int error) const;

    std::uint32_t process_id_;
    Descriptor control_;
};

}  // namespace cds
