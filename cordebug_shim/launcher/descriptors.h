#ifndef DAP_DOTNET_LAUNCHER_DESCRIPTORS_H
#define DAP_DOTNET_LAUNCHER_DESCRIPTORS_H

/*
 * Keeps every descriptor above standard error out of the debuggee. `kept` (terminated by -1) are closed on exec, all
 * others are closed now.
 */
void descriptors_keep_only(const int *kept);

/*
 * Points the standard streams to /dev/null. The launcher must not hold the write ends of the debuggee's pipes: their
 * reader waits for end of file.
 */
void descriptors_drop_standard_streams(void);

#endif
