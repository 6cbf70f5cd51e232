// A copy of a process: a fork of it that never runs. Its memory is as it was.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frozen_process.h"

namespace cds {

// A descriptor that is closed in the end; -1 for none.
class Descriptor {
  public:
    explicit Descriptor(int number = -1) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor();
    int number() const { return number_; }
    bool is_open() const { return number_ >= 0; }

  private:
    int number_;
};

// What a copier sends of a copy.
struct CopyParts {
    std::uint32_t process_id = 0;  // of the copy
    std::uint32_t pause_us = 0;
    Descriptor memory;     // /proc/COPY/mem
    Descriptor shared;     // what was in the file of memory that the process shares with its copies
    Descriptor registers;  // of its threads, where they were recorded
};

class ProcessCopy final : public FrozenProcess {
  public:
    // `drop` ends the copy. Throws Failure when the copy is gone already.
    ProcessCopy(CopyParts parts, std::function<void()> drop);
    ~ProcessCopy() override;

    std::size_t read(std::uint64_t address, void* buffer, std::size_t size) const override;
    bool read_page(std::uintptr_t page, void* buffer, std::size_t size) const noexcept override;
    bool context(std::uint32_t thread, void* buffer, std::size_t size) const override;
    Image image(const std::string& name) const override;
    std::string build_id(std::uint64_t base) const override;
    const char* noun() const override { return "the copy"; }

    std::uint32_t process_id() const { return parts_.process_id; }
    std::uint32_t pause_us() const { return parts_.pause_us; }

  private:
    struct Stretch {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
        std::uint64_t offset = 0;
    };
    using Registers = std::array<std::uint8_t, registers_size>;

    std::size_t read_some(std::uint64_t address, void* buffer, std::size_t size) const noexcept;
    void read_mappings(const std::string& maps);
    void read_registers();

    CopyParts parts_;
    std::function<void()> drop_;
    std::vector<Stretch> shared_;  // by address
    std::vector<Image> images_;
    std::map<std::uint32_t, Registers> registers_;
};

}  // namespace cds
