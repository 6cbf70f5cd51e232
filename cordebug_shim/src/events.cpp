#include "events.h"

#include <algorithm>
#include <utility>

namespace cds {
namespace {

const std::uint16_t* units(const std::u16string& text) {
    return reinterpret_cast<const std::uint16_t*>(text.data());
}

}  // namespace

void EventQueue::push(Event event) {
    {
        const std::lock_guard lock(mutex_);
        if (shut_down_) {
            return;
        }
        events_.push_back(std::move(event));
    }
    changed_.notify_one();
}

bool EventQueue::take_stop_timeout(Clock::time_point now) {
    if (!stop_pending_ || now < stop_deadline_) {
        return false;
    }
    stop_pending_ = false;
    events_.emplace_back(CDS_EVENT_STOP_TIMED_OUT);
    return true;
}

std::int32_t EventQueue::wait(std::uint32_t timeout_ms, cds_event* out_event) {
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
    std::unique_lock lock(mutex_);
    while (events_.empty()) {
        if (shut_down_) {
            return CDS_E_GONE;
        }
        const Clock::time_point now = Clock::now();
        if (take_stop_timeout(now)) {
            break;
        }
        if (now >= deadline) {
            return CDS_E_TIMEOUT;
        }
        changed_.wait_until(lock, stop_pending_ ? std::min(deadline, stop_deadline_) : deadline);
    }
    current_ = std::move(events_.front());
    events_.pop_front();
    lock.unlock();
    *out_event = current_.plain;
    out_event->size = sizeof *out_event;
    out_event->text = units(current_.text);
    out_event->text_length = static_cast<std::uint32_t>(current_.text.size());
    out_event->text2 = units(current_.text2);
    out_event->text2_length = static_cast<std::uint32_t>(current_.text2.size());
    out_event->values = current_.values.data();
    out_event->value_count = static_cast<std::uint32_t>(current_.values.size());
    return CDS_OK;
}

void EventQueue::set_stop_deadline(Clock::time_point deadline) {
    {
        const std::lock_guard lock(mutex_);
        stop_pending_ = true;
        stop_deadline_ = deadline;
    }
    changed_.notify_one();
}

void EventQueue::clear_stop_deadline() {
    const std::lock_guard lock(mutex_);
    stop_pending_ = false;
}

void EventQueue::shut_down() {
    {
        const std::lock_guard lock(mutex_);
        shut_down_ = true;
    }
    changed_.notify_all();
}

}  // namespace cds
