/*
 * Attaches to a .NET process, prints the stacks of its threads, and leaves it running: cordebug_shim.h by example.
 *
 *   cc -I cordebug_shim/include -o attach_and_print docs/attach_and_print.c -L FOLDER -l:libcordebug_shim.so.3
 *   LD_LIBRARY_PATH=FOLDER ./attach_and_print PID
 *
 * FOLDER is that of the installed package dap_dotnet. The process must not be a child of this one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cordebug_shim.h"

enum { TIMEOUT_MS = 10000, MOST_THREADS = 256, MOST_FRAMES = 20 };

static int failed(const char *what) {
    cds_error error = {.size = sizeof error};
    cds_error_last(&error);
    fprintf(stderr, "%s: %s\n", what, error.message);
    return EXIT_FAILURE;
}

/*
 * Lets the process run until it has stopped for us. Whatever else holds it on the way, such as a module that is loaded, is
 * released at once. The hold of the stop, or 0.
 */
static uint64_t stop(cds_session *session) {
    cds_event event = {.size = sizeof event};
    if (cds_session_stop(session, TIMEOUT_MS) != CDS_OK) {
        return 0;
    }
    while (cds_event_wait(session, TIMEOUT_MS, &event) == CDS_OK) {
        if (event.kind == CDS_EVENT_STOPPED) {
            return event.hold;
        }
        if (event.kind == CDS_EVENT_STOP_TIMED_OUT || event.kind == CDS_EVENT_PROCESS_EXITED) {
            return 0;
        }
        if (event.hold != 0) {
            (void)cds_hold_release(session, event.hold);
        }
    }
    return 0;
}

static void print_frame(const cds_frame *frame) {
    if (frame->kind == CDS_FRAME_IL) {
        printf("  module %u method 0x%08x IL offset %u\n", frame->module, frame->token, frame->il_offset);
    } else if (frame->kind == CDS_FRAME_INTERNAL) {
        printf("  (runtime, %u)\n", frame->internal_type);
    } else {
        printf("  (native)\n");
    }
}

static int print_stacks(cds_session *session) {
    cds_thread threads[MOST_THREADS];
    uint32_t count = 0;
    if (cds_thread_list(session, threads, MOST_THREADS, &count) != CDS_OK) {
        return failed("threads");
    }
    for (uint32_t index = 0; index < count; index++) {
        cds_frame frames[MOST_FRAMES];
        uint32_t frame_count = 0;
        int32_t more = 0;
        printf("thread %u\n", threads[index].thread);
        if (cds_frame_list(session, threads[index].thread, 0, MOST_FRAMES, frames, &frame_count, &more) != CDS_OK) {
            (void)failed("  stack");
            continue;
        }
        for (uint32_t number = 0; number < frame_count; number++) {
            print_frame(&frames[number]);
        }
        if (more != 0) {
            printf("  ...\n");
        }
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    if (argc != 2 || cds_version() != CDS_VERSION) {
        fprintf(stderr, "usage: %s PID, with version %d of libcordebug_shim\n", argv[0], CDS_VERSION);
        return EXIT_FAILURE;
    }
    cds_session *session = NULL;
    cds_session_options options = {.size = sizeof options, .timeout_ms = TIMEOUT_MS};
    if (cds_session_create((uint32_t)strtoul(argv[1], NULL, 10), &options, &session) != CDS_OK) {
        return failed("attach");
    }
    int status = stop(session) != 0 ? print_stacks(session) : failed("stop");
    /* Detaches; the process runs on. */
    if (cds_session_destroy(session) != CDS_OK) {
        return failed("detach");
    }
    return status;
}
