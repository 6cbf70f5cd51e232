/* The messages of a conversation with a runtime: their layout, sending them, and reading what the runtime says. */
#ifndef DAP_DOTNET_LAUNCHER_MESSAGES_H
#define DAP_DOTNET_LAUNCHER_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conversation.h"

enum message_type {
    MESSAGE_SESSION_REQUEST = 0,
    MESSAGE_SESSION_ACCEPT = 1,
    MESSAGE_SESSION_REJECT = 2,
    MESSAGE_SESSION_RESYNC = 3,
    MESSAGE_SESSION_CLOSE = 4,
    MESSAGE_EVENT = 5,
    MESSAGE_READ_MEMORY = 6, /* the request and its reply */
};

enum event_type {
    EVENT_BREAKPOINT = 0x100,
    EVENT_SYNC_COMPLETE = 0x102,
    EVENT_THREADS_ARE_SET = 0x124, /* the reply to EVENT_SET_ALL_THREADS */
    EVENT_ASYNC_BREAK = 0x200,
    EVENT_CONTINUE = 0x201,
    EVENT_BREAKPOINT_REMOVE = 0x20a,
    EVENT_DETACH = 0x22f,
    EVENT_SET_ALL_THREADS = 0x232, /* whether they stay where they are while the process runs */
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
    uint32_t read_size; /* of MESSAGE_READ_MEMORY, whose address is in `detail` and `event` */
    uint8_t unused[12];
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

/* Of EVENT_SET_ALL_THREADS. */
struct threads_event {
    struct event event;
    uint64_t but; /* a thread as the runtime calls it, 0: none */
    uint32_t stay;
    uint32_t unused;
};

_Static_assert(sizeof(struct header) == 48, "the header has 48 bytes on the wire");
_Static_assert(sizeof(struct event) == 48, "the smallest event has 48 bytes on the wire");
_Static_assert(sizeof(struct breakpoint_event) == 104, "one of a breakpoint has 104 bytes at least");
_Static_assert(sizeof(struct threads_event) == 64, "one of all threads has 64 bytes");

/* Reads exactly this many bytes; false when they have not come by then, or the runtime has hung up. */
bool messages_read(int fd, void *buffer, size_t size, long long deadline_ms);

/* Sends a message with the data that its header announces; NULL for none. Small enough that the pipe takes it whole. */
bool messages_send(const struct conversation *conversation, const struct header *header, const void *data);

bool messages_send_event(struct conversation *conversation, struct event *event, size_t size);

/* An event that says nothing but its type. */
bool messages_send_plain_event(struct conversation *conversation, enum event_type type, bool wants_reply);

/*
 * The next message, of whose data only the hits are kept, in the conversation. False when none has come by then, or when
 * what came was none, which the conversation remembers.
 */
bool messages_next(struct conversation *conversation, long long deadline_ms, struct header *out_header);

bool messages_is_event(const struct header *header, enum event_type type);

/* Reads messages until an event of this type; what else the runtime had to say is dropped, but for hits. */
bool messages_wait_for_event(struct conversation *conversation, enum event_type type, int timeout_ms);

#endif
