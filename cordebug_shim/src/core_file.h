// A core dump: the memory and the threads of a process that stands still for ever.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frozen_process.h"

namespace cds {

// Reads an ELF core of this machine's architecture. What is not as it should be throws Failure, never crashes.
class CoreFile final : public FrozenProcess {
  public:
    // Throws Failure: CDS_E_SYSTEM for a file that cannot be read, CDS_E_CORE for what is no core of x86-64.
    explicit CoreFile(const std::string& path);
    CoreFile(const CoreFile&) = delete;
    CoreFile& operator=(const CoreFile&) = delete;
    ~CoreFile() override;

    // Also those of files that were mapped and are here still as they were, unless `only_dumped`.
    std::size_t read(std::uint64_t address, void* buffer, std::size_t size) const override;
    std::size_t read(std::uint64_t address, void* buffer, std::size_t size, bool only_dumped) const;
    bool read_page(std::uintptr_t page, void* buffer, std::size_t size) const noexcept override;
    bool context(std::uint32_t thread, void* buffer, std::size_t size) const override;
    Image image(const std::string& name) const override;
    std::string build_id(std::uint64_t base) const override;
    const char* noun() const override { return "the dump"; }

    std::uint32_t process_id() const { return process_id_; }
    std::uint32_t signal() const { return signal_; }
    // The thread that took the signal, or that the dump was made for; 0 where there is none.
    std::uint32_t first_thread() const { return first_thread_; }

  private:
    struct Segment {
        std::uint64_t address = 0;
        std::uint64_t size = 0;  // that the core has
        std::uint64_t offset = 0;
    };
    struct Mapping {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        std::uint64_t offset = 0;
        std::string path;
    };
    struct MappedFile {
        int descriptor = -1;
    };

    std::size_t read_file(std::uint64_t offset, void* buffer, std::size_t size) const;
    void read_notes(std::uint64_t offset, std::uint64_t size);
    void read_note(std::uint32_t type, const std::uint8_t* content, std::size_t size);
    void read_mappings(const std::uint8_t* content, std::size_t size);
    std::size_t read_mapped(std::uint64_t address, void* buffer, std::size_t size) const;
    int mapped_file(const std::string& path) const;

    int descriptor_ = -1;
    std::int64_t modified_ = 0;
    std::uint32_t process_id_ = 0;
    std::uint32_t signal_ = 0;
    std::uint32_t first_thread_ = 0;
    std::vector<Segment> segments_;  // by address
    std::vector<Mapping> mappings_;  // by address
    std::map<std::uint32_t, std::vector<std::uint64_t>> registers_;
    mutable std::map<std::string, MappedFile> files_;
};

}  // namespace cds
