/*
 * What a debugger and a runtime say to each other over their pipes, as far as it is needed to take a lost debugger's place
 * and to leave. Observed between libmscordbi and the runtime; the same from .NET Core 3.1 to .NET 10 on 64-bit Linux.
 */
#ifndef DAP_DOTNET_LAUNCHER_CONVERSATION_H
#define DAP_DOTNET_LAUNCHER_CONVERSATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pipes.h"

enum { MOST_BREAKPOINTS = 64 };

struct conversation {
    struct pipe_ends ends;
    uint32_t next_id;
    uint32_t last_seen_id;
    bool is_broken;   /* what was read was no message */
    bool was_stopped; /* the last word of a session that was resumed; whether it was continued since is not known */
    size_t hit_count;
    uint64_t hit[MOST_BREAKPOINTS]; /* breakpoints that were reported as hit, each once, as the runtime calls them */
};

enum answer {
    ANSWER_NONE,      /* a session may have begun all the same */
    ANSWER_FOREIGN,   /* not one that is understood, such as that of another version of the protocol */
    ANSWER_ACCEPTED,  /* a new session has begun */
    ANSWER_HAS_OTHER, /* the runtime has a session, whose debugger it waits for; it hangs up */
};

/* First on new pipes: asks for a new session, and sees what version of the protocol the runtime speaks. */
enum answer conversation_request(struct conversation *conversation);

/*
 * First on new pipes, where the runtime has said ANSWER_HAS_OTHER on the ones before: goes on with that session, and hears
 * what the runtime had said to the lost debugger and says again.
 */
bool conversation_resume(struct conversation *conversation);

/* Stops the process; false for one that does not stop, such as one that is stopped already. */
bool conversation_stop(struct conversation *conversation);

/*
 * Sees to it that the process of a resumed session is stopped: one that does not answer is, when it does not work although
 * each of its threads had its turn. False for one that runs on. A process that runs must not be continued: its runtime
 * would give away a lock that it does not hold, and the program stand or fall.
 */
bool conversation_hold(struct conversation *conversation, pid_t pid);

/* Lets the threads of a stopped process run with it that the lost debugger had frozen. */
bool conversation_thaw(struct conversation *conversation);

/*
 * Removes from a stopped process the breakpoints that it hits, and lets it run until none was hit for a while, in which each
 * of its threads had its turn; then it is stopped. A thread that goes on from a breakpoint executes a copy of one instruction under the care of the debugger's half
 * in the runtime; where a detach ends that care it runs on behind the copy, and the process dies (SIGILL, SIGTRAP). False
 * where there is no end of breakpoints, or no answer.
 */
bool conversation_leave_breakpoints(struct conversation *conversation, pid_t pid);

/* Detaches from a process that is stopped. */
bool conversation_detach(struct conversation *conversation);

/*
 * Ends a session that has been detached from. Our ends must stay open until the runtime has made itself new pipes: one that
 * meets a closed pipe before it has read this waits for its debugger again. False when it has not done so in time.
 */
bool conversation_end(struct conversation *conversation, const struct connection *connection);

#endif
