#ifndef DAP_DOTNET_LAUNCHER_OPTIONS_H
#define DAP_DOTNET_LAUNCHER_OPTIONS_H

#include <stdbool.h>

enum { MAX_DRAINS = 2 };

/* The command line, parsed. Strings point into argv. */
struct options {
    int control_fd;           /* -1 when connect_path is given */
    const char *connect_path; /* NULL when control_fd is given */
    int drain_fds[MAX_DRAINS];
    int drain_count;
    const char *directory; /* NULL: the launcher's own */
    bool end_group;
    char **command;        /* NULL-terminated argv of the debuggee; NULL when there is none to start */
    int watched_pid;       /* 0 for none */
    int copied_pid;        /* 0 for none */
    bool parent_reaps;
    int port_fd;           /* -1 for none */
    const char *port_path; /* NULL for none */
};

/* Fills `out_options`; on a wrong command line says so on standard error and returns false. */
bool options_parse(int argc, char **argv, struct options *out_options);

#endif
