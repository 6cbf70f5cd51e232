/* One at a time comes to a process's runtime: adapters that attach, and guardians that let go. */
#ifndef DAP_DOTNET_LAUNCHER_TURN_H
#define DAP_DOTNET_LAUNCHER_TURN_H

#include <sys/types.h>

/*
 * Waits until nobody else comes to the process, and keeps others from it until this process ends. Two at the same pipes each
 * take a part of what the runtime says, and it stands for ever. Goes on after some seconds in any case: whoever has the turn
 * for so long does not get on. The lock is the one of dap_dotnet/launching/attaching.py.
 */
void turn_take(pid_t pid);

#endif
