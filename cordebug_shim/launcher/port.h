/*
 * Keeps a diagnostic port: a Unix socket that DOTNET_DiagnosticPorts names to a program, and that each .NET process which
 * inherits the variable calls at its start, before its debugger interface is there. It waits then until it is told to go
 * on, for ever if nobody does. So whoever keeps the port outlives the adapter, and leaves when nobody can call any more.
 *
 * A caller says who it is in CALL_SIZE bytes. A runtime: "ADVR_V1", its cookie of 16 bytes, its process id. A debugger
 * that comes for a waiting process, such as another adapter: "DAPCLM1", the process id in 8 bytes, little-endian, and
 * zeroes. Such a debugger is answered 'y', and the process is its own, or 'n'; when it says 'g', the runtime goes on and
 * the answer is 'd'; when it hangs up, the runtime goes on, too.
 *
 * protocol.h has the lines that are exchanged with the adapter.
 */
#ifndef DAP_DOTNET_LAUNCHER_PORT_H
#define DAP_DOTNET_LAUNCHER_PORT_H

#include "control.h"

/* `listener` is bound to `path`, whose folder holds nothing else: both are removed at the end. The exit code. */
int port_keep(struct control *control, int listener, const char *path);

#endif
