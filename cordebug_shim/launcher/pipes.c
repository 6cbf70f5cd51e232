/* For statx. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "pipes.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "journal.h"
#include "runtime_process.h"
#include "traces.h"

enum { POLL_INTERVAL_MS = 5, LOOK_INTERVAL_MS = 100, MEET_TIMEOUT_MS = 1000 };

bool pipes_is_alive(const struct connection *connection) {
    return !runtime_process_has_ended(connection->pid) &&
           runtime_process_start_time(connection->pid) == connection->start_time;
}

/* Whether it is a pipe of the process's own, not something that another user has put in its place. */
static bool is_pipe_of(const struct connection *connection, const struct stat *status) {
    uid_t owner = 0;
    return S_ISFIFO(status->st_mode) && runtime_process_owner(connection->pid, &owner) && status->st_uid == owner;
}

/*
 * Which pipe a name stands for, 0 for none: its inode and when it was made, since a file system gives a new pipe the inode of
 * the one that was just removed. Where the time of birth is not known, the inode alone.
 */
static uint64_t identity_of(int folder, const char *name, int flags) {
    struct statx status;
    if (statx(folder, name, flags, STATX_BASIC_STATS | STATX_BTIME, &status) != 0 || !S_ISFIFO(status.stx_mode)) {
        return 0;
    }
    uint64_t born_ns = 0;
    if ((status.stx_mask & STATX_BTIME) != 0) {
        born_ns = ((uint64_t)status.stx_btime.tv_sec * 1000000000U) + status.stx_btime.tv_nsec;
    }
    return (born_ns * 1000003U) ^ status.stx_ino;
}

static uint64_t current(const struct connection *connection, const char *direction) {
    char path[PATH_MAX];
    struct stat status;
    bool is_there = traces_pipe_path(path, sizeof path, direction, connection->pid, connection->start_time) &&
                    lstat(path, &status) == 0;
    return is_there && is_pipe_of(connection, &status) ? identity_of(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW) : 0;
}

uint64_t pipes_current(const struct connection *connection) {
    return current(connection, "in");
}

void pipes_look_at(pid_t pid, struct connection *out_connection) {
    out_connection->pid = pid;
    out_connection->start_time = runtime_process_start_time(pid);
    out_connection->pipe = pipes_current(out_connection);
    journal("looked at process %d, its pipe is %llx", (int)pid, (unsigned long long)out_connection->pipe);
}

bool pipes_has_open(const struct connection *connection, uint64_t pipe) {
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)connection->pid);
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return true;
    }
    bool is_open = false;
    int fd = dirfd(folder);
    const struct dirent *entry = NULL;
    while (fd >= 0 && !is_open && (entry = readdir(folder)) != NULL) {
        is_open = identity_of(fd, entry->d_name, 0) == pipe;
    }
    (void)closedir(folder);
    return is_open;
}

static int open_pipe(const struct connection *connection, const char *direction, unsigned flags) {
    char path[PATH_MAX];
    if (!traces_pipe_path(path, sizeof path, direction, connection->pid, connection->start_time)) {
        return -1;
    }
    int fd = open(path, (int)(flags | (unsigned)O_NONBLOCK | (unsigned)O_CLOEXEC | (unsigned)O_NOFOLLOW));
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) != 0 || !is_pipe_of(connection, &status))) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static bool try_to_connect(const struct connection *connection, struct pipe_ends *out_ends) {
    /* Refused while the runtime does not listen yet. */
    out_ends->write_fd = open_pipe(connection, "in", O_WRONLY);
    if (out_ends->write_fd < 0) {
        return false;
    }
    out_ends->read_fd = open_pipe(connection, "out", O_RDONLY);
    if (out_ends->read_fd < 0) {
        (void)close(out_ends->write_fd);
        return false;
    }
    return true;
}

/* Whether the runtime has the pipe into it, and waits in open() for somebody at the other one. */
static bool is_met_half(const struct connection *connection) {
    uint64_t in = current(connection, "in");
    uint64_t out = current(connection, "out");
    return in != 0 && out != 0 && pipes_has_open(connection, in) && !pipes_has_open(connection, out);
}

/*
 * A debugger that ended after it had opened the one pipe and before the other is never noticed: the runtime waits for the
 * other. It is opened here, for no more than that: then the runtime reads from the first, finds nobody, and makes new ones.
 */
static void meet_other_half(const struct connection *connection) {
    const uint64_t pipe = pipes_current(connection);
    const long long deadline_ms = now_ms() + MEET_TIMEOUT_MS;
    const int fd = open_pipe(connection, "out", O_RDONLY);
    journal("the runtime was met by half; opened the other pipe: %d", fd >= 0);
    if (fd < 0) {
        return;
    }
    while (pipes_is_alive(connection) && pipes_current(connection) == pipe && now_ms() < deadline_ms) {
        sleep_ms(POLL_INTERVAL_MS);
    }
    (void)close(fd);
}

bool pipes_connect(struct connection *connection, int timeout_ms, struct pipe_ends *out_ends) {
    long long deadline_ms = now_ms() + timeout_ms;
    long long next_look_ms = now_ms() + LOOK_INTERVAL_MS;
    bool was_half = is_met_half(connection);
    while (now_ms() < deadline_ms && pipes_is_alive(connection)) {
        uint64_t pipe = pipes_current(connection);
        if (pipe != 0 && pipe != connection->pipe && !pipes_has_open(connection, pipe) &&
            try_to_connect(connection, out_ends)) {
            connection->pipe = identity_of(out_ends->write_fd, "", AT_EMPTY_PATH);
            journal("connected to pipe %llx", (unsigned long long)connection->pipe);
            return true;
        }
        /* One that is just being met looks so for a moment. */
        if (now_ms() >= next_look_ms) {
            bool is_half = is_met_half(connection);
            if (was_half && is_half) {
                meet_other_half(connection);
                is_half = false;
            }
            was_half = is_half;
            next_look_ms = now_ms() + LOOK_INTERVAL_MS;
        }
        sleep_ms(POLL_INTERVAL_MS);
    }
    journal("no runtime waits for a debugger; alive: %d, pipe %llx", pipes_is_alive(connection),
            (unsigned long long)pipes_current(connection));
    return false;
}

void pipes_disconnect(const struct pipe_ends *ends) {
    (void)close(ends->write_fd);
    (void)close(ends->read_fd);
}
