#include "group.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime_process.h"
#include "traces.h"

enum { MAX_MEMBERS = 256 };

struct member {
    pid_t pid;
    unsigned long long start_time;
};

/* All members but the leader, whose traces others remove. */
static int find_members(pid_t leader, struct member members[MAX_MEMBERS]) {
    DIR *processes = opendir("/proc");
    int count = 0;
    const struct dirent *entry = NULL;
    while (processes != NULL && count < MAX_MEMBERS && (entry = readdir(processes)) != NULL) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && pid != leader && getpgid(pid) == leader) {
            members[count++] = (struct member){pid, runtime_process_start_time(pid)};
        }
    }
    if (processes != NULL) {
        (void)closedir(processes);
    }
    return count;
}

void group_end(pid_t leader) {
    struct member members[MAX_MEMBERS];
    int count = find_members(leader, members);
    (void)kill(-leader, SIGKILL);
    for (int index = 0; index < count; index++) {
        traces_remove(members[index].pid, members[index].start_time);
    }
}
