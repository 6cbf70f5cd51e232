#include "thread_turns.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_CAPACITY = 96,
    TEXT_CAPACITY = 512,
    TURN_NS = 1000000,
};

static bool read_thread(pid_t pid, pid_t thread, const char *name, char *out_text) {
    char path[PATH_CAPACITY];
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)thread, name);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    const size_t length = fread(out_text, 1, TEXT_CAPACITY - 1, file);
    (void)fclose(file);
    out_text[length] = '\0';
    return length > 0;
}

/* Nanoseconds; false where there is no such thread, or no such number. */
static bool read_time(pid_t pid, pid_t thread, unsigned long long *out_ran_ns) {
    char text[TEXT_CAPACITY];
    if (!read_thread(pid, thread, "schedstat", text)) {
        return false;
    }
    *out_ran_ns = strtoull(text, NULL, 10); /* its first number */
    return true;
}

static bool wants_processor(pid_t pid, pid_t thread) {
    char text[TEXT_CAPACITY];
    const char *state = read_thread(pid, thread, "stat", text) ? strrchr(text, ')') : NULL;
    return state != NULL && strncmp(state, ") R", 3) == 0;
}

void thread_turns_note(pid_t pid, struct thread_turns *out_turns) {
    char path[PATH_CAPACITY];
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    out_turns->count = 0;
    DIR *directory = opendir(path);
    const struct dirent *entry = NULL;
    while (directory != NULL && out_turns->count < THREAD_TURNS_CAPACITY && (entry = readdir(directory)) != NULL) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread > 0 && read_time(pid, thread, &out_turns->turn[out_turns->count].ran_ns)) {
            out_turns->turn[out_turns->count++].thread = thread;
        }
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
}

bool thread_turns_were_had(pid_t pid, const struct thread_turns *turns) {
    for (size_t index = 0; index < turns->count; index++) {
        const pid_t thread = turns->turn[index].thread;
        unsigned long long ran_ns = 0;
        if (read_time(pid, thread, &ran_ns) && ran_ns < turns->turn[index].ran_ns + TURN_NS &&
            wants_processor(pid, thread)) {
            return false;
        }
    }
    return true;
}
