// Entry points that bring values: variables, fields, elements, strings.
#include <algorithm>
#include <string>

#include "array_elements.h"
#include "errors.h"
#include "session.h"

namespace {

using EnumerateValues = cds::HRESULT (cds::ICorDebugILFrame::*)(cds::ICorDebugValueEnum**);
using GetFrameValue = cds::HRESULT (cds::ICorDebugILFrame::*)(std::uint32_t, cds::ICorDebugValue**);
using GetThreadValue = cds::HRESULT (cds::ICorDebugThread::*)(cds::ICorDebugValue**);

void read_frame(cds_session* session, uint32_t thread, uint32_t frame_index, EnumerateValues enumerate,
                GetFrameValue get, const char* what, cds_value_buffer* out_values) {
    auto& target = cds::session_of(session);
    target.require_held();
    cds::ICorDebugILFrame& frame = target.stacks.variables_frame(thread, frame_index);
    cds::ComPtr<cds::ICorDebugValueEnum> list;
    std::uint32_t count = 0;
    cds::require((frame.*enumerate)(list.out()), what);
    cds::require(list->GetCount(&count), what);
    cds::ValueWriter writer(target, out_values, count);
    // One by one: the enumeration's Next stops at the first variable that is not available.
    for (std::uint32_t i = 0; i < count; ++i) {
        cds::ComPtr<cds::ICorDebugValue> value;
        const cds::HRESULT hr = (frame.*get)(i, value.out());
        writer.add(hr, value);
    }
}

// One value, or none where the thread has none.
void read_thread(cds_session* session, uint32_t thread, GetThreadValue get, const char* what,
                 cds_value_buffer* out_values) {
    auto& target = cds::session_of(session);
    target.require_held();
    cds::ComPtr<cds::ICorDebugValue> value;
    const cds::HRESULT hr = (target.thread(thread).get()->*get)(value.out());
    cds::require(hr, what);
    cds::ValueWriter writer(target, out_values, 1);
    if (value) {
        writer.add(hr, value);
    }
}

}  // namespace

int32_t cds_frame_arguments(cds_session* session, uint32_t thread, uint32_t frame_index, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        read_frame(session, thread, frame_index, &cds::ICorDebugILFrame::EnumerateArguments,
                   &cds::ICorDebugILFrame::GetArgument, "EnumerateArguments", out_values);
    });
}

int32_t cds_frame_locals(cds_session* session, uint32_t thread, uint32_t frame_index, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        read_frame(session, thread, frame_index, &cds::ICorDebugILFrame::EnumerateLocalVariables,
                   &cds::ICorDebugILFrame::GetLocalVariable, "EnumerateLocalVariables", out_values);
    });
}

int32_t cds_thread_object(cds_session* session, uint32_t thread, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        read_thread(session, thread, &cds::ICorDebugThread::GetObject, "ICorDebugThread::GetObject", out_values);
    });
}

int32_t cds_thread_exception(cds_session* session, uint32_t thread, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        read_thread(session, thread, &cds::ICorDebugThread::GetCurrentException, "GetCurrentException", out_values);
    });
}

int32_t cds_value_fields(cds_session* session, uint64_t handle, const cds_field* fields, uint32_t count,
                         cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        const auto object = target.values.as<cds::ICorDebugObjectValue>(handle, "an object");
        cds::ValueWriter writer(target, out_values, count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const cds::ComPtr<cds::ICorDebugClass> owner = target.types.class_of(fields[i].type);
            cds::ComPtr<cds::ICorDebugValue> value;
            const cds::HRESULT hr = object->GetFieldValue(owner.get(), fields[i].token, value.out());
            writer.add(hr, value);
        }
    });
}

int32_t cds_static_fields(cds_session* session, uint32_t thread, uint32_t frame_index, const cds_field* fields,
                          uint32_t count, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        cds::ICorDebugFrame* frame = nullptr;
        if (thread != 0) {
            frame = target.stacks.frame(thread, frame_index).frame.get();
        }
        cds::ValueWriter writer(target, out_values, count);
        for (std::uint32_t i = 0; i < count; ++i) {
            const cds::ComPtr<cds::ICorDebugType> owner = target.types.find(fields[i].type);
            cds::ComPtr<cds::ICorDebugValue> value;
            const cds::HRESULT hr = cds::read_static_field(*owner.get(), fields[i].token, frame, value);
            writer.add(hr, value);
        }
    });
}

int32_t cds_array_shape(cds_session* session, uint64_t handle, uint32_t* lengths, int32_t* lower_bounds,
                        uint32_t capacity, uint32_t* out_rank) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        const auto array = target.values.as<cds::ICorDebugArrayValue>(handle, "an array");
        std::uint32_t rank = 0;
        cds::require(array->GetRank(&rank), "GetRank");
        cds::require_output(out_rank) = rank;
        if (rank > capacity) {
            throw cds::Failure(CDS_E_BUFFER, "The buffer for dimensions is too small.");
        }
        cds::require(array->GetDimensions(rank, lengths), "GetDimensions");
        std::fill_n(lower_bounds, rank, 0);
        std::int32_t has_bounds = 0;
        if (!cds::failed(array->HasBaseIndicies(&has_bounds)) && has_bounds != 0) {
            // The runtime declares them unsigned; they are the two's complement of the bounds.
            cds::require(array->GetBaseIndicies(rank, reinterpret_cast<std::uint32_t*>(lower_bounds)),
                         "GetBaseIndicies");
        }
    });
}

int32_t cds_array_elements(cds_session* session, uint64_t handle, uint32_t start, uint32_t count,
                           cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        const auto array = target.values.as<cds::ICorDebugArrayValue>(handle, "an array");
        std::uint32_t length = 0;
        cds::require(array->GetCount(&length), "GetCount");
        count = start < length ? std::min(count, length - start) : 0;
        cds::ValueWriter writer(target, out_values, count);
        cds::add_elements(target, writer, *array.get(), {handle, start}, count);
    });
}

int32_t cds_string_read(cds_session* session, uint64_t handle, uint32_t start, uint32_t count, uint16_t* text,
                        uint32_t* out_count) {
    return cds::guarded([&] {
        auto& copied = cds::require_output(out_count);
        auto& target = cds::session_of(session);
        target.require_held();
        if (const auto kept = target.values.find(handle); kept.long_string != 0) {
            count = start < kept.long_length ? std::min(count, kept.long_length - start) : 0;
            copied = count != 0 ? cds::read_string_memory(target, kept.long_string, start, count, text) : 0;
            return;
        }
        const auto string = target.values.as<cds::ICorDebugStringValue>(handle, "a string");
        std::uint32_t length = 0;
        cds::require(string->GetLength(&length), "GetLength");
        count = start < length ? std::min(count, length - start) : 0;
        if (count != 0) {
            // GetString reads from the start only.
            std::u16string head(start + count, u'\0');
            std::uint32_t fetched = 0;
            cds::require(string->GetString(start + count, &fetched, head.data()), "GetString");
            std::copy_n(head.data() + start, count, text);
        }
        copied = count;
    });
}

int32_t cds_value_dereference(cds_session* session, uint64_t handle, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        const auto pointer = target.values.as<cds::ICorDebugReferenceValue>(handle, "a pointer");
        cds::ComPtr<cds::ICorDebugValue> value;
        const cds::HRESULT hr = pointer->Dereference(value.out());
        cds::ValueWriter(target, out_values, 1).add(hr, value);
    });
}
