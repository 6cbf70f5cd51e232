/* Processes that carry a text in the environment that they were started with. */
#ifndef DAP_DOTNET_LAUNCHER_CARRIERS_H
#define DAP_DOTNET_LAUNCHER_CARRIERS_H

#include <stdbool.h>

/* Whether there is one, as far as this user may look. `text` is at most 256 bytes long. */
bool carriers_exist(const char *text);

#endif
