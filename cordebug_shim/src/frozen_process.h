// A process that stands still for ever, or a copy of one that does: what the runtime's library reads it through.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "borrowed_pages.h"

namespace cds {

class FrozenProcess : public PageSource {
  public:
    FrozenProcess() = default;
    FrozenProcess(const FrozenProcess&) = delete;
    FrozenProcess& operator=(const FrozenProcess&) = delete;
    virtual ~FrozenProcess() = default;

    // How many bytes there are from an address on, at most `size`.
    virtual std::size_t read(std::uint64_t address, void* buffer, std::size_t size) const = 0;

    // A thread's registers as a CONTEXT of the runtime; false for a thread that is not known.
    virtual bool context(std::uint32_t thread, void* buffer, std::size_t size) const = 0;

    struct Image {
        std::string path;
        std::uint64_t base = 0;
    };
    // Where a library was mapped, by the end of its path; without a path when it was not.
    virtual Image image(const std::string& name) const = 0;

    // The build id of an image as it was in memory, in hexadecimal digits; empty when that is not known.
    virtual std::string build_id(std::uint64_t base) const = 0;

    // For a person: "the dump".
    virtual const char* noun() const = 0;
};

// The build id of an image whose bytes `read` gives by their distance from its base; empty where there is none.
std::string find_build_id(const std::function<std::size_t(std::uint64_t offset, void* buffer, std::size_t size)>& read);

// The build id of an ELF file, in hexadecimal digits; empty for a file without one.
std::string build_id_of_file(const std::string& path);

// As pread, but that it goes on until all is read, or nothing is left.
std::size_t read_at(int descriptor, std::uint64_t offset, void* buffer, std::size_t size) noexcept;

constexpr std::size_t registers_size = 216;  // sizeof(user_regs_struct)

// A CONTEXT of the runtime from the registers of x86-64 as ptrace has them (user_regs_struct), or without them: the
// runtime knows by itself where a thread is that its debugger holds. False where the buffer is too small.
bool write_context(const void* registers, void* buffer, std::size_t size);

}  // namespace cds
