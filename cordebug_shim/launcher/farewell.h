/*
 * Lets go of a .NET process whose debugger died without a detach.
 *
 * Such a process stays stopped where it was held, or stops at its next debug event, for ever: its runtime waits for its
 * debugger to come back on the debugger's pipes. So somebody comes back in the debugger's place, resumes the session
 * (MT_SessionResync), stops the process, and detaches as a debugger does. Then it runs on as if it had never been debugged.
 *
 * The messages are those that the runtime's debugger library sends; observed to be the same from .NET Core 3.1 to .NET 10 on
 * 64-bit Linux.
 */
#ifndef DAP_DOTNET_LAUNCHER_FAREWELL_H
#define DAP_DOTNET_LAUNCHER_FAREWELL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A debugger's connection to a process, as it shows from outside. */
struct connection {
    pid_t pid;
    unsigned long long start_time;
    uint64_t pipe; /* which pipe leads into the process, 0 without one; a runtime that lost its debugger makes a new one */
};

/* Looks at the pipes of a process that is being debugged, or is about to be. */
void farewell_prepare(pid_t pid, struct connection *out_connection);

/* Once the debugger has attached: a runtime that had no pipes before has them now. */
void farewell_attached(struct connection *connection);

/* After the debugger's end: detaches from the process and sees it run. False when its runtime did not answer, or it is gone. */
bool farewell_detach(const struct connection *connection);

/*
 * After a detach, by whomever: makes sure that the process runs. True also when it has ended. A process that does nothing is
 * asked, as a debugger would, whether it can be stopped. False when it does not run, and nothing helped.
 */
bool farewell_see_it_run(const struct connection *connection);

#endif
