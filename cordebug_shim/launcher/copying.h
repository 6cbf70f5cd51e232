/*
 * Copies a process: each copy is a fork of it that never runs, and whose memory can be read. protocol.h has the lines that
 * are exchanged with the adapter. The copies end with this process, however it ends.
 */
#ifndef DAP_DOTNET_LAUNCHER_COPYING_H
#define DAP_DOTNET_LAUNCHER_COPYING_H

#include <stdbool.h>
#include <sys/types.h>

#include "control.h"

/*
 * Copies `pid` as the adapter says, until that ends. `parent_reaps`: the process's parent waits for its own children, and
 * the copies become some of them; else they are the process's, which is made to wait for them. The exit code.
 */
int copying_serve(struct control *control, pid_t pid, bool parent_reaps);

#endif
