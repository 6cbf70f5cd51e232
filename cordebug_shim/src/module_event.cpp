#include "module_event.h"

#include "module_name.h"

namespace cds {

Event module_event(std::uint32_t id, ICorDebugModule* module) {
    Event event(CDS_EVENT_MODULE_LOADED);
    event.plain.module = id;
    event.text = module_name(module);
    module->GetBaseAddress(&event.plain.address);
    module->GetSize(&event.plain.module_size);
    std::int32_t yes = 0;
    if (!failed(module->IsDynamic(&yes)) && yes != 0) {
        event.plain.flags |= CDS_MODULE_DYNAMIC;
    }
    if (!failed(module->IsInMemory(&yes)) && yes != 0) {
        event.plain.flags |= CDS_MODULE_IN_MEMORY;
    }
    if (const auto module4 = query<ICorDebugModule4>(module);
        module4 && !failed(module4->IsMappedLayout(&yes)) && yes != 0) {
        event.plain.flags |= CDS_MODULE_MAPPED_LAYOUT;
    }
    return event;
}

}  // namespace cds
