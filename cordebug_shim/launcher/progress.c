#include "progress.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    INTERVAL_MS = 10,
    /* More than a runtime's thread needs to look at its clock and go to sleep again. */
    WORK_NS = 200000,
    LINE_CAPACITY_OF_PROC = 128,
};

static bool read_task(pid_t pid, const char *task, const char *name, char *out_text, size_t capacity) {
    char path[96];
    int length = snprintf(path, sizeof path, "/proc/%d/task/%s/%s", (int)pid, task, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        return false;
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    size_t count = fread(out_text, 1, capacity - 1, file);
    (void)fclose(file);
    out_text[count] = '\0';
    return count > 0;
}

/* Nanoseconds that the program's threads have had a processor, together. */
static unsigned long long processor_time(pid_t pid) {
    static const char runtime_prefix[] = ".NET ";
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *directory = opendir(path);
    unsigned long long sum = 0;
    const struct dirent *entry = NULL;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char text[LINE_CAPACITY_OF_PROC];
        bool counts = entry->d_name[0] != '.' && read_task(pid, entry->d_name, "comm", text, sizeof text) &&
                      strncmp(text, runtime_prefix, sizeof runtime_prefix - 1) != 0;
        /* Its first number. */
        if (counts && read_task(pid, entry->d_name, "schedstat", text, sizeof text)) {
            sum += strtoull(text, NULL, 10);
        }
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    return sum;
}

bool progress_seen(pid_t pid, int timeout_ms) {
    static const struct timespec interval = {.tv_nsec = INTERVAL_MS * 1000000L};
    /* What was let go settles first: a thread that is about to stand runs a little before. */
    (void)nanosleep(&interval, NULL);
    unsigned long long before = processor_time(pid);
    for (int waited = 0; waited < timeout_ms; waited += INTERVAL_MS) {
        (void)nanosleep(&interval, NULL);
        unsigned long long now = processor_time(pid);
        if (now > before + WORK_NS) {
            return true;
        }
        /* Threads that ended took their time with them. */
        before = now < before ? now : before;
    }
    return false;
}
