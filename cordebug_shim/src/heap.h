// The heap of the held process: its objects, what refers to what, and what keeps objects alive.
//
// The runtime's enumeration gives the objects; the references in them are found as its collector finds them, by the
// description that stands before each method table (gcdesc.h of the runtime; checked on .NET Core 3.1 to 10).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cordebug/heap.h"
#include "session.h"

namespace cds {

// Reads memory of the process front to back, in windows.
class MemoryWindow {
  public:
    explicit MemoryWindow(Session& session) : session_(session) {}

    // `count` words of 8 bytes, fewer where memory ends, never more than a window has. Valid until the next call.
    const std::uint64_t* words(std::uint64_t address, std::uint64_t count, std::uint64_t& out_count);

    static constexpr std::size_t window_words = 32768;

  private:
    Session& session_;
    std::vector<std::uint64_t> content_;
    std::uint64_t start_ = 0;
    std::uint64_t read_ = 0;
};

// Where the references are in the objects of one method table.
class ObjectShape {
  public:
    ObjectShape(MemoryWindow& memory, std::uint64_t method_table);

    bool has_references() const { return !runs_.empty() || !pattern_.empty(); }

    // Calls `visit(first slot, number of slots)` for each run of references in an object of that size.
    template <typename Visit>
    void each_run(std::uint64_t address, std::uint64_t size, Visit&& visit) const;

  private:
    struct Run {
        std::int64_t size;  // to be added to the object's
        std::uint64_t offset;
    };
    struct Part {
        std::uint32_t slots;
        std::uint32_t skipped;  // bytes
    };

    std::vector<Run> runs_;
    std::vector<Part> pattern_;  // of each element, in an array of structures
    std::uint64_t pattern_offset_ = 0;
};

struct Root {
    std::uint64_t object;     // or an address in one
    std::uint64_t dependent;  // what lives as long as the object, for a dependent handle
    std::uint32_t kind;       // CDS_HEAP_...
};

// Session thread, for the length of one call.
class Heap {
  public:
    // Throws CDS_E_RUNTIME where the runtime has no such enumeration, and in the middle of a collection.
    explicit Heap(Session& session);

    void each_object(const std::function<void(const CorHeapObject&)>& visit);
    // As `each_object`, but ends where `goes_on`, asked some thousand objects at a time, says no: false then.
    bool each_object_while(const std::function<bool()>& goes_on,
                           const std::function<void(const CorHeapObject&)>& visit);
    // The slots of an object that hold references, with what they hold; null ones are left out.
    void each_reference(const CorHeapObject& object, const std::function<void(std::uint64_t, std::uint64_t)>& visit);
    // `out_complete` false: the runtime could not list all of them.
    std::vector<Root> roots(bool& out_complete);
    // Where objects are that are never collected, such as string literals since .NET 8.
    std::vector<CorSegment> frozen_segments();
    // The exact type; 0 for none, which the collector's free blocks have.
    std::uint32_t type_of(const CorHeapObject& object);

  private:
    // Throws CDS_E_TIMEOUT once nobody waits for the answer any more.
    void check_wanted() const;

    Session& session_;
    ComPtr<ICorDebugProcess5> process_;
    std::uint32_t visited_ = 0;
    MemoryWindow memory_{session_};
    MemoryWindow shapes_memory_{session_};
    std::map<std::uint64_t, ObjectShape> shapes_;
    std::map<std::uint64_t, std::uint32_t> types_;
};

// How much would go with an object, itself included: what only it keeps alive.
struct Retained {
    std::uint64_t bytes;
    std::uint64_t objects;
    std::uint64_t own_bytes;
};
Retained retained_by(Heap& heap, std::uint64_t address);

}  // namespace cds
