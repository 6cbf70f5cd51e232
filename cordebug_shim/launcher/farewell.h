/*
 * Lets go of a .NET process whose debugger died without a detach.
 *
 * Such a process stays stopped where it was held, or stops at its next debug event, for ever: its runtime waits for its
 * debugger to come back on the debugger's pipes. So somebody comes back in the debugger's place, resumes the session, stops
 * the process, and detaches as a debugger does (conversation.h). Then it runs on as if it had never been debugged.
 */
#ifndef DAP_DOTNET_LAUNCHER_FAREWELL_H
#define DAP_DOTNET_LAUNCHER_FAREWELL_H

#include <stdbool.h>

#include "pipes.h"

/*
 * After the debugger's end: detaches from the process and sees it run. `connection` is what was seen before the debugger
 * attached. False when its runtime did not answer, or speaks another version of the protocol, or the process is gone.
 */
bool farewell_detach(const struct connection *connection);

/*
 * Takes the place of a debugger that was lost before, whoever it was, and detaches. `connection` is what was seen before an
 * attach to which the runtime did not answer. Results as of farewell_detach.
 */
bool farewell_free(const struct connection *connection);

/*
 * After a detach, by whomever: makes sure that the process runs. True also when it has ended. A process that does nothing is
 * asked, as a debugger would, whether it can be stopped. False when it does not run, and nothing helped.
 */
bool farewell_see_it_run(const struct connection *connection);

#endif
