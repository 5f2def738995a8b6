#include "launch.h"

#include <stdlib.h>
#include <string.h>

static int number_in(const char *text) { return text ? (int)strtol(text, NULL, 10) : 0; }

/* The number of ranks started, from the environment of each launcher. */
static int started(int *index) {
    static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        const char *text = getenv(size[i]), *own = getenv(rank[i]);
        *index = number_in(own);
        if (text) return number_in(text);
    }
    const char *tasks = getenv("PMIX_RANK") ? getenv("SLURM_NTASKS") : NULL; /* srun */
    const char *own = getenv("PMIX_RANK");
    *index = number_in(own);
    return tasks ? number_in(tasks) : 1;
}

bool ranks_launched(void) {
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK");
}

#ifndef PARE_HAS_MPI

int ranks_join(void) {
    int index;
    if (started(&index) < 2) return EXIT_FINE;
    if (index > 0) exit(EXIT_USAGE);
    return say_usage(
        "several ranks were started, but this pare was built without MPI (CMake option "
        "PARE_MPI)");
}

int ranks_begin(options *o) {
    (void)o;
    return EXIT_FINE;
}

void ranks_leave(int code, bool verbose, double megabytes) {
    (void)code;
    (void)verbose;
    (void)megabytes;
}
bool ranks_is_first(void) { return true; }
int ranks_count(void) { return 1; }
void ranks_failed(const char *sentence, int code) {
    (void)sentence;
    (void)code;
}

#else

bool ranks_started(void) {
    int index;
    return started(&index) > 1;
}

#endif
