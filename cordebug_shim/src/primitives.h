// Which TypeDefs of the core library are the primitives: a boxed int is a System.Int32 to the runtime, not an I4.
#pragma once

#include <map>

#include "cordebug/code.h"

namespace cds {

// Under the lock of `Types`, but for `set_core_library`, which comes before any use.
class Primitives {
  public:
    // Remembers the module when it is System.Private.CoreLib.
    void set_core_library(ICorDebugModule* module, std::uint32_t id);

    // The CorElementType of a TypeDef; 0 for all but the primitives.
    std::uint32_t element_type_of(std::uint32_t module, std::uint32_t token);

  private:
    void look_up();

    ComPtr<ICorDebugModule> module_;
    std::uint32_t module_id_ = 0;
    bool looked_up_ = false;
    std::map<std::uint32_t, std::uint32_t> element_types_;  // by TypeDef
};

}  // namespace cds
