#include "conversation.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "clock.h"
#include "journal.h"
#include "messages.h"
#include "progress.h"
#include "thread_turns.h"

enum {
    ANSWER_TIMEOUT_MS = 5000,
    STOP_TIMEOUT_MS = 1000,  /* a process that is stopped already does not answer */
    LIKELY_STOPPED_MS = 250, /* where the last that was heard of it is that it stopped */
    PROGRESS_TIMEOUT_MS = 100,
    SKIP_TIME_MS = 50, /* many times what a thread needs to get over a breakpoint */
    TURNS_INTERVAL_MS = 10,
    TURNS_TIMEOUT_MS = 10000, /* for a thread that gets no processor; it is left behind then */
    LEAVE_TIMEOUT_MS = 10000,
    LATE_STOP_MS = 5000, /* of a thread that spins without a call; up to .NET 8 it cannot be stopped before */
    DETACH_TIMEOUT_MS = 5000,
    END_TIMEOUT_MS = 2000,
    END_INTERVAL_MS = 5,
    SESSION_ID_SIZE = 16,
    PROTOCOL_VERSION = 2, /* the only one there has been; 2.0 of .NET Core 3.1 to .NET 10 */
    BUFFER_SIZE = 4096,
};

/*
 * Reads what the runtime says once more since the lost debugger had not confirmed it. A stop among it may long be over: a
 * debugger continues a process before it confirms that it stopped. Who took it for its own would continue a process that
 * runs, and the runtime would give away a lock that it does not hold. So the runtime is asked for something that can be
 * answered at any time, the byte at address 0, which it refuses: what comes before its answer is old.
 */
static bool catch_up(struct conversation *conversation) {
    const struct header request = {
        .type = MESSAGE_READ_MEMORY,
        .id = conversation->next_id++,
        .last_seen_id = conversation->last_seen_id,
        .read_size = 1,
    };
    const long long deadline_ms = now_ms() + ANSWER_TIMEOUT_MS;
    struct header header;
    if (!messages_send(conversation, &request, NULL)) {
        return false;
    }
    while (messages_next(conversation, deadline_ms, &header)) {
        if (header.type == MESSAGE_READ_MEMORY && header.reply_id == request.id) {
            return true;
        }
        conversation->was_stopped = conversation->was_stopped || messages_is_event(&header, EVENT_SYNC_COMPLETE);
    }
    return false;
}

/* A message about the session; none of those that are understood has data. */
static bool read_answer(const struct conversation *conversation, struct header *out_header) {
    bool is_read =
        messages_read(conversation->ends.read_fd, out_header, sizeof *out_header, now_ms() + ANSWER_TIMEOUT_MS);
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
    conversation->was_stopped = false;
    conversation->hit_count = 0;
    if (!messages_send(conversation, &header, session_id) || !read_answer(conversation, &header)) {
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
    if (!messages_send(conversation, &header, NULL) || !read_answer(conversation, &header) ||
        header.type != MESSAGE_SESSION_RESYNC) {
        return false;
    }
    conversation->next_id = header.last_seen_id + 1;
    return catch_up(conversation);
}

static bool stop_within(struct conversation *conversation, int timeout_ms) {
    bool is_stopped = messages_send_plain_event(conversation, EVENT_ASYNC_BREAK, false) &&
                      messages_wait_for_event(conversation, EVENT_SYNC_COMPLETE, timeout_ms);
    journal(is_stopped ? "stopped" : "does not stop");
    return is_stopped;
}

bool conversation_stop(struct conversation *conversation) { return stop_within(conversation, STOP_TIMEOUT_MS); }

bool conversation_hold(struct conversation *conversation, pid_t pid) {
    const long long begun_ms = now_ms();
    struct thread_turns turns;
    thread_turns_note(pid, &turns);
    if (stop_within(conversation, conversation->was_stopped ? LIKELY_STOPPED_MS : STOP_TIMEOUT_MS)) {
        return true;
    }
    while (!conversation->is_broken && now_ms() < begun_ms + TURNS_TIMEOUT_MS) {
        const bool is_heard = thread_turns_were_had(pid, &turns);
        const bool works = progress_seen(pid, PROGRESS_TIMEOUT_MS);
        if (messages_wait_for_event(conversation, EVENT_SYNC_COMPLETE, 0)) {
            journal("stopped late");
            return true;
        }
        if (is_heard && !works) {
            journal("stands");
            return true;
        }
        if (works && now_ms() >= begun_ms + STOP_TIMEOUT_MS) {
            break;
        }
    }
    return false;
}

bool conversation_thaw(struct conversation *conversation) {
    struct threads_event event = {.event = {.type = EVENT_SET_ALL_THREADS, .wants_reply = 1}};
    bool is_thawed = messages_send_event(conversation, &event.event, sizeof event) &&
                     messages_wait_for_event(conversation, EVENT_THREADS_ARE_SET, ANSWER_TIMEOUT_MS);
    journal(is_thawed ? "no thread is frozen" : "does not let all threads run");
    return is_thawed;
}

static bool remove_breakpoint(struct conversation *conversation, uint64_t breakpoint) {
    struct breakpoint_event event = {.event = {.type = EVENT_BREAKPOINT_REMOVE}, .breakpoint = breakpoint};
    return messages_send_event(conversation, &event.event, sizeof event);
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
                   (!conversation->is_broken &&
                    messages_wait_for_event(conversation, EVENT_SYNC_COMPLETE, LATE_STOP_MS));
        }
        if (!is_running && !messages_send_plain_event(conversation, EVENT_CONTINUE, false)) {
            return false;
        }
        is_running = !messages_wait_for_event(conversation, EVENT_SYNC_COMPLETE, TURNS_INTERVAL_MS);
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
    bool is_detached = messages_send_plain_event(conversation, EVENT_DETACH, true) &&
                       messages_wait_for_event(conversation, EVENT_DETACH, DETACH_TIMEOUT_MS);
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
    if (!messages_send(conversation, &header, NULL)) {
        return false;
    }
    long long deadline_ms = now_ms() + END_TIMEOUT_MS;
    while (pipes_current(connection) == connection->pipe && pipes_is_alive(connection) && now_ms() < deadline_ms &&
           drain(conversation->ends.read_fd)) {
    }
    journal("session ended; new pipe: %d", pipes_current(connection) != connection->pipe);
    return now_ms() < deadline_ms;
}
