#include "options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse_number(const char *text, int *out_number) {
    char *end = NULL;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 0 || value > INT_MAX) {
        return false;
    }
    *out_number = (int)value;
    return true;
}

static bool take_option(const char *name, const char *value, struct options *out_options) {
    if (strcmp(name, "--control") == 0) {
        return parse_number(value, &out_options->control_fd);
    }
    if (strcmp(name, "--connect") == 0) {
        out_options->connect_path = value;
        return true;
    }
    if (strcmp(name, "--drain") == 0) {
        if (out_options->drain_count == MAX_DRAINS) {
            return false;
        }
        int index = out_options->drain_count++;
        return parse_number(value, &out_options->drain_fds[index]);
    }
    if (strcmp(name, "--cwd") == 0) {
        out_options->directory = value;
        return true;
    }
    if (strcmp(name, "--end-group") == 0) {
        out_options->end_group = true;
        return strcmp(value, "yes") == 0;
    }
    if (strcmp(name, "--watch") == 0) {
        return parse_number(value, &out_options->watched_pid);
    }
    if (strcmp(name, "--copy") == 0) {
        return parse_number(value, &out_options->copied_pid);
    }
    if (strcmp(name, "--parent-reaps") == 0) {
        out_options->parent_reaps = true;
        return strcmp(value, "yes") == 0;
    }
    if (strcmp(name, "--port") == 0) {
        return parse_number(value, &out_options->port_fd);
    }
    if (strcmp(name, "--port-path") == 0) {
        out_options->port_path = value;
        return true;
    }
    return false;
}

bool options_parse(int argc, char **argv, struct options *out_options) {
    *out_options = (struct options){.control_fd = -1, .port_fd = -1};
    int index = 1;
    while (index < argc && strcmp(argv[index], "--") != 0) {
        if (index + 1 >= argc || !take_option(argv[index], argv[index + 1], out_options)) {
            (void)fprintf(stderr, "dap-dotnet-launcher: bad option %s\n", argv[index]);
            return false;
        }
        index += 2;
    }
    bool has_control = out_options->control_fd >= 0;
    bool has_connect = out_options->connect_path != NULL;
    bool has_command = index + 1 < argc;
    bool has_watched = out_options->watched_pid != 0;
    bool has_port = out_options->port_fd >= 0;
    bool has_copied = out_options->copied_pid != 0;
    bool starts_nothing = has_watched || has_port || has_copied;
    bool shares_group = starts_nothing || has_connect;
    if (has_command == starts_nothing || has_watched + has_port + has_copied > 1 || has_control == has_connect ||
        (starts_nothing && has_connect) || (out_options->end_group && shares_group) ||
        has_port != (out_options->port_path != NULL) || (out_options->parent_reaps && !has_copied)) {
        (void)fputs(
            "usage: dap-dotnet-launcher (--control FD | --connect PATH) [--drain FD] [--cwd DIR] [--end-group yes] -- "
            "PROGRAM [ARGUMENT]...\n       dap-dotnet-launcher --control FD --watch PID\n"
            "       dap-dotnet-launcher --control FD --port FD --port-path PATH\n"
            "       dap-dotnet-launcher --control FD --copy PID [--parent-reaps yes]\nIt is started by dap-dotnet.\n",
            stderr);
        return false;
    }
    out_options->command = has_command ? &argv[index + 1] : NULL;
    return true;
}
