// Where an exception was thrown, as its object remembers it.
#include <cstdint>
#include <vector>

#include "cordebug/code.h"
#include "errors.h"
#include "session.h"

namespace cds {
namespace {

std::uint32_t il_offset_of(ICorDebugFunction& function, std::uint64_t ip) {
    ComPtr<ICorDebugCode> code;
    std::uint64_t start = 0;
    std::uint32_t size = 0;
    std::uint32_t count = 0;
    if (failed(function.GetNativeCode(code.out())) || !code || failed(code->GetAddress(&start)) ||
        failed(code->GetSize(&size)) || ip < start || ip > start + size ||
        failed(code->GetILToNativeMapping(0, &count, nullptr)) || count == 0) {
        return CDS_NO_OFFSET;
    }
    std::vector<IlToNativeMap> map(count);
    if (failed(code->GetILToNativeMapping(count, &count, map.data()))) {
        return CDS_NO_OFFSET;
    }
    // The address is where a call returns to: what called is before it.
    const auto offset = static_cast<std::uint32_t>(ip - start - (ip > start ? 1 : 0));
    for (const IlToNativeMap& range : map) {
        if (range.il_offset < CDS_CODE_EPILOG && range.native_start <= offset && offset < range.native_end) {
            return range.il_offset;
        }
    }
    return CDS_NO_OFFSET;
}

cds_frame plain_frame(Session& session, const ExceptionStackFrame& found) {
    cds_frame plain{};
    ComPtr<ICorDebugModule> module;
    *module.out() = found.module;
    plain.kind = CDS_FRAME_IL;
    plain.token = found.method;
    plain.il_offset = CDS_NO_OFFSET;
    if (module) {
        plain.module = session.modules.id_of(module.get());
        ComPtr<ICorDebugFunction> function;
        if (!failed(module->GetFunctionFromToken(found.method, function.out())) && function) {
            plain.il_offset = il_offset_of(*function.get(), found.ip);
        }
    }
    return plain;
}

}  // namespace
}  // namespace cds

int32_t cds_exception_frames(cds_session* session, uint64_t exception, cds_frame* frames, uint32_t capacity,
                             uint32_t* out_count) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        const auto object = target.values.as<cds::ICorDebugExceptionObjectValue>(exception, "an exception");
        cds::ComPtr<cds::ICorDebugExceptionObjectCallStackEnum> list;
        cds::require(object->EnumerateExceptionCallStack(list.out()), "EnumerateExceptionCallStack");
        std::uint32_t count = 0;
        cds::ExceptionStackFrame next{};
        std::uint32_t fetched = 0;
        while (!cds::failed(list->Next(1, &next, &fetched)) && fetched == 1) {
            const cds_frame plain = cds::plain_frame(target, next);
            if (count < capacity) {
                frames[count] = plain;
            }
            ++count;
        }
        cds::require_output(out_count) = count;
    });
}
