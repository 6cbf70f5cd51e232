#include "read_plans.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "errors.h"
#include "session.h"

namespace cds {
namespace {

// Room for the heads of a plan's strings together, in UTF-16 units; one that finds no room is missing.
constexpr std::uint32_t text_capacity = 4096;

bool has_parent(std::uint32_t kind) {
    return kind == CDS_READ_FIELD || kind == CDS_READ_ELEMENT || kind == CDS_READ_ELEMENT_AT;
}

template <typename Integer>
std::optional<std::uint32_t> element_number(const std::uint8_t* raw) {
    Integer number = 0;
    std::memcpy(&number, raw, sizeof number);
    const std::int64_t wide = number;
    return wide >= 0 && wide < 0x80000000 ? std::optional(static_cast<std::uint32_t>(wide)) : std::nullopt;
}

// The integer that a value holds, if it can be the number of an element.
std::optional<std::uint32_t> element_number_of(const cds_value& value) {
    switch (value.element_type) {
        case ELEMENT_TYPE_I4:
            return element_number<std::int32_t>(value.raw);
        case ELEMENT_TYPE_U4:
            return element_number<std::uint32_t>(value.raw);
        case ELEMENT_TYPE_I8:
        case ELEMENT_TYPE_U8:
            return element_number<std::int64_t>(value.raw);
        case ELEMENT_TYPE_I2:
            return element_number<std::int16_t>(value.raw);
        case ELEMENT_TYPE_U2:
            return element_number<std::uint16_t>(value.raw);
        case ELEMENT_TYPE_I1:
            return value.raw[0] < 0x80 ? std::optional<std::uint32_t>(value.raw[0]) : std::nullopt;
        case ELEMENT_TYPE_U1:
            return value.raw[0];
        default:
            return std::nullopt;
    }
}

}  // namespace

// One plan at one hit. Its values are in the event.
class ReadPlans::Run {
  public:
    Run(Session& session, const Plan& plan, Event& event) : session_(session), plan_(plan), event_(event) {}

    // False when the leaf frame is not the plan's.
    bool run(ICorDebugThread* thread) {
        if (!find_frame(thread)) {
            return false;
        }
        const auto count = static_cast<std::uint32_t>(plan_.reads.size());
        event_.values.resize(count);
        event_.text.resize(text_capacity);
        cds_value_buffer buffer{sizeof(cds_value_buffer),
                                0,
                                event_.values.data(),
                                reinterpret_cast<std::uint16_t*>(event_.text.data()),
                                count,
                                text_capacity,
                                plan_.text_limit,
                                0};
        ValueWriter writer(session_, &buffer, count);
        for (const cds_read& read : plan_.reads) {
            ComPtr<ICorDebugValue> value;
            const HRESULT hr = fetch(read, value);
            cds_value& out = event_.values[buffer.count];
            writer.add(hr, value);
            const bool is_cut = out.element_type == ELEMENT_TYPE_STRING && (out.flags & CDS_VALUE_NULL) == 0 &&
                                out.text_length < std::min(out.length, plan_.text_limit);
            if (out.hresult != 0 || is_cut) {
                out = cds_value{};
                out.flags = CDS_VALUE_MISSING;
            }
        }
        event_.text.resize(writer.text_used());
        event_.plain.detail = static_cast<std::int32_t>(plan_.number);
        return true;
    }

    ICorDebugFrame& frame() const { return *frame_.get(); }

  private:
    // The leaf frame; only if it is in the method of the breakpoint.
    bool find_frame(ICorDebugThread* thread) {
        const auto thread3 = query<ICorDebugThread3>(thread);
        ComPtr<ICorDebugStackWalk> walk;
        if (!thread3 || failed(thread3->CreateStackWalk(walk.out())) || !walk || failed(walk->GetFrame(frame_.out())) ||
            !frame_) {
            return false;
        }
        std::uint32_t token = 0;
        il_frame_ = query<ICorDebugILFrame>(frame_);
        return il_frame_ && !failed(frame_->GetFunctionToken(&token)) && token == plan_.location.token;
    }

    HRESULT fetch(const cds_read& read, ComPtr<ICorDebugValue>& out_value) {
        switch (read.kind) {
            case CDS_READ_ARGUMENT:
                return il_frame_->GetArgument(read.index, out_value.out());
            case CDS_READ_LOCAL:
                return il_frame_->GetLocalVariable(read.index, out_value.out());
            case CDS_READ_STATIC:
                return read_static_field(*session_.types.find(read.type).get(), read.index, frame_.get(), out_value);
            default:
                return fetch_part(read, out_value);
        }
    }

    HRESULT fetch_part(const cds_read& read, ComPtr<ICorDebugValue>& out_value) {
        const cds_value& parent = event_.values[read.parent];
        if ((parent.flags & (CDS_VALUE_MISSING | CDS_VALUE_NULL)) != 0) {
            return E_FAIL;
        }
        const KeptValue kept = session_.values.find(parent.handle);
        if (read.kind == CDS_READ_FIELD) {
            const auto object = query<ICorDebugObjectValue>(kept.target);
            // Of an object of another type the field may not be one.
            if (!object || parent.type != read.owner) {
                return E_FAIL;
            }
            return object->GetFieldValue(session_.types.class_of(read.type).get(), read.index, out_value.out());
        }
        const auto number =
            read.kind == CDS_READ_ELEMENT ? std::optional(read.index) : element_number_of(event_.values[read.index]);
        const auto array = query<ICorDebugArrayValue>(kept.target);
        if (!array || !number || *number >= parent.length) {
            return E_FAIL;
        }
        return array->GetElementAtPosition(*number, out_value.out());
    }

    Session& session_;
    const Plan& plan_;
    Event& event_;
    ComPtr<ICorDebugFrame> frame_;
    ComPtr<ICorDebugILFrame> il_frame_;
};

void ReadPlans::add(std::uint32_t breakpoint, const cds_breakpoint_location& location) {
    auto plan = std::make_shared<Plan>();
    plan->location = location;
    const std::lock_guard lock(mutex_);
    plans_[breakpoint] = std::move(plan);
}

void ReadPlans::remove(std::uint32_t breakpoint) {
    const std::lock_guard lock(mutex_);
    plans_.erase(breakpoint);
}

void ReadPlans::module_unloaded(std::uint32_t module) {
    const std::lock_guard lock(mutex_);
    for (auto plan = plans_.begin(); plan != plans_.end();) {
        plan = plan->second->location.module == module ? plans_.erase(plan) : std::next(plan);
    }
}

void ReadPlans::set(std::uint32_t breakpoint, std::uint32_t number, std::vector<cds_read> reads,
                    std::uint32_t text_limit) {
    bool is_sound = reads.size() <= CDS_MOST_READS;
    for (std::size_t i = 0; is_sound && i < reads.size(); ++i) {
        is_sound = reads[i].kind >= CDS_READ_ARGUMENT && reads[i].kind <= CDS_READ_ELEMENT_AT &&
                   (!has_parent(reads[i].kind) || reads[i].parent < i) &&
                   (reads[i].kind != CDS_READ_ELEMENT_AT || reads[i].index < i);
    }
    if (!is_sound) {
        throw Failure(CDS_E_ARGUMENT, "The read plan is too long, or a read comes before what it looks into.");
    }
    const std::lock_guard lock(mutex_);
    if (const auto found = plans_.find(breakpoint); found != plans_.end()) {
        // A callback may be carrying out the old one.
        const auto passed = found->second->passed;
        found->second = std::make_shared<Plan>(
            Plan{found->second->location, number, text_limit, std::move(reads), nullptr, nullptr, passed});
    }
}

void ReadPlans::set_test(std::uint32_t breakpoint, std::uint32_t number, std::vector<cds_test> nodes,
                         std::u16string text, bool is_direct) {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(breakpoint);
    if (found == plans_.end() || (!nodes.empty() && found->second->number != number)) {
        return;
    }
    auto plan = std::make_shared<Plan>(*found->second);
    plan->test.reset();
    plan->direct.reset();
    if (!nodes.empty()) {
        plan->test = std::make_shared<HitTest>(std::move(nodes), std::move(text), plan->reads.size());
        plan->direct = is_direct ? std::make_shared<DirectReads>(plan->reads) : nullptr;
    }
    found->second = std::move(plan);
}

std::uint64_t ReadPlans::passed(std::uint32_t breakpoint) const {
    const auto plan = find(breakpoint);
    return plan ? plan->passed->load() : 0;
}

std::shared_ptr<const ReadPlans::Plan> ReadPlans::find(std::uint32_t breakpoint) const {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(breakpoint);
    return found == plans_.end() ? nullptr : found->second;
}

bool ReadPlans::is_of_interest(const Plan& plan, ICorDebugThread* thread, Event& event) {
    if (plan.reads.empty() || thread == nullptr) {
        return true;
    }
    std::optional<bool> direct;
    if (plan.test && plan.direct) {
        direct = plan.direct->decide(session_, *plan.test, event.plain.thread);
        if (direct == false && !plan.direct->is_to_be_checked()) {
            return false;
        }
    }
    Run run(session_, plan, event);
    if (!run.run(thread) || !plan.test) {
        return true;
    }
    EventView view(event.values, event.text);
    const std::optional<bool> ordinary = plan.test->holds(view);
    if (plan.direct && direct && direct != ordinary) {
        plan.direct->distrust();
    } else if (plan.direct && !direct) {
        plan.direct->learn(session_, run.frame(), event.values);
    }
    return ordinary != false;
}

bool ReadPlans::evaluate(ICorDebugThread* thread, Event& event) noexcept {
    try {
        const auto plan = find(event.plain.object);
        if (!plan) {
            return true;
        }
        event.plain.module = plan->location.module;
        event.plain.token = plan->location.token;
        event.plain.il_offset = plan->location.il_offset;
        if (!is_of_interest(*plan, thread, event)) {
            ++*plan->passed;
            return false;
        }
    } catch (...) {
        event.values.clear();
        event.text.clear();
        event.plain.detail = 0;
        remember_current_exception();
    }
    return true;
}

}  // namespace cds
