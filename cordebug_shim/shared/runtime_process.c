#include "runtime_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_CAPACITY = 64,
    STAT_CAPACITY = 1024,
    FIELDS_BEFORE_START_TIME = 20, /* field 22; the count starts after the command name, which is field 2 */
};

static FILE *open_proc(pid_t pid, const char *name) {
    char path[PATH_CAPACITY];
    (void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return fopen(path, "re");
}

/* Into STAT_CAPACITY bytes; where field 2 of /proc/PID/stat ends in it, NULL with errno. */
static const char *read_stat(pid_t pid, char *out_text) {
    FILE *file = open_proc(pid, "stat");
    if (file == NULL) {
        return NULL;
    }
    size_t length = fread(out_text, 1, STAT_CAPACITY - 1, file);
    (void)fclose(file);
    out_text[length] = '\0';
    /* The command name may hold spaces and parentheses: count from the last one. */
    const char *end = strrchr(out_text, ')');
    if (end == NULL) {
        errno = ESRCH;
    }
    return end;
}

bool runtime_process_has_ended(pid_t pid) {
    char text[STAT_CAPACITY];
    const char *field = read_stat(pid, text);
    return field == NULL || strncmp(field, ") Z", 3) == 0 || strncmp(field, ") X", 3) == 0;
}

unsigned long long runtime_process_start_time(pid_t pid) {
    char text[STAT_CAPACITY];
    const char *field = read_stat(pid, text);
    if (field == NULL) {
        return 0;
    }
    for (int skipped = 0; field != NULL && skipped < FIELDS_BEFORE_START_TIME; skipped++) {
        field = strchr(field + 1, ' ');
    }
    if (field == NULL) {
        errno = ESRCH;
        return 0;
    }
    return strtoull(field, NULL, 10);
}

/* The numbers after a key of /proc/PID/status, as text. False with errno when there is none. */
static bool read_status(pid_t pid, const char *key, char *out_numbers, size_t capacity) {
    FILE *file = open_proc(pid, "status");
    if (file == NULL) {
        return false;
    }
    bool is_found = false;
    while (!is_found && fgets(out_numbers, (int)capacity, file) != NULL) {
        is_found = strncmp(out_numbers, key, strlen(key)) == 0;
    }
    (void)fclose(file);
    if (!is_found) {
        errno = ESRCH;
        return false;
    }
    memmove(out_numbers, out_numbers + strlen(key), strlen(out_numbers) - strlen(key) + 1);
    return true;
}

bool runtime_process_owner(pid_t pid, uid_t *out_owner) {
    char numbers[STAT_CAPACITY];
    if (!read_status(pid, "Uid:", numbers, sizeof numbers)) {
        return false;
    }
    char *end = NULL;
    (void)strtoul(numbers, &end, 10); /* the real one */
    *out_owner = (uid_t)strtoul(end, NULL, 10);
    return true;
}

pid_t runtime_process_own_id(pid_t pid) {
    char numbers[STAT_CAPACITY];
    if (!read_status(pid, "NSpid:", numbers, sizeof numbers)) {
        return pid;
    }
    /* From the outermost namespace to its own. */
    const char *last = strrchr(numbers, '\t');
    return last == NULL ? pid : (pid_t)strtol(last, NULL, 10);
}

void runtime_semaphore_name(char *out_name, const char *kind, pid_t pid, unsigned long long start_time) {
    (void)snprintf(out_name, RUNTIME_SEMAPHORE_CAPACITY, "/clr%s%08x%016llx", kind, (unsigned)pid, start_time);
}

size_t runtime_file_path(char *out_path, size_t capacity, const char *folder, const char *stem, pid_t pid,
                         unsigned long long start_time, const char *tail) {
    if (folder == NULL || *folder == '\0') {
        folder = "/tmp/";
    }
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    int length = snprintf(out_path, capacity, "%s%s%s-%d-%llu-%s", folder, slash, stem, (int)pid, start_time, tail);
    return length > 0 && (size_t)length < capacity ? (size_t)length : 0;
}
