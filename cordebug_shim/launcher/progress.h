/* Whether a process does anything: the sign that a debugger's letting go has worked. */
#ifndef DAP_DOTNET_LAUNCHER_PROGRESS_H
#define DAP_DOTNET_LAUNCHER_PROGRESS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Watches the program's own threads for up to `timeout_ms`; true as soon as they have worked. The runtime's threads, which
 * run on while the program stands, do not count where they have names (from .NET 5 on). A program that only waits does not
 * work either: false means that nothing is known.
 */
bool progress_seen(pid_t pid, int timeout_ms);

#endif
