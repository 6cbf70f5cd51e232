/* What a debuggee has started: the other processes of the process group that it leads. */
#ifndef DAP_DOTNET_LAUNCHER_GROUP_H
#define DAP_DOTNET_LAUNCHER_GROUP_H

#include <sys/types.h>

/* SIGKILL to the whole group, whose leader may have ended already, and removes what its .NET runtimes leave. */
void group_end(pid_t leader);

#endif
