/* For statx. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "farewell.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"
#include "traces.h"

enum message_type {
    MESSAGE_SESSION_REQUEST = 0,
    MESSAGE_SESSION_ACCEPT = 1,
    MESSAGE_SESSION_RESYNC = 3,
    MESSAGE_SESSION_CLOSE = 4,
    MESSAGE_EVENT = 5,
};

enum event_type { EVENT_SYNC_COMPLETE = 0x102, EVENT_ASYNC_BREAK = 0x200, EVENT_DETACH = 0x22f };

/* Precedes each message. */
struct header {
    uint32_t type;
    uint32_t data_size; /* bytes that follow */
    uint32_t id;        /* counted by each side; 0 for messages about the session */
    uint32_t reply_id;
    uint32_t last_seen_id; /* of the other side */
    uint32_t reserved;
    uint32_t detail; /* of MESSAGE_SESSION_REQUEST and _ACCEPT: the protocol's major version */
    uint32_t event;  /* of MESSAGE_EVENT; of the other two the minor version */
    uint8_t unused[16];
};

/* The data of the events that are sent here. */
struct event {
    uint64_t unused;
    uint32_t type;
    uint8_t unused_too[28];
    uint64_t wants_reply;
};

_Static_assert(sizeof(struct header) == 48, "the header has 48 bytes on the wire");
_Static_assert(sizeof(struct event) == 48, "the smallest event has 48 bytes on the wire");

enum {
    RECONNECT_TIMEOUT_MS = 10000,
    STOP_TIMEOUT_MS = 1000, /* a process that is stopped already does not answer */
    DETACH_TIMEOUT_MS = 5000,
    POLL_INTERVAL_MS = 5,
    PROGRESS_TIMEOUT_MS = 100,
    LISTEN_TIMEOUT_MS = 2000,
    NEVER_MET_MS = 2000,
    MOST_ATTEMPTS = 5,
    SESSION_ID_SIZE = 16,
    PROTOCOL_VERSION = 2,    /* the only one there has been; 2.0 of .NET Core 3.1 to .NET 10 */
    LARGEST_DATA = 16777216, /* more is no message */
};

struct session {
    int write_fd;
    int read_fd;
    uint32_t next_id;
    uint32_t last_seen_id;
};

static long long now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return ((long long)now.tv_sec * 1000) + (now.tv_nsec / 1000000);
}

static bool read_all(int fd, void *buffer, size_t size, long long deadline_ms) {
    uint8_t *position = buffer;
    while (size > 0) {
        struct pollfd slot = {.fd = fd, .events = POLLIN};
        long long left_ms = deadline_ms - now_ms();
        if (left_ms <= 0 || poll(&slot, 1, (int)left_ms) <= 0) {
            return false;
        }
        ssize_t count = read(fd, position, size);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        position += count;
        size -= (size_t)count;
    }
    return true;
}

static bool skip(int fd, size_t size, long long deadline_ms) {
    uint8_t bytes[4096];
    while (size > 0) {
        size_t part = size < sizeof bytes ? size : sizeof bytes;
        if (!read_all(fd, bytes, part, deadline_ms)) {
            return false;
        }
        size -= part;
    }
    return true;
}

/* Small enough that the pipe takes it whole. */
static bool send_message(struct session *session, const struct header *header, const void *data) {
    uint8_t message[sizeof *header + sizeof(struct event)];
    memcpy(message, header, sizeof *header);
    size_t size = sizeof *header;
    if (data != NULL) {
        memcpy(message + size, data, header->data_size);
        size += header->data_size;
    }
    return write(session->write_fd, message, size) == (ssize_t)size;
}

static bool send_event(struct session *session, enum event_type type, bool wants_reply) {
    struct event event = {.type = type, .wants_reply = wants_reply ? 1 : 0};
    struct header header = {
        .type = MESSAGE_EVENT,
        .data_size = sizeof event,
        .id = session->next_id++,
        .last_seen_id = session->last_seen_id,
        .event = type,
    };
    return send_message(session, &header, &event);
}

/* Reads messages until an event of this type; what else the runtime had to say is dropped. */
static bool wait_for_event(struct session *session, enum event_type type, int timeout_ms) {
    long long deadline_ms = now_ms() + timeout_ms;
    struct header header;
    while (read_all(session->read_fd, &header, sizeof header, deadline_ms)) {
        if (header.data_size > LARGEST_DATA || !skip(session->read_fd, header.data_size, deadline_ms)) {
            return false;
        }
        if (header.id > session->last_seen_id) {
            session->last_seen_id = header.id;
        }
        if (header.type == MESSAGE_EVENT && header.event == (uint32_t)type) {
            return true;
        }
    }
    return false;
}

static bool resync(struct session *session) {
    struct header header = {.type = MESSAGE_SESSION_RESYNC};
    if (!send_message(session, &header, NULL) ||
        !read_all(session->read_fd, &header, sizeof header, now_ms() + DETACH_TIMEOUT_MS) ||
        header.type != MESSAGE_SESSION_RESYNC) {
        return false;
    }
    session->next_id = header.last_seen_id + 1;
    return true;
}

/* Begins a new session with a runtime that has none. */
static bool request_session(struct session *session) {
    static const uint8_t session_id[SESSION_ID_SIZE] = "dap-dotnet bye.";
    struct header header = {
        .type = MESSAGE_SESSION_REQUEST,
        .data_size = sizeof session_id,
        .detail = PROTOCOL_VERSION,
    };
    return send_message(session, &header, session_id) &&
           read_all(session->read_fd, &header, sizeof header, now_ms() + DETACH_TIMEOUT_MS) &&
           header.type == MESSAGE_SESSION_ACCEPT && header.detail == PROTOCOL_VERSION && header.data_size == 0;
}

/* Stops the process and detaches from it; whether it stopped, which one that stands already does not, in `out_stopped`. */
static bool say_farewell(struct session *session, bool *out_stopped) {
    if (!send_event(session, EVENT_ASYNC_BREAK, false)) {
        return false;
    }
    *out_stopped = wait_for_event(session, EVENT_SYNC_COMPLETE, STOP_TIMEOUT_MS);
    if (!send_event(session, EVENT_DETACH, true) || !wait_for_event(session, EVENT_DETACH, DETACH_TIMEOUT_MS)) {
        return false;
    }
    struct header close_header = {
        .type = MESSAGE_SESSION_CLOSE,
        .id = session->next_id,
        .last_seen_id = session->last_seen_id,
    };
    return send_message(session, &close_header, NULL);
}

static bool is_alive(const struct connection *connection) {
    return process_start_time(connection->pid) == connection->start_time;
}

/* Whether it is a pipe of the process's own, not something that another user has put in its place. */
static bool is_pipe_of(const struct connection *connection, const struct stat *status) {
    uid_t owner = 0;
    return S_ISFIFO(status->st_mode) && process_owner(connection->pid, &owner) && status->st_uid == owner;
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

static uint64_t pipe_identity(const struct connection *connection) {
    char path[PATH_MAX];
    struct stat status;
    bool is_there =
        traces_pipe_path(path, sizeof path, "in", connection->pid, connection->start_time) && lstat(path, &status) == 0;
    return is_there && is_pipe_of(connection, &status) ? identity_of(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW) : 0;
}

void farewell_prepare(pid_t pid, struct connection *out_connection) {
    out_connection->pid = pid;
    out_connection->start_time = process_start_time(pid);
    out_connection->pipe = pipe_identity(out_connection);
}

void farewell_attached(struct connection *connection) {
    if (connection->pipe == 0) {
        connection->pipe = pipe_identity(connection);
    }
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

/*
 * Connects as a debugger does. Not to the pipe `connection->pipe`: a runtime that has lost its debugger makes new pipes once
 * it has noticed, and a writer on the old ones would keep it from noticing.
 */
static bool connect_anew(const struct connection *connection, int timeout_ms, struct session *out_session) {
    static const struct timespec interval = {.tv_nsec = POLL_INTERVAL_MS * 1000000L};
    long long deadline_ms = now_ms() + timeout_ms;
    while (now_ms() < deadline_ms && is_alive(connection)) {
        uint64_t pipe = pipe_identity(connection);
        if (pipe != 0 && pipe != connection->pipe) {
            /* Refused while the runtime does not listen yet. */
            out_session->write_fd = open_pipe(connection, "in", O_WRONLY);
            if (out_session->write_fd >= 0) {
                out_session->read_fd = open_pipe(connection, "out", O_RDONLY);
                if (out_session->read_fd >= 0) {
                    return true;
                }
                (void)close(out_session->write_fd);
            }
        }
        (void)nanosleep(&interval, NULL);
    }
    return false;
}

static void disconnect(const struct session *session) {
    (void)close(session->write_fd);
    (void)close(session->read_fd);
}

/*
 * Threads that meet the detach at a bad moment stand although the runtime has no debugger any more. Whoever stands is freed
 * by one more debugger that comes and goes; whoever runs does not mind it.
 */
bool farewell_see_it_run(const struct connection *connection) {
    struct connection next = *connection;
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (!is_alive(connection) || progress_seen(connection->pid, PROGRESS_TIMEOUT_MS)) {
            return true;
        }
        struct session session = {.next_id = 1};
        if (!connect_anew(&next, LISTEN_TIMEOUT_MS, &session)) {
            return !is_alive(connection);
        }
        next.pipe = pipe_identity(connection);
        bool stopped = false;
        bool is_done = request_session(&session) && say_farewell(&session, &stopped);
        disconnect(&session);
        if (is_done && stopped) {
            return true; /* it ran, and had nothing to do */
        }
    }
    return false;
}

/*
 * Whether the process has its pipe open. A runtime that no debugger has met yet waits in open() for one and has not. True
 * where this cannot be seen.
 */
static bool has_pipe_open(const struct connection *connection) {
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
        is_open = identity_of(fd, entry->d_name, 0) == connection->pipe;
    }
    (void)closedir(folder);
    return is_open;
}

/* Whether the debugger ended before it had met the runtime: the pipes are the old ones, and nobody has them open. */
static bool never_met(const struct connection *connection) {
    static const struct timespec interval = {.tv_nsec = POLL_INTERVAL_MS * 1000000L};
    long long deadline_ms = now_ms() + NEVER_MET_MS;
    while (now_ms() < deadline_ms) {
        if (!is_alive(connection) || pipe_identity(connection) != connection->pipe || has_pipe_open(connection)) {
            return false;
        }
        (void)nanosleep(&interval, NULL);
    }
    return true;
}

bool farewell_detach(const struct connection *connection) {
    if (connection->pipe != 0 && never_met(connection)) {
        return true; /* it runs, and would make no new pipes to wait for */
    }
    struct session session = {.next_id = 1};
    if (connection->pipe == 0 || !connect_anew(connection, RECONNECT_TIMEOUT_MS, &session)) {
        return false;
    }
    bool stopped = false;
    struct connection last = *connection;
    last.pipe = pipe_identity(connection);
    bool is_done = resync(&session) && say_farewell(&session, &stopped);
    disconnect(&session);
    return is_done && farewell_see_it_run(&last);
}
