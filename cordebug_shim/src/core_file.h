// A core dump: the memory and the threads of a process that stands still for ever.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cds {

// Reads an ELF core of this machine's architecture. What is not as it should be throws Failure, never crashes.
class CoreFile {
  public:
    // Throws Failure: CDS_E_SYSTEM for a file that cannot be read, CDS_E_CORE for what is no core of x86-64.
    explicit CoreFile(const std::string& path);
    CoreFile(const CoreFile&) = delete;
    CoreFile& operator=(const CoreFile&) = delete;
    ~CoreFile();

    // How many bytes there are from an address on, at most `size`; also those of files that were mapped and are here
    // still as they were, unless `only_dumped`.
    std::size_t read(std::uint64_t address, void* buffer, std::size_t size, bool only_dumped = false) const;

    // A thread's registers as a CONTEXT of the runtime; false for a thread that is not in the core.
    bool context(std::uint32_t thread, void* buffer, std::size_t size) const;

    struct Image {
        std::string path;
        std::uint64_t base = 0;
    };
    // Where a library was mapped, by the end of its path; without a path when it was not.
    Image image(const std::string& name) const;
    // The build id of an image as it was in memory, in hexadecimal digits; empty when the core does not tell.
    std::string build_id(std::uint64_t base) const;

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

// The build id of an ELF file, in hexadecimal digits; empty for a file without one.
std::string build_id_of_file(const std::string& path);

}  // namespace cds
