// The stacks of a held process, walked as far as somebody asked.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "cordebug/frame.h"
#include "cordebug/process.h"
#include "cordebug_shim.h"

namespace cds {

class Session;

struct StackFrame {
    cds_frame plain{};
    ComPtr<ICorDebugFrame> frame;       // empty for native frames that the runtime knows nothing of
    ComPtr<ICorDebugILFrame> il_frame;  // empty without IL
};

// One thread's stack, leaf first.
// A frame, not of a function evaluation that the thread is in, and the number that it had before that began. An address
// of 0 stands for the topmost one, which had 0.
struct FrameBelowCall {
    std::uint32_t index = 0;
    std::uint64_t stack_address = 0;
};

class Stack {
  public:
    Stack(Session& session, std::uint32_t thread);

    // Number the frames as they were before the function evaluation that the thread is in, if it is in one.
    void hide_call(const FrameBelowCall& known);
    // Null when the stack ends before `index`. Walks as far as needed.
    const StackFrame* frame(std::uint32_t index);

  private:
    struct InternalFrame {
        ComPtr<ICorDebugInternalFrame2> frame;
        cds_frame plain{};
    };

    const StackFrame* walked(std::size_t place);
    bool walk_on();
    void add(const ComPtr<ICorDebugFrame>& frame);
    void add_native();
    void match_handler(ICorDebugFrame* frame);
    void add_internal_frames_above(ICorDebugFrame* frame);
    void collect_internal_frames(ICorDebugThread* thread);

    Session& session_;
    ComPtr<ICorDebugStackWalk> walk_;
    std::vector<StackFrame> frames_;
    std::vector<InternalFrame> internal_frames_;
    std::size_t next_internal_ = 0;
    // The handler whose method's own frame has not been reached yet, and its place in frames_.
    ComPtr<ICorDebugNativeFrame2> handler_;
    std::size_t handler_index_ = 0;
    // The place in frames_ of frame 0; negative where frames above it were lost to the call.
    std::ptrdiff_t first_ = 0;
    // The first place in frames_ that is not of the hidden call, which stands for native code.
    std::ptrdiff_t below_call_ = 0;
    StackFrame hidden_;
    bool started_ = false;
    bool ended_ = false;
};

// The session thread's.
class Stacks {
  public:
    explicit Stacks(Session& session) : session_(session) {}

    Stack& of(std::uint32_t thread);
    // Throws CDS_E_NOT_FOUND beyond the end.
    const StackFrame& frame(std::uint32_t thread, std::uint32_t index);
    // Throws CDS_E_KIND for a frame without IL.
    ICorDebugILFrame& il_frame(std::uint32_t thread, std::uint32_t index);
    // The frame that has a frame's variables: at the first instruction of a handler that of its method, which the handler
    // has not taken over yet. Throws as il_frame does.
    ICorDebugILFrame& variables_frame(std::uint32_t thread, std::uint32_t index);

    void hide_call(std::uint32_t thread, const FrameBelowCall& known);
    void show_call(std::uint32_t thread);
    void clear() { stacks_.clear(); }

  private:
    Session& session_;
    std::uint64_t generation_ = 0;
    std::map<std::uint32_t, std::unique_ptr<Stack>> stacks_;
    std::map<std::uint32_t, FrameBelowCall> hidden_calls_;
};

}  // namespace cds
