// Read plans: what is read of a frame in the callback's own thread when a breakpoint is hit.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cordebug/process.h"
#include "cordebug_shim.h"
#include "direct_reads.h"
#include "events.h"
#include "hit_tests.h"

namespace cds {

class Session;

// Any thread.
class ReadPlans {
  public:
    explicit ReadPlans(Session& session) : session_(session) {}

    // A new breakpoint, without a plan.
    void add(std::uint32_t breakpoint, const cds_breakpoint_location& location);
    void remove(std::uint32_t breakpoint);
    void module_unloaded(std::uint32_t module);

    // Throws CDS_E_ARGUMENT for a plan that cannot be carried out in order.
    void set(std::uint32_t breakpoint, std::uint32_t number, std::vector<cds_read> reads, std::uint32_t text_limit);

    // Takes a test away for `nodes` empty. Throws CDS_E_ARGUMENT for one that does not fit the plan.
    void set_test(std::uint32_t breakpoint, std::uint32_t number, std::vector<cds_test> nodes, std::u16string text,
                  bool is_direct);
    // How many hits the tests of a breakpoint have let pass.
    std::uint64_t passed(std::uint32_t breakpoint) const;

    // On the callback's thread, while its hold keeps the process stopped: adds the place, and what the plan asks for.
    // False for a hit that nobody need hear of. Never throws: what fails is left out.
    bool evaluate(ICorDebugThread* thread, Event& event) noexcept;

  private:
    struct Plan {
        cds_breakpoint_location location;
        std::uint32_t number = 0;
        std::uint32_t text_limit = 0;
        std::vector<cds_read> reads;
        std::shared_ptr<const HitTest> test;
        std::shared_ptr<DirectReads> direct;  // used by the callback's thread alone
        std::shared_ptr<std::atomic<std::uint64_t>> passed = std::make_shared<std::atomic<std::uint64_t>>(0);
    };
    class Run;

    bool is_of_interest(const Plan& plan, ICorDebugThread* thread, Event& event);

    std::shared_ptr<const Plan> find(std::uint32_t breakpoint) const;

    Session& session_;
    mutable std::mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<const Plan>> plans_;
};

}  // namespace cds
