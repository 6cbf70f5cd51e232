// Plain events and the queue between the runtime's callback threads and the thread that pulls them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "cordebug_shim.h"

namespace cds {

struct Event {
    cds_event plain{};  // `text`, `text2` and `values` are set when it is pulled
    std::u16string text;
    std::u16string text2;
    std::vector<cds_value> values;

    explicit Event(std::uint32_t kind) {
        plain.kind = kind;
        plain.il_offset = CDS_NO_OFFSET;
    }
};

using Clock = std::chrono::steady_clock;

// Any thread pushes, one pulls. Also watches the deadline of a stop request, so that its time-out needs no thread.
class EventQueue {
  public:
    // Dropped once shut down: nobody pulls any more.
    void push(Event event);

    // CDS_OK, CDS_E_TIMEOUT, or CDS_E_GONE once shut down. The texts live until the next call.
    std::int32_t wait(std::uint32_t timeout_ms, cds_event* out_event);

    // From `deadline` on, a CDS_EVENT_STOP_TIMED_OUT is pulled, unless it is cleared before.
    void set_stop_deadline(Clock::time_point deadline);
    void clear_stop_deadline();

    void shut_down();

  private:
    bool take_stop_timeout(Clock::time_point now);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Event> events_;
    Event current_{0};
    bool stop_pending_ = false;
    Clock::time_point stop_deadline_;
    bool shut_down_ = false;
};

}  // namespace cds
