// The native code of a frame: where it is, and which IL each part of it came from.
#include "native_code.h"

#include <vector>

#include "cordebug/code.h"
#include "errors.h"
#include "session.h"

namespace cds {
namespace {

std::vector<cds_code_chunk> chunks_of(const ComPtr<ICorDebugCode>& code) {
    const auto code2 = query<ICorDebugCode2>(code);
    if (!code2) {
        fail_runtime(E_NOINTERFACE, "ICorDebugCode2");
    }
    std::uint32_t count = 0;
    require(code2->GetCodeChunks(0, &count, nullptr), "GetCodeChunks");
    std::vector<CodeChunkInfo> found(count);
    require(code2->GetCodeChunks(count, &count, found.data()), "GetCodeChunks");
    std::vector<cds_code_chunk> chunks;
    chunks.reserve(found.size());
    for (const CodeChunkInfo& one : found) {
        chunks.push_back(cds_code_chunk{one.address, one.size, 0});
    }
    return chunks;
}

}  // namespace

std::vector<cds_code_mapping> mappings_of(ICorDebugCode& code) {
    std::uint32_t count = 0;
    require(code.GetILToNativeMapping(0, &count, nullptr), "GetILToNativeMapping");
    std::vector<IlToNativeMap> found(count);
    if (count != 0) {
        require(code.GetILToNativeMapping(count, &count, found.data()), "GetILToNativeMapping");
    }
    std::vector<cds_code_mapping> mappings;
    mappings.reserve(found.size());
    for (const IlToNativeMap& one : found) {
        mappings.push_back(cds_code_mapping{one.il_offset, one.native_start, one.native_end});
    }
    return mappings;
}

ComPtr<ICorDebugCode> native_code_of(const StackFrame& frame) {
    const auto native = query<ICorDebugNativeFrame>(frame.frame);
    ComPtr<ICorDebugCode> code;
    if (!native || failed(native->GetCode(code.out())) || !code) {
        throw Failure(CDS_E_KIND, "The frame has no code of its own.");
    }
    return code;
}

}  // namespace cds

int32_t cds_frame_native_code(cds_session* session, uint32_t thread, uint32_t frame_index, cds_code_chunk* chunks,
                              uint32_t chunk_capacity, uint32_t* out_chunk_count, uint32_t* out_native_offset) {
    return cds::guarded([&] {
        auto& count = cds::require_output(out_chunk_count);
        auto& offset = cds::require_output(out_native_offset);
        auto& target = cds::session_of(session);
        target.require_held();
        const cds::StackFrame& frame = target.stacks.frame(thread, frame_index);
        const auto code = cds::native_code_of(frame);
        std::uint32_t found = 0;
        cds::require(cds::query<cds::ICorDebugNativeFrame>(frame.frame)->GetIP(&found), "GetIP");
        cds::copy_out(cds::chunks_of(code), chunks, chunk_capacity, count);
        offset = found;
    });
}

int32_t cds_frame_code_mappings(cds_session* session, uint32_t thread, uint32_t frame_index, cds_code_mapping* mappings,
                                uint32_t capacity, uint32_t* out_count) {
    return cds::guarded([&] {
        auto& count = cds::require_output(out_count);
        auto& target = cds::session_of(session);
        target.require_held();
        const auto code = cds::native_code_of(target.stacks.frame(thread, frame_index));
        cds::copy_out(cds::mappings_of(*code.get()), mappings, capacity, count);
    });
}
