#include "messages.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "clock.h"
#include "journal.h"

enum {
    MESSAGE_TIMEOUT_MS = 1000, /* from its first byte to its last */
    LARGEST_DATA = 16777216,   /* more is no message */
    BUFFER_SIZE = 4096,
};

bool messages_read(int fd, void *buffer, size_t size, long long deadline_ms) {
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
        if (!messages_read(fd, bytes, part, deadline_ms)) {
            return false;
        }
        size -= part;
    }
    return true;
}

bool messages_send(const struct conversation *conversation, const struct header *header, const void *data) {
    uint8_t message[sizeof *header + sizeof(struct breakpoint_event)];
    memcpy(message, header, sizeof *header);
    size_t size = sizeof *header;
    if (data != NULL) {
        memcpy(message + size, data, header->data_size);
        size += header->data_size;
    }
    return write(conversation->ends.write_fd, message, size) == (ssize_t)size;
}

bool messages_send_event(struct conversation *conversation, struct event *event, size_t size) {
    struct header header = {
        .type = MESSAGE_EVENT,
        .data_size = (uint32_t)size,
        .id = conversation->next_id++,
        .last_seen_id = conversation->last_seen_id,
        .event = event->type,
    };
    return messages_send(conversation, &header, event);
}

bool messages_send_plain_event(struct conversation *conversation, enum event_type type, bool wants_reply) {
    struct event event = {.type = type, .wants_reply = wants_reply ? 1 : 0};
    return messages_send_event(conversation, &event, sizeof event);
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
    if (!messages_read(fd, &data, sizeof data, deadline_ms) ||
        !skip(fd, header->data_size - sizeof data, deadline_ms)) {
        return false;
    }
    note_hit(conversation, data.breakpoint);
    return true;
}

bool messages_next(struct conversation *conversation, long long deadline_ms, struct header *out_header) {
    const int fd = conversation->ends.read_fd;
    struct pollfd slot = {.fd = fd, .events = POLLIN};
    if (poll(&slot, 1, left_until(deadline_ms)) <= 0) {
        return false;
    }
    const long long end_ms = now_ms() + MESSAGE_TIMEOUT_MS;
    conversation->is_broken = !messages_read(fd, out_header, sizeof *out_header, end_ms) ||
                              out_header->data_size > LARGEST_DATA || !read_data(conversation, out_header, end_ms);
    if (conversation->is_broken) {
        return false;
    }
    journal("message %u, event 0x%x, id %u", out_header->type, out_header->event, out_header->id);
    if (out_header->id > conversation->last_seen_id) {
        conversation->last_seen_id = out_header->id;
    }
    return true;
}

bool messages_is_event(const struct header *header, enum event_type type) {
    return header->type == MESSAGE_EVENT && header->event == (uint32_t)type;
}

bool messages_wait_for_event(struct conversation *conversation, enum event_type type, int timeout_ms) {
    const long long deadline_ms = now_ms() + timeout_ms;
    struct header header;
    while (messages_next(conversation, deadline_ms, &header)) {
        if (messages_is_event(&header, type)) {
            return true;
        }
    }
    return false;
}
