// The callbacks that mscordbi calls on its own thread.
#pragma once

#include <memory>

#include "cordebug/callback.h"

namespace cds {

class Session;

// A managed callback for the session, with one reference for the caller.
ComPtr<ICorDebugManagedCallback> make_callback(std::shared_ptr<Session> session);

}  // namespace cds
