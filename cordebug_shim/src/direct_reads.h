// Reads of a plan made straight from the registers and the memory of the stopped program, without a stack walk. The
// ways are learnt from the ordinary reads at the same instruction, and compared with them again and again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cordebug/process.h"
#include "cordebug_shim.h"
#include "hit_tests.h"
#include "thread_registers.h"

namespace cds {

class Session;

// Of one plan. On the callback's thread only.
class DirectReads {
  public:
    explicit DirectReads(std::vector<cds_read> reads) : reads_(std::move(reads)) {}

    // What the test comes to at this hit; nothing where a value that it needs cannot be had this way.
    std::optional<bool> decide(Session& session, const HitTest& test, std::uint32_t thread);

    // Whether the ordinary way is to be gone as well, at this hit.
    bool is_to_be_checked();
    // The ordinary way had another result: it is the right one, for ever.
    void distrust() { is_trusted_ = false; }

    // Learns where the values are that the plan has brought in the ordinary way from the leaf frame, at the hit that
    // `decide` was asked of last.
    void learn(Session& session, ICorDebugFrame& frame, const std::vector<cds_value>& values);

  private:
    struct Way {
        enum class Kind { none, at_register, in_object, in_structure } kind = Kind::none;
        bool is_reference = false;
        std::uint32_t base = 0;         // the register, or the number of the read it looks into
        std::int64_t offset = 0;        // from there
        std::uint64_t method_table = 0; // of the object that is looked into
    };
    struct Site {
        std::uint64_t instruction_pointer = 0;
        std::vector<Way> ways;
        std::uint32_t lessons = 0;
    };
    class View;

    Site* find(std::uint64_t instruction_pointer);
    void learn_read(Session& session, Site& site, const ThreadRegisters& registers, const std::vector<Way>& homes,
                    const std::vector<cds_value>& values, std::uint32_t number) const;
    std::vector<Way> homes_of(ICorDebugFrame& frame) const;

    std::vector<cds_read> reads_;
    std::vector<Site> sites_;
    std::optional<ThreadRegisters> registers_; // of the thread at this hit
    std::uint32_t hits_ = 0;
    bool is_trusted_ = true;
};

}  // namespace cds
