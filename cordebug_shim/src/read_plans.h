// Read plans: what is read of a frame in the callback's own thread when a breakpoint is hit.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cordebug/process.h"
#include "cordebug_shim.h"
#include "events.h"

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

    // On the callback's thread, while its hold keeps the process stopped: adds the place, and what the plan asks for.
    // Never throws: what fails is left out.
    void evaluate(ICorDebugThread* thread, Event& event) noexcept;

  private:
    struct Plan {
        cds_breakpoint_location location;
        std::uint32_t number = 0;
        std::uint32_t text_limit = 0;
        std::vector<cds_read> reads;
    };
    class Run;

    std::shared_ptr<const Plan> find(std::uint32_t breakpoint) const;

    Session& session_;
    mutable std::mutex mutex_;
    std::map<std::uint32_t, std::shared_ptr<const Plan>> plans_;
};

}  // namespace cds
