/* For memfd_create and the flags of clone. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "copying.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "descriptors.h"
#include "shared_memory.h"
#include "tracing.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

enum {
    PATH_CAPACITY = 64,
    HOLD_TIMEOUT_MS = 100,   /* one that does not stop in this time is left alone: it waits in the kernel */
    CALLER_TIMEOUT_MS = 500, /* until some thread waits in a system call */
    POLL_MS = 50,            /* while threads are to be let go */
    NO_STACK = 16,           /* a copy that ran would end at its first use of the stack */
    OLDEST_SCORE = 1000,     /* of those that the kernel kills when memory is short */
    NEWEST_SCORE = 900,
    SCORE_STEP = 10,
    MOST_DESCRIPTORS = 3,
    FUTEX_CALL = SYS_futex,
};

struct copies {
    struct control *control;
    pid_t pid;
    bool parent_reaps;
    pid_t *kept; /* oldest first */
    size_t count;
    pid_t *dead; /* killed, and the process has to wait for them */
    size_t dead_count;
    pid_t *late; /* threads that could not be held, and are to be let go */
    size_t late_count;
};

/* The threads that are held at once. */
struct crowd {
    struct held_thread *threads;
    size_t count;
};

static bool add(pid_t **list, size_t *count, pid_t pid) {
    pid_t *larger = realloc(*list, (*count + 1) * sizeof **list);
    if (larger == NULL) {
        return false;
    }
    *list = larger;
    larger[(*count)++] = pid;
    return true;
}

static void remove_at(pid_t *list, size_t *count, size_t index) {
    (*count)--;
    memmove(&list[index], &list[index + 1], (*count - index) * sizeof *list);
}

static long long now_us(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return ((long long)now.tv_sec * 1000000) + (now.tv_nsec / 1000);
}

/* ---- Threads ---- */

static DIR *open_threads(pid_t pid) {
    char path[PATH_CAPACITY];
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    return opendir(path);
}

/* 0 at the end. */
static pid_t next_thread(DIR *threads) {
    const struct dirent *entry = NULL;
    while ((entry = readdir(threads)) != NULL) {
        if (entry->d_name[0] != '.') {
            return (pid_t)strtol(entry->d_name, NULL, 10);
        }
    }
    return 0;
}

/* The number of the system call that it waits in; -1 where it runs. */
static long call_of(pid_t pid, pid_t thread) {
    char path[PATH_CAPACITY];
    char text[32] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)thread);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        (void)close(fd);
    }
    char *end = NULL;
    const long number = strtol(text, &end, 10);
    return length > 0 && end != text ? number : -1;
}

static void release_all(const struct crowd *crowd) {
    for (size_t index = 0; index < crowd->count; index++) {
        tracing_release(&crowd->threads[index]);
    }
}

static bool is_held(const struct crowd *crowd, pid_t thread) {
    for (size_t index = 0; index < crowd->count; index++) {
        if (crowd->threads[index].id == thread) {
            return true;
        }
    }
    return false;
}

static bool is_late(const struct copies *copies, pid_t thread) {
    for (size_t index = 0; index < copies->late_count; index++) {
        if (copies->late[index] == thread) {
            return true;
        }
    }
    return false;
}

/* Holds one more. An errno; 0 also for one that has ended or cannot be stopped. */
static int hold_one(struct copies *copies, struct crowd *crowd, pid_t thread) {
    struct held_thread *larger = realloc(crowd->threads, (crowd->count + 1) * sizeof *larger);
    if (larger == NULL) {
        return ENOMEM;
    }
    crowd->threads = larger;
    const int error = tracing_hold(thread, HOLD_TIMEOUT_MS, &larger[crowd->count]);
    if (error == 0) {
        crowd->count++;
    } else if (error == ETIMEDOUT) {
        return add(&copies->late, &copies->late_count, thread) ? 0 : ENOMEM;
    }
    return error == ESRCH ? 0 : error;
}

/* Holds all threads: until a look finds no new ones. */
static int hold_all(struct copies *copies, struct crowd *crowd) {
    for (bool is_complete = false; !is_complete;) {
        DIR *threads = open_threads(copies->pid);
        if (threads == NULL) {
            return errno;
        }
        is_complete = true;
        int error = 0;
        pid_t thread = 0;
        while (error == 0 && (thread = next_thread(threads)) != 0) {
            if (!is_held(crowd, thread) && !is_late(copies, thread)) {
                const size_t before = crowd->count;
                error = hold_one(copies, crowd, thread);
                is_complete = is_complete && crowd->count == before;
            }
        }
        (void)closedir(threads);
        if (error != 0) {
            return error;
        }
    }
    return crowd->count > 0 ? 0 : ESRCH;
}

/* Holds one thread that waits in a system call, best in a futex, for others take the interruption for an answer. */
static int hold_caller(struct copies *copies, struct crowd *crowd, bool only_futex) {
    DIR *threads = open_threads(copies->pid);
    if (threads == NULL) {
        return errno;
    }
    int error = 0;
    pid_t thread = 0;
    while (error == 0 && crowd->count == 0 && (thread = next_thread(threads)) != 0) {
        const long call = call_of(copies->pid, thread);
        if (call < 0 || (only_futex && call != FUTEX_CALL)) {
            continue;
        }
        error = hold_one(copies, crowd, thread);
        if (crowd->count != 0 && !tracing_can_call(&crowd->threads[0])) {
            tracing_release(&crowd->threads[0]);
            crowd->count = 0;
        }
    }
    (void)closedir(threads);
    return error;
}

static const struct held_thread *caller_among(const struct crowd *crowd) {
    for (size_t index = 0; index < crowd->count; index++) {
        if (tracing_can_call(&crowd->threads[index])) {
            return &crowd->threads[index];
        }
    }
    return NULL;
}

/* Holds what is needed for a copy: all threads, or one. Threads that were just released may all run for a moment. */
static int hold_crowd(struct copies *copies, bool all, struct crowd *crowd, const struct held_thread **out_caller) {
    const long long deadline_ms = now_ms() + CALLER_TIMEOUT_MS;
    for (int round = 0;; round++) {
        int error = all ? hold_all(copies, crowd) : hold_caller(copies, crowd, round < 3);
        *out_caller = error == 0 ? caller_among(crowd) : NULL;
        if (error != 0 || *out_caller != NULL) {
            return error;
        }
        release_all(crowd);
        crowd->count = 0;
        if (now_ms() >= deadline_ms) {
            return EBUSY;
        }
        sleep_ms(1);
    }
}

/* ---- Copies ---- */

/* When memory is short the kernel kills copies and not the program, and the oldest first. */
static void set_scores(const struct copies *copies) {
    for (size_t index = 0; index < copies->count; index++) {
        const size_t younger = copies->count - 1 - index;
        const size_t score = NEWEST_SCORE + (younger * SCORE_STEP);
        char path[PATH_CAPACITY];
        (void)snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)copies->kept[index]);
        const int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd >= 0) {
            (void)dprintf(fd, "%d", score < OLDEST_SCORE ? (int)score : OLDEST_SCORE);
            (void)close(fd);
        }
    }
}

static void forget(struct copies *copies, size_t index) {
    if (!copies->parent_reaps) {
        (void)add(&copies->dead, &copies->dead_count, copies->kept[index]);
    }
    remove_at(copies->kept, &copies->count, index);
}

static void drop(struct copies *copies, pid_t copy) {
    for (size_t index = 0; index < copies->count; index++) {
        if (copies->kept[index] == copy) {
            tracing_kill_child(copy);
            forget(copies, index);
            return;
        }
    }
}

static void notice_ended(struct copies *copies) {
    for (size_t index = copies->count; index-- > 0;) {
        if (tracing_child_has_ended(copies->kept[index])) {
            forget(copies, index);
        }
    }
}

static void release_late(struct copies *copies) {
    for (size_t index = copies->late_count; index-- > 0;) {
        if (tracing_release_late(copies->late[index])) {
            remove_at(copies->late, &copies->late_count, index);
        }
    }
}

/* Has the process wait for the copies that were its children. Not for its own: those end with SIGCHLD. */
static void have_reaped(struct copies *copies, const struct held_thread *caller) {
    while (copies->dead_count > 0) {
        struct injected_call wait = {
            .number = SYS_wait4,
            .arguments = {(unsigned long)copies->dead[copies->dead_count - 1], 0, __WALL | WNOHANG, 0},
        };
        if (tracing_call(caller, &wait, 1) != 0) {
            return;
        }
        copies->dead_count--;
    }
}

static void reap_dead(struct copies *copies) {
    struct crowd crowd = {0};
    const struct held_thread *caller = NULL;
    if (copies->dead_count > 0 && hold_crowd(copies, false, &crowd, &caller) == 0) {
        have_reaped(copies, caller);
    }
    release_all(&crowd);
    free(crowd.threads);
}

/* One that ran by mistake would find no stack: where it starts does not matter, it never runs. */
static int fork_copy(struct copies *copies, const struct held_thread *caller, pid_t *out_copy) {
    const unsigned long flags = copies->parent_reaps ? CLONE_PARENT | SIGCHLD : 0;
    struct injected_call clone = {.number = SYS_clone, .arguments = {flags, NO_STACK}};
    const int error = tracing_call(caller, &clone, 1);
    *out_copy = clone.child;
    if (error != 0) {
        return error;
    }
    return clone.result < 0 ? (int)-clone.result : 0;
}

/* What it has open would keep ports busy and pipes open; in a group of its own no signal for the program's finds it. */
static int settle_copy(pid_t copy) {
    struct injected_call calls[] = {
        {.number = SYS_close_range, .arguments = {0, ~0U, 0}},
        {.number = SYS_setpgid, .arguments = {0, 0}},
    };
    const int error = tracing_keep_child(copy, calls, sizeof calls / sizeof *calls);
    return error == 0 && calls[0].result < 0 ? (int)-calls[0].result : error;
}

static int write_registers(const struct crowd *crowd, int *out_fd) {
    *out_fd = memfd_create("dap-dotnet registers", MFD_CLOEXEC);
    if (*out_fd < 0) {
        return errno;
    }
    for (size_t index = 0; index < crowd->count; index++) {
        const struct held_thread *thread = &crowd->threads[index];
        const unsigned long long id = (unsigned long long)thread->id;
        if (write(*out_fd, &id, sizeof id) != sizeof id ||
            write(*out_fd, thread->registers, sizeof thread->registers) != sizeof thread->registers) {
            return errno;
        }
    }
    return 0;
}

/* What is sent of a copy. */
struct result {
    const char *failed_step;
    int error;
    pid_t copy;
    long long pause_us;
    int memory_fd;
    int shared_fd;
    int registers_fd;
};

/* `all`: the process runs, and all its threads are held for the moment; else it stands already. */
static void make_copy(struct copies *copies, bool all, struct result *result) {
    struct crowd crowd = {0};
    const struct held_thread *caller = NULL;
    const long long begin_us = now_us();
    result->failed_step = "hold";
    result->error = hold_crowd(copies, all, &crowd, &caller);
    if (result->error == 0) {
        have_reaped(copies, caller);
        result->failed_step = "fork";
        result->error = fork_copy(copies, caller, &result->copy);
    }
    if (result->error == 0) {
        result->failed_step = "shared";
        result->error = shared_memory_copy(copies->pid, &result->shared_fd);
    }
    release_all(&crowd);
    result->pause_us = now_us() - begin_us;
    if (result->copy != 0 && !add(&copies->kept, &copies->count, result->copy)) {
        result->error = ENOMEM;
        tracing_kill_child(result->copy);
    }
    if (result->error == 0) {
        result->failed_step = "settle";
        result->error = settle_copy(result->copy);
    }
    if (result->error == 0 && all) {
        result->failed_step = "registers";
        result->error = write_registers(&crowd, &result->registers_fd);
    }
    free(crowd.threads);
    if (result->error == 0) {
        char path[PATH_CAPACITY];
        (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)result->copy);
        result->failed_step = "memory";
        result->memory_fd = open(path, O_RDONLY | O_CLOEXEC);
        result->error = result->memory_fd < 0 ? errno : 0;
    }
    set_scores(copies);
}

static void close_if_open(int fd) {
    if (fd >= 0) {
        (void)close(fd);
    }
}

static void copy(struct copies *copies, bool all) {
    struct result result = {.memory_fd = -1, .shared_fd = -1, .registers_fd = -1};
    make_copy(copies, all, &result);
    if (result.error != 0) {
        drop(copies, result.copy);
        control_send(copies->control, LINE_NOT_COPIED " %s %d", result.failed_step, result.error);
    } else {
        int fds[MOST_DESCRIPTORS] = {result.memory_fd};
        int count = 1;
        if (result.shared_fd >= 0) {
            fds[count++] = result.shared_fd;
        }
        if (result.registers_fd >= 0) {
            fds[count++] = result.registers_fd;
        }
        control_send_with(copies->control, fds, count, LINE_COPIED " %d %lld %d %d", (int)result.copy, result.pause_us,
                          result.shared_fd >= 0, result.registers_fd >= 0);
    }
    close_if_open(result.memory_fd);
    close_if_open(result.shared_fd);
    close_if_open(result.registers_fd);
}

static void handle_command(const char *line, void *context) {
    struct copies *copies = context;
    if (strcmp(line, COMMAND_COPY) == 0) {
        copy(copies, false);
    } else if (strcmp(line, COMMAND_COPY_RUNNING) == 0) {
        copy(copies, true);
    } else if (strncmp(line, COMMAND_DROP " ", sizeof COMMAND_DROP) == 0) {
        drop(copies, (pid_t)strtol(line + sizeof COMMAND_DROP, NULL, 10));
    } else if (strncmp(line, COMMAND_REAP " ", sizeof COMMAND_REAP) == 0) {
        (void)add(&copies->dead, &copies->dead_count, (pid_t)strtol(line + sizeof COMMAND_REAP, NULL, 10));
    }
}

int copying_serve(struct control *control, pid_t pid, bool parent_reaps) {
    struct copies copies = {.control = control, .pid = pid, .parent_reaps = parent_reaps};
    (void)signal(SIGTERM, SIG_IGN); /* the adapter's end is ours, and all copies' */
    descriptors_drop_standard_streams();
    control_send(control, LINE_COPYING);
    for (bool is_there = true; is_there;) {
        struct pollfd slot = {.fd = control->fd, .events = POLLIN};
        const int ready = poll(&slot, 1, copies.late_count > 0 ? POLL_MS : -1); /* SIGCHLD ends it, too */
        release_late(&copies);
        notice_ended(&copies);
        is_there = ready <= 0 || control_receive(control, handle_command, &copies);
    }
    while (copies.count > 0) {
        drop(&copies, copies.kept[copies.count - 1]);
    }
    reap_dead(&copies);
    while (copies.late_count > 0) { /* our end would let them go while they are to stop, and they would */
        sleep_ms(1);
        release_late(&copies);
    }
    return 0;
}
