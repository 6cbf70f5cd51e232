#include "stacks.h"

#include <algorithm>
#include <string>

#include "errors.h"
#include "session.h"
#include "thread_registers.h"

namespace cds {

Stack::Stack(Session& session, std::uint32_t thread_id) : session_(session) {
    const ComPtr<ICorDebugThread> thread = session.thread(thread_id);
    const auto thread3 = query<ICorDebugThread3>(thread);
    if (!thread3) {
        fail_runtime(E_NOINTERFACE, "ICorDebugThread3");
    }
    require(thread3->CreateStackWalk(walk_.out()), "CreateStackWalk");
    collect_internal_frames(thread.get());
}

void Stack::hide_call(const FrameBelowCall& known) {
    std::size_t place = 0;
    const StackFrame* found = walked(place);
    while (found != nullptr && found->plain.internal_type != CDS_INTERNAL_FRAME_FUNC_EVAL) {
        found = walked(++place);
    }
    if (found == nullptr) {
        return;
    }
    below_call_ = static_cast<std::ptrdiff_t>(++place);
    first_ = below_call_;
    hidden_.plain.kind = CDS_FRAME_NATIVE;
    hidden_.plain.il_offset = CDS_NO_OFFSET;
    // Native code in which the thread stood, of a throw for one, is not told from the evaluation's own: the frames below
    // have other numbers than their distance from the call.
    for (found = walked(place); known.stack_address != 0 && found != nullptr; found = walked(++place)) {
        if (found->plain.stack_address == known.stack_address) {
            first_ = static_cast<std::ptrdiff_t>(place) - static_cast<std::ptrdiff_t>(known.index);
            return;
        }
    }
}

void Stack::collect_internal_frames(ICorDebugThread* thread) {
    const auto thread3 = query<ICorDebugThread3>(thread);
    std::uint32_t count = 0;
    if (failed(thread3->GetActiveInternalFrames(0, &count, nullptr)) || count == 0) {
        return;
    }
    std::vector<ICorDebugInternalFrame2*> found(count, nullptr);
    if (failed(thread3->GetActiveInternalFrames(count, &count, found.data()))) {
        return;
    }
    for (ICorDebugInternalFrame2* one : found) {
        if (one == nullptr) {
            continue;
        }
        InternalFrame entry;
        *entry.frame.out() = one;
        entry.plain.kind = CDS_FRAME_INTERNAL;
        entry.plain.il_offset = CDS_NO_OFFSET;
        one->GetAddress(&entry.plain.stack_address);
        if (const auto internal = query<ICorDebugInternalFrame>(one); internal) {
            internal->GetFrameType(&entry.plain.internal_type);
        }
        internal_frames_.push_back(std::move(entry));
    }
}

void Stack::add_internal_frames_above(ICorDebugFrame* frame) {
    while (next_internal_ < internal_frames_.size()) {
        InternalFrame& next = internal_frames_[next_internal_];
        std::int32_t closer = 1;
        if (frame != nullptr && (failed(next.frame->IsCloserToLeaf(frame, &closer)) || closer == 0)) {
            return;
        }
        StackFrame entry;
        entry.plain = next.plain;
        entry.frame = query<ICorDebugFrame>(next.frame);
        frames_.push_back(std::move(entry));
        ++next_internal_;
    }
}

void Stack::add(const ComPtr<ICorDebugFrame>& frame) {
    add_internal_frames_above(frame.get());
    StackFrame entry;
    entry.frame = frame;
    entry.il_frame = query<ICorDebugILFrame>(frame);
    cds_frame& plain = entry.plain;
    plain.kind = CDS_FRAME_NATIVE;
    plain.il_offset = CDS_NO_OFFSET;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    if (!failed(frame->GetStackRange(&start, &end))) {
        plain.stack_address = end;
    } else if (session_.is_frozen()) {
        plain.stack_address = stack_pointer(*walk_.get());
    }
    if (failed(frame->GetFunctionToken(&plain.token))) {
        plain.token = 0;
    }
    ComPtr<ICorDebugFunction> function;
    ComPtr<ICorDebugModule> module;
    if (!failed(frame->GetFunction(function.out())) && function && !failed(function->GetModule(module.out()))) {
        plain.module = session_.modules.id_of(module.get());
    }
    if (entry.il_frame && !failed(entry.il_frame->GetIP(&plain.il_offset, &plain.mapping))) {
        plain.kind = CDS_FRAME_IL;
    } else {
        plain.il_offset = CDS_NO_OFFSET;
        plain.mapping = 0;
        entry.il_frame.reset();
    }
    frames_.push_back(std::move(entry));
    if (frames_.back().il_frame) {
        match_handler(frame.get());
    }
}

// Looks whether the newest frame is a handler, or the method of the handler that was seen before.
void Stack::match_handler(ICorDebugFrame* frame) {
    auto native = query<ICorDebugNativeFrame2>(frame);
    std::int32_t yes = 0;
    if (!native) {
        return;
    }
    if (!handler_) {
        if (!failed(native->IsChild(&yes)) && yes != 0) {
            frames_.back().plain.flags |= CDS_FRAME_HANDLER;
            handler_ = std::move(native);
            handler_index_ = frames_.size() - 1;
        }
    } else if (!failed(handler_->IsMatchingParentFrame(native.get(), &yes)) && yes != 0) {
        for (std::size_t left = handler_index_ + 1; left < frames_.size(); ++left) {
            frames_[left].plain.flags |= CDS_FRAME_LEFT;
        }
        handler_.reset();
    }
}

void Stack::add_native() {
    // The walk shows each stretch of native code as one position, sometimes as several.
    if (!frames_.empty() && frames_.back().plain.kind == CDS_FRAME_NATIVE && !frames_.back().frame) {
        return;
    }
    StackFrame entry;
    entry.plain.kind = CDS_FRAME_NATIVE;
    entry.plain.il_offset = CDS_NO_OFFSET;
    frames_.push_back(std::move(entry));
}

bool Stack::walk_on() {
    if (ended_) {
        return false;
    }
    HRESULT hr = started_ ? walk_->Next() : S_OK;
    started_ = true;
    if (failed(hr) || hr == CORDBG_S_AT_END_OF_STACK) {
        // A walk that breaks off shows what it saw; a damaged stack is no reason to show nothing.
        ended_ = true;
        add_internal_frames_above(nullptr);
        return false;
    }
    ComPtr<ICorDebugFrame> frame;
    hr = walk_->GetFrame(frame.out());
    if (!failed(hr) && frame) {
        add(frame);
    } else if (hr != CORDBG_S_AT_END_OF_STACK) {
        add_native();
    }
    return true;
}

const StackFrame* Stack::frame(std::uint32_t index) {
    const std::ptrdiff_t place = first_ + static_cast<std::ptrdiff_t>(index);
    return place < below_call_ ? &hidden_ : walked(static_cast<std::size_t>(place));
}

const StackFrame* Stack::walked(std::size_t place) {
    // Whether a frame after a handler is shown is known when that handler's method has been found.
    while ((place >= frames_.size() || (handler_ && place > handler_index_)) && walk_on()) {
    }
    return place < frames_.size() ? &frames_[place] : nullptr;
}

Stack& Stacks::of(std::uint32_t thread) {
    if (const std::uint64_t now = session_.holds.generation(); now != generation_) {
        stacks_.clear();
        generation_ = now;
    }
    std::unique_ptr<Stack>& stack = stacks_[thread];
    if (!stack) {
        try {
            stack = std::make_unique<Stack>(session_, thread);
            if (const auto hidden = hidden_calls_.find(thread); hidden != hidden_calls_.end()) {
                stack->hide_call(hidden->second);
            }
        } catch (...) {
            stacks_.erase(thread);
            throw;
        }
    }
    return *stack;
}

void Stacks::hide_call(std::uint32_t thread, const FrameBelowCall& known) {
    hidden_calls_[thread] = known;
    stacks_.erase(thread);
}

void Stacks::show_call(std::uint32_t thread) {
    hidden_calls_.erase(thread);
    stacks_.erase(thread);
}

const StackFrame& Stacks::frame(std::uint32_t thread, std::uint32_t index) {
    const StackFrame* found = of(thread).frame(index);
    if (found == nullptr) {
        throw Failure(CDS_E_NOT_FOUND, "The stack has no frame " + std::to_string(index) + ".");
    }
    return *found;
}

ICorDebugILFrame& Stacks::il_frame(std::uint32_t thread, std::uint32_t index) {
    const StackFrame& found = frame(thread, index);
    if (!found.il_frame) {
        throw Failure(CDS_E_KIND, "The frame has no IL, hence no variables.");
    }
    return *found.il_frame.get();
}

ICorDebugILFrame& Stacks::variables_frame(std::uint32_t thread, std::uint32_t index) {
    const cds_frame asked = frame(thread, index).plain;
    if ((asked.flags & CDS_FRAME_HANDLER) == 0 || asked.mapping != MAPPING_PROLOG) {
        return il_frame(thread, index);
    }
    // Its registers are those of the runtime's code that called it: what is read by them is false, and a reference among
    // it has brought down the runtime's library.
    std::uint32_t method = index;
    for (std::uint32_t at = index + 1;; ++at) {
        const StackFrame* left = of(thread).frame(at);
        if (left == nullptr || (left->plain.flags & CDS_FRAME_LEFT) == 0) {
            break;
        }
        if (left->il_frame && left->plain.token == asked.token && left->plain.module == asked.module) {
            method = at;
        }
    }
    if (method == index) {
        throw Failure(CDS_E_KIND, "The handler has not begun: its variables cannot be read yet.");
    }
    return il_frame(thread, method);
}

}  // namespace cds

int32_t cds_frame_list(cds_session* session, uint32_t thread, uint32_t start, uint32_t count, cds_frame* frames,
                       uint32_t* out_count, int32_t* out_more) {
    return cds::guarded([&] {
        auto& fetched = cds::require_output(out_count);
        auto& target = cds::session_of(session);
        target.require_held();
        cds::Stack& stack = target.stacks.of(thread);
        std::uint32_t written = 0;
        while (written < count) {
            const cds::StackFrame* found = stack.frame(start + written);
            if (found == nullptr) {
                break;
            }
            frames[written++] = found->plain;
        }
        fetched = written;
        if (out_more != nullptr) {
            *out_more = written == count && stack.frame(start + count) != nullptr ? 1 : 0;
        }
    });
}

int32_t cds_thread_hide_call(cds_session* session, uint32_t thread, uint32_t frame_index, uint64_t stack_address) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        target.stacks.hide_call(thread, {frame_index, stack_address});
    });
}

int32_t cds_thread_show_call(cds_session* session, uint32_t thread) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        target.stacks.show_call(thread);
    });
}

int32_t cds_frame_set_il_offset(cds_session* session, uint32_t thread, uint32_t frame_index, uint32_t il_offset,
                                int32_t only_ask) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        cds::ICorDebugILFrame& frame = target.stacks.il_frame(thread, frame_index);
        // What the runtime answers with success codes is a refusal too: other places than S_OK may break the program.
        const cds::HRESULT answer = frame.CanSetIP(il_offset);
        if (answer != cds::S_OK) {
            cds::fail_runtime(answer, "CanSetIP");
        }
        if (only_ask == 0) {
            cds::require(frame.SetIP(il_offset), "SetIP");
            target.stacks.clear();
        }
    });
}

int32_t cds_frame_type_arguments(cds_session* session, uint32_t thread, uint32_t frame_index, uint32_t* types,
                                 uint32_t capacity, uint32_t* out_count) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        const auto frame2 = cds::query<cds::ICorDebugILFrame2>(&target.stacks.variables_frame(thread, frame_index));
        if (!frame2) {
            cds::fail_runtime(cds::E_NOINTERFACE, "ICorDebugILFrame2");
        }
        cds::ComPtr<cds::ICorDebugTypeEnum> parameters;
        cds::require(frame2->EnumerateTypeParameters(parameters.out()), "EnumerateTypeParameters");
        std::vector<std::uint32_t> found;
        for (const auto& type : cds::all_of<cds::ICorDebugType>(*parameters.get())) {
            found.push_back(target.types.intern(type.get()));
        }
        cds::copy_out(found, types, capacity, cds::require_output(out_count));
    });
}
