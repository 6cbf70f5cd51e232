#include "conversation.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "clock.h"
#include "journal.h"
#include "thread_turns.h"

enum message_type {
    MESSAGE_SESSION_REQUEST = 0,
    MESSAGE_SESSION_ACCEPT = 1,
    MESSAGE_SESSION_REJECT = 2,
    MESSAGE_SESSION_RESYNC = 3,
    MESSAGE_SESSION_CLOSE = 4,
    MESSAGE_EVENT = 5,
};

enum event_type {
    EVENT_BREAKPOINT = 0x100,
    EVENT_SYNC_COMPLETE = 0x102,
    EVENT_ASYNC_BREAK = 0x200,
    EVENT_CONTINUE = 0x201,
    EVENT_BREAKPOINT_REMOVE = 0x20a,
    EVENT_DETACH = 0x22f,
};

/* Precedes each message. */
struct header {
    uint32_t type;
    uint32_t data_size; /* bytes that follow */
    uint32_t id;        /* counted by each side; 0 for messages about the session */
    uint32_t reply_id;
    uint32_t last_seen_id; /* of the other side */
    uint32_t reserved;
    uint32_t detail; /* of MESSAGE_SESSION_REQUEST and _ACCEPT: the protocol's major version; of _REJECT the reason */
    uint32_t event;  /* of MESSAGE_EVENT; of _REQUEST and _ACCEPT the minor version, of _REJECT the major one */
    uint8_t unused[16];
};

/* The data of an event, from its beginning. */
struct event {
    uint64_t unused;
    uint32_t type;
    uint8_t unused_too[28];
    uint32_t result;
    uint32_t wants_reply;
};

/* Of EVENT_BREAKPOINT and EVENT_BREAKPOINT_REMOVE. */
struct breakpoint_event {
    struct event event;
    uint64_t breakpoint; /* as the runtime calls it */
    uint8_t unused[48];
};

_Static_assert(sizeof(struct header) == 48, "the header has 48 bytes on the wire");
_Static_assert(sizeof(struct event) == 48, "the smallest event has 48 bytes on the wire");
_Static_assert(sizeof(struct breakpoint_event) == 104, "one of a breakpoint has 104 bytes at least");

enum {
    ANSWER_TIMEOUT_MS = 5000,
    STOP_TIMEOUT_MS = 1000,    /* a process that is stopped already does not answer */
    MESSAGE_TIMEOUT_MS = 1000, /* from its first byte to its last */
    SKIP_TIME_MS = 50,         /* many times what a thread needs to get over a breakpoint */
    TURNS_INTERVAL_MS = 10,
    TURNS_TIMEOUT_MS = 3000, /* for a thread that gets no processor; it is left behind then */
    LEAVE_TIMEOUT_MS = 2000,
    LATE_STOP_MS = 5000, /* of a thread that spins without a call; up to .NET 8 it cannot be stopped before */
    DETACH_TIMEOUT_MS = 5000,
    END_TIMEOUT_MS = 2000,
    END_INTERVAL_MS = 5,
    SESSION_ID_SIZE = 16,
    PROTOCOL_VERSION = 2,    /* the only one there has been; 2.0 of .NET Core 3.1 to .NET 10 */
    LARGEST_DATA = 16777216, /* more is no message */
    BUFFER_SIZE = 4096,
};

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
    uint8_t bytes[BUFFER_SIZE];
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
static bool send_message(const struct conversation *conversation, const struct header *header, const void *data) {
    uint8_t message[sizeof *header + sizeof(struct breakpoint_event)];
    memcpy(message, header, sizeof *header);
    size_t size = sizeof *header;
    if (data != NULL) {
        memcpy(message + size, data, header->data_size);
        size += header->data_size;
    }
    return write(conversation->ends.write_fd, message, size) == (ssize_t)size;
}

static bool send_event(struct conversation *conversation, struct event *event, size_t size) {
    struct header header = {
        .type = MESSAGE_EVENT,
        .data_size = (uint32_t)size,
        .id = conversation->next_id++,
        .last_seen_id = conversation->last_seen_id,
        .event = event->type,
    };
    return send_message(conversation, &header, event);
}

static bool send_plain_event(struct conversation *conversation, enum event_type type, bool wants_reply) {
    struct event event = {.type = type, .wants_reply = wants_reply ? 1 : 0};
    return send_event(conversation, &event, sizeof event);
}

static void note_hit(struct conversation *conversation, uint64_t breakpoint) {
    for (size_t index = 0; index < conversation->hit_count; index++) {
        if (conversation->hit[index] == breakpoint) {
            return; /* one that is removed twice would be one that is not there */
        }
    }
    if (conversation->hit_count < MOST_BREAKPOINTS) {
        conversation->hit[conversation->hit_count++] = breakpoint;
    }
}

/* The data of a message; what is of no use here is dropped. */
static bool read_data(struct conversation *conversation, const struct header *header, long long deadline_ms) {
    struct breakpoint_event data;
    const int fd = conversation->ends.read_fd;
    const bool is_hit = header->type == MESSAGE_EVENT && header->event == EVENT_BREAKPOINT;
    if (!is_hit || header->data_size < sizeof data) {
        return skip(fd, header->data_size, deadline_ms);
    }
    if (!read_all(fd, &data, sizeof data, deadline_ms) || !skip(fd, header->data_size - sizeof data, deadline_ms)) {
        return false;
    }
    note_hit(conversation, data.breakpoint);
    return true;
}

/* Reads messages until an event of this type; what else the runtime had to say is dropped, but for hits. */
static bool wait_for_event(struct conversation *conversation, enum event_type type, int timeout_ms) {
    const long long deadline_ms = now_ms() + timeout_ms;
    const int fd = conversation->ends.read_fd;
    struct pollfd slot = {.fd = fd, .events = POLLIN};
    while (poll(&slot, 1, left_until(deadline_ms)) > 0) {
        const long long end_ms = now_ms() + MESSAGE_TIMEOUT_MS;
        struct header header;
        conversation->is_broken = !read_all(fd, &header, sizeof header, end_ms) || header.data_size > LARGEST_DATA ||
                                  !read_data(conversation, &header, end_ms);
        if (conversation->is_broken) {
            return false;
        }
        journal("message %u, event 0x%x, id %u", header.type, header.event, header.id);
        if (header.id > conversation->last_seen_id) {
            conversation->last_seen_id = header.id;
        }
        if (header.type == MESSAGE_EVENT && header.event == (uint32_t)type) {
            return true;
        }
    }
    return false;
}

/* A message about the session; none of those that are understood has data. */
static bool read_answer(const struct conversation *conversation, struct header *out_header) {
    bool is_read = read_all(conversation->ends.read_fd, out_header, sizeof *out_header, now_ms() + ANSWER_TIMEOUT_MS);
    if (!is_read) {
        journal("no answer");
        return false;
    }
    journal("answer %u, %u, %u", out_header->type, out_header->detail, out_header->event);
    return out_header->data_size == 0;
}

enum answer conversation_request(struct conversation *conversation) {
    static const uint8_t session_id[SESSION_ID_SIZE] = "dap-dotnet bye.";
    struct header header = {
        .type = MESSAGE_SESSION_REQUEST,
        .data_size = sizeof session_id,
        .detail = PROTOCOL_VERSION,
    };
    conversation->next_id = 1;
    conversation->last_seen_id = 0;
    conversation->is_broken = false;
    conversation->hit_count = 0;
    if (!send_message(conversation, &header, session_id) || !read_answer(conversation, &header)) {
        return ANSWER_NONE;
    }
    if (header.type == MESSAGE_SESSION_ACCEPT && header.detail == PROTOCOL_VERSION) {
        return ANSWER_ACCEPTED;
    }
    /* A runtime that has lost its debugger says so before it reads anything. */
    bool has_lost = header.type == MESSAGE_SESSION_RESYNC;
    if (has_lost && !read_answer(conversation, &header)) {
        return ANSWER_NONE;
    }
    bool has_other = has_lost && header.type == MESSAGE_SESSION_REJECT && header.event == PROTOCOL_VERSION;
    return has_other ? ANSWER_HAS_OTHER : ANSWER_FOREIGN;
}

bool conversation_resume(struct conversation *conversation) {
    struct header header = {.type = MESSAGE_SESSION_RESYNC};
    conversation->last_seen_id = 0;
    if (!send_message(conversation, &header, NULL) || !read_answer(conversation, &header) ||
        header.type != MESSAGE_SESSION_RESYNC) {
        return false;
    }
    conversation->next_id = header.last_seen_id + 1;
    return true;
}

bool conversation_stop(struct conversation *conversation) {
    bool is_stopped = send_plain_event(conversation, EVENT_ASYNC_BREAK, false) &&
                      wait_for_event(conversation, EVENT_SYNC_COMPLETE, STOP_TIMEOUT_MS);
    journal(is_stopped ? "stopped" : "does not stop");
    return is_stopped;
}

static bool remove_breakpoint(struct conversation *conversation, uint64_t breakpoint) {
    struct breakpoint_event event = {.event = {.type = EVENT_BREAKPOINT_REMOVE}, .breakpoint = breakpoint};
    return send_event(conversation, &event.event, sizeof event);
}

/*
 * Lets a stopped process run for a time in which every thread gets its turn, or until a breakpoint is hit that was not
 * before, and stops it.
 */
static bool run_without_hit(struct conversation *conversation, pid_t pid) {
    const size_t hits = conversation->hit_count;
    const long long until_ms = now_ms() + SKIP_TIME_MS;
    const long long latest_ms = until_ms + TURNS_TIMEOUT_MS;
    struct thread_turns turns;
    bool is_running = false;
    thread_turns_note(pid, &turns);
    while (is_running || hits == conversation->hit_count) {
        const long long now = now_ms();
        const bool is_over = now >= until_ms && (now >= latest_ms || thread_turns_were_had(pid, &turns));
        if (is_over && !is_running) {
            break;
        }
        if (is_over) {
            return conversation_stop(conversation) ||
                   (!conversation->is_broken && wait_for_event(conversation, EVENT_SYNC_COMPLETE, LATE_STOP_MS));
        }
        if (!is_running && !send_plain_event(conversation, EVENT_CONTINUE, false)) {
            return false;
        }
        is_running = !wait_for_event(conversation, EVENT_SYNC_COMPLETE, TURNS_INTERVAL_MS);
        if (conversation->is_broken) {
            return false;
        }
    }
    return true;
}

bool conversation_leave_breakpoints(struct conversation *conversation, pid_t pid) {
    const long long deadline_ms = now_ms() + LEAVE_TIMEOUT_MS;
    size_t removed = 0;
    if (conversation->is_broken) {
        return false;
    }
    do {
        for (; removed < conversation->hit_count; removed++) {
            if (!remove_breakpoint(conversation, conversation->hit[removed])) {
                return false;
            }
        }
        if (!run_without_hit(conversation, pid)) {
            return false;
        }
    } while (removed < conversation->hit_count && now_ms() < deadline_ms);
    journal("left %zu breakpoints behind", removed);
    return removed == conversation->hit_count;
}

bool conversation_detach(struct conversation *conversation) {
    bool is_detached = send_plain_event(conversation, EVENT_DETACH, true) &&
                       wait_for_event(conversation, EVENT_DETACH, DETACH_TIMEOUT_MS);
    journal(is_detached ? "detached" : "does not detach");
    return is_detached;
}

/* Reads and drops what comes; false when the runtime has hung up. */
static bool drain(int fd) {
    uint8_t bytes[BUFFER_SIZE];
    struct pollfd slot = {.fd = fd, .events = POLLIN};
    if (poll(&slot, 1, END_INTERVAL_MS) <= 0) {
        return true;
    }
    ssize_t count = read(fd, bytes, sizeof bytes);
    return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

bool conversation_end(struct conversation *conversation, const struct connection *connection) {
    struct header header = {
        .type = MESSAGE_SESSION_CLOSE,
        .id = conversation->next_id,
        .last_seen_id = conversation->last_seen_id,
    };
    if (!send_message(conversation, &header, NULL)) {
        return false;
    }
    long long deadline_ms = now_ms() + END_TIMEOUT_MS;
    while (pipes_current(connection) == connection->pipe && pipes_is_alive(connection) && now_ms() < deadline_ms &&
           drain(conversation->ends.read_fd)) {
    }
    journal("session ended; new pipe: %d", pipes_current(connection) != connection->pipe);
    return now_ms() < deadline_ms;
}
