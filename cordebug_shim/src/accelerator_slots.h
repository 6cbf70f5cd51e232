// Entries of a loaded library's import table (ELF GOT): found by name, and overwritten.
#ifndef CDS_ACCELERATOR_SLOTS_H
#define CDS_ACCELERATOR_SLOTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace cds::accelerator {

// The entries through which a library calls one imported function.
using Slots = std::vector<void**>;

class ImportTable {
  public:
    // The table of a library that is loaded already; without entries when it is not, or cannot be understood.
    explicit ImportTable(const std::string& path);

    Slots find(const char* function) const;

    // Points the entries to `replacement`, also where the loader made them read-only. Whether all could be written.
    bool replace(const Slots& slots, void* replacement) const;

  private:
    struct Import {
        const char* name;
        void** slot;
    };

    std::vector<Import> imports_;
    // The part of the library that the loader makes read-only after relocation.
    std::uintptr_t read_only_begin_ = 0;
    std::uintptr_t read_only_end_ = 0;
};

}  // namespace cds::accelerator

#endif
