#include "farewell.h"

#include "clock.h"
#include "conversation.h"
#include "journal.h"
#include "progress.h"
#include "thread_turns.h"

enum {
    RECONNECT_TIMEOUT_MS = 10000,
    LISTEN_TIMEOUT_MS = 2000,
    PROGRESS_TIMEOUT_MS = 100,
    TURNS_TIMEOUT_MS = 1000,
    TURNS_INTERVAL_MS = 5,
    PROGRESS_PAUSE_MS = 60,
    NEVER_MET_MS = 2000,
    NEVER_MET_INTERVAL_MS = 5,
    MOST_ATTEMPTS = 5,
    MOST_FAREWELLS = 3,
};

enum outcome {
    NOT_MET,  /* it waits for no debugger, or is none that is understood */
    NOT_LEFT, /* it may have a session now that waits for its debugger, and takes no other */
    LEFT,
    LEFT_RUNNING, /* it was seen to run before */
};

/* On pipes that are new: the runtime's lost session, or else a new one. */
static enum answer begin(struct connection *connection, int timeout_ms, struct conversation *out_conversation) {
    if (!pipes_connect(connection, timeout_ms, &out_conversation->ends)) {
        return ANSWER_FOREIGN;
    }
    enum answer answer = conversation_request(out_conversation);
    if (answer == ANSWER_HAS_OTHER) {
        pipes_disconnect(&out_conversation->ends);
        if (!pipes_connect(connection, LISTEN_TIMEOUT_MS, &out_conversation->ends)) {
            return ANSWER_NONE;
        }
        if (!conversation_resume(out_conversation)) {
            answer = ANSWER_NONE;
        }
    }
    if (answer == ANSWER_NONE || answer == ANSWER_FOREIGN) {
        pipes_disconnect(&out_conversation->ends);
    }
    return answer;
}

/* Comes as a debugger and leaves. */
static enum outcome come_and_leave(struct connection *connection, int timeout_ms) {
    struct conversation conversation;
    enum answer answer = begin(connection, timeout_ms, &conversation);
    if (answer == ANSWER_NONE || answer == ANSWER_FOREIGN) {
        return answer == ANSWER_NONE ? NOT_LEFT : NOT_MET;
    }
    const bool is_resumed = answer == ANSWER_HAS_OTHER;
    const bool is_stopped =
        is_resumed ? conversation_hold(&conversation, connection->pid) : conversation_stop(&conversation);
    if (is_resumed && is_stopped) { /* a new session has no breakpoints, and no frozen threads */
        (void)conversation_thaw(&conversation);
        (void)conversation_leave_breakpoints(&conversation, connection->pid);
    }
    bool is_left = conversation_detach(&conversation) && conversation_end(&conversation, connection);
    pipes_disconnect(&conversation.ends);
    if (!is_left) {
        return NOT_LEFT;
    }
    /* In a session that goes on it may be an old stop that is reported. */
    return is_stopped && !is_resumed ? LEFT_RUNNING : LEFT;
}

/*
 * Whether the program is seen to run, and still to run a while later: a thread that had something to report when it was let
 * go stops the others once it gets the processor, which on a busy machine is after they have been seen to run.
 */
static bool runs(pid_t pid) {
    struct thread_turns turns;
    const long long deadline_ms = now_ms() + TURNS_TIMEOUT_MS;
    thread_turns_note(pid, &turns);
    while (!thread_turns_were_had(pid, &turns) && now_ms() < deadline_ms) {
        sleep_ms(TURNS_INTERVAL_MS);
    }
    if (!progress_seen(pid, PROGRESS_TIMEOUT_MS)) {
        return false;
    }
    sleep_ms(PROGRESS_PAUSE_MS);
    return progress_seen(pid, PROGRESS_TIMEOUT_MS);
}

/*
 * Threads that meet the detach at a bad moment stand although the runtime has no debugger any more. Whoever stands is freed
 * by one more debugger that comes and goes; whoever runs does not mind it. A program that runs is not enough where that one
 * was cut short: its runtime would wait for it, and take no other debugger.
 */
static bool see_it_run(struct connection *connection) {
    enum outcome outcome = LEFT;
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        bool may_wait = outcome == NOT_LEFT;
        if (!pipes_is_alive(connection) || (!may_wait && runs(connection->pid))) {
            journal("it runs, or is gone; alive: %d", pipes_is_alive(connection));
            return true;
        }
        outcome = come_and_leave(connection, may_wait ? RECONNECT_TIMEOUT_MS : LISTEN_TIMEOUT_MS);
        if (outcome == LEFT_RUNNING) {
            return true; /* it had nothing to do */
        }
    }
    journal("it does not run");
    return false;
}

bool farewell_see_it_run(const struct connection *connection) {
    struct connection last = *connection;
    return see_it_run(&last);
}

/* Whether the debugger ended before it had met the runtime: the pipes are the old ones, and nobody has them open. */
static bool never_met(const struct connection *connection) {
    long long deadline_ms = now_ms() + NEVER_MET_MS;
    while (now_ms() < deadline_ms) {
        if (!pipes_is_alive(connection) || pipes_current(connection) != connection->pipe ||
            pipes_has_open(connection, connection->pipe)) {
            return false;
        }
        sleep_ms(NEVER_MET_INTERVAL_MS);
    }
    return true;
}

bool farewell_detach(const struct connection *connection) {
    journal("the debugger is gone");
    if (connection->pipe != 0 && never_met(connection)) {
        journal("it never met the runtime");
        return true; /* it runs, and would make no new pipes to wait for */
    }
    return farewell_free(connection);
}

bool farewell_free(const struct connection *connection) {
    struct connection last = *connection;
    enum outcome outcome = NOT_LEFT;
    for (int attempt = 0; attempt < MOST_FAREWELLS && outcome == NOT_LEFT && pipes_is_alive(&last); attempt++) {
        outcome = come_and_leave(&last, RECONNECT_TIMEOUT_MS);
    }
    return outcome != NOT_MET && outcome != NOT_LEFT && see_it_run(&last);
}
