/* What a guardian did and saw, for whoever looks into a program that was not let go: off unless its file is named. */
#ifndef DAP_DOTNET_LAUNCHER_JOURNAL_H
#define DAP_DOTNET_LAUNCHER_JOURNAL_H

/* Names the file, to which lines are appended. */
#define JOURNAL_VARIABLE "DAP_DOTNET_GUARDIAN_LOG"

void journal_open(void);

/* Writes a line, after the time of day and this process's id; `format` has no line feed. */
void journal(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
