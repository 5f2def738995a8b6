/* The pare command: dispatches to the subcommand; the only place that handles signals. */
#define _DEFAULT_SOURCE
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli.h"
#include "launch.h"

static volatile sig_atomic_t stop_signal; /* the signal */

static void on_interrupt(int signal_number) { stop_signal = signal_number; }

bool interrupted(void) { return stop_signal != 0; }

int exit_interrupted(void) { return EXIT_SIGNAL + (stop_signal ? stop_signal : SIGINT); }

const command commands[] = {
    {"fit", "DATA [-m METHOD]", "fit, print the selected features, save the model",
     "Fits METHOD to DATA, prints the selected features as a table (or with --json the whole\n"
     "model) and saves the model with -o.\n\n"
     "  pare fit colon.csv -m svm -k 10 -o model.json",
     TAKES_DATA | TAKES_OFFSET | TAKES_GROUPS | TAKES_RUN | TAKES_SEED | TAKES_LIMIT |
         TAKES_DEVICE | TAKES_TIMING | TAKES_STRICT | TAKES_METHOD | TAKES_OUTPUT | TAKES_JSON |
         TAKES_RANKING | TAKES_FEATURES | TAKES_TERMS | TAKES_FOLD_GROUPS | TAKES_BATCH |
         TAKES_BATCH_METHOD,
     1, 1, run_fit},
    {"path", "DATA [-m METHOD[,METHOD...]]",
     "nested cross-validated accuracy against number of features",
     "Cross-validates METHODs on the same folds at every size, with imputation, scaling, "
     "selection\n"
     "and tuning inside the folds, and prints the curve as a table (or with --json everything).\n"
     "-o saves the JSON, --report a page to look at.\n\n"
     "  pare path colon.csv -m corr,svm --null 100 -o path.json --report path.html",
     TAKES_DATA | TAKES_OFFSET | TAKES_GROUPS | TAKES_RUN | TAKES_SEED | TAKES_LIMIT |
         TAKES_DEVICE | TAKES_STRICT | TAKES_METHOD | TAKES_OUTPUT | TAKES_JSON | TAKES_PATH |
         TAKES_RESULT | TAKES_FEATURES | TAKES_TERMS | TAKES_FOLD_GROUPS | TAKES_BATCH |
         TAKES_BATCH_METHOD | TAKES_BATCH_UNSEEN,
     1, 1, run_path},
    {"samplesize", "DATA [-m METHOD]", "how many samples a score needs",
     "Runs pare path on subsamples of DATA, fits score(n) = a - b n^-c to their nested estimates,\n"
     "and prints the curve, with --target-score also the number of samples that it needs. It "
     "takes\n"
     "the options of pare path; the time is that of points x draws paths.\n\n"
     "  pare samplesize colon.csv -m corr --sizes 5,20 --target-score 0.9",
     TAKES_DATA | TAKES_OFFSET | TAKES_GROUPS | TAKES_RUN | TAKES_SEED | TAKES_LIMIT |
         TAKES_METHOD | TAKES_OUTPUT | TAKES_JSON | TAKES_PATH | TAKES_FEATURES | TAKES_TERMS |
         TAKES_FOLD_GROUPS | TAKES_BATCH | TAKES_BATCH_METHOD | TAKES_BATCH_UNSEEN |
         TAKES_SAMPLE_SIZE,
     1, 1, run_samplesize},
    {"merge", "CHECKPOINT...", "the path whose parts others have run",
     "Ends a path whose work was shared out: reads the checkpoints of all shards and the data "
     "(with\n"
     "the options that the shards were run with), fits what is left to fit and writes the bytes "
     "that\n"
     "one run would have written, given the same build and processor family; it warns of shards\n"
     "from another kernel of the linear algebra (OPENBLAS_CORETYPE=Haswell makes x86-64\n"
     "processors with AVX2 agree).\n\n"
     "  pare path colon.csv -m svm --null 100 --shard 1/2 --checkpoint one.txt\n"
     "  pare path colon.csv -m svm --null 100 --shard 2/2 --checkpoint two.txt\n"
     "  pare merge one.txt two.txt -o path.json --report path.html",
     TAKES_RUN | TAKES_OUTPUT | TAKES_JSON | TAKES_RESULT, 1, INT_MAX, run_merge},
    {"predict", "MODEL.json DATA", "apply a model to new data",
     "Writes a prediction and its scores for every sample of DATA. Only the selected columns are\n"
     "needed, by name in any order; others are ignored.\n\n"
     "With --score it prints how good they are instead, by the target in DATA or --labels.\n\n"
     "  pare predict model.json new.csv -o predictions.tsv\n"
     "  pare predict model.json held-out.csv --target diagnosis --score\n"
     "  pare predict model.json new.csv --probability",
     TAKES_DATA | TAKES_OFFSET | TAKES_RUN | TAKES_OUTPUT | TAKES_PREDICT | TAKES_JSON |
         TAKES_BATCH | TAKES_BATCH_UNSEEN,
     2, 2, run_predict},
    {"validate", "MODEL.json DATA...", "judge a model by other cohorts",
     "Judges MODEL by samples that it was not fitted to, with their outcomes: the metrics of its\n"
     "task with 95% confidence intervals, calibration, net benefit, and how far the selected\n"
     "features are from those of the training samples. Each DATA is a cohort; --cohort parts a\n"
     "single one. -o saves all of it as JSON.\n\n"
     "  pare validate model.json hospital2.csv hospital3.csv --target diagnosis -o "
     "validation.json\n"
     "  pare validate model.json all.csv --cohort study\n"
     "  pare validate model.json new.csv --recalibrate slope --model-out recalibrated.json",
     TAKES_DATA | TAKES_OFFSET | TAKES_RUN | TAKES_SEED | TAKES_OUTPUT | TAKES_VALIDATE |
         TAKES_JSON | TAKES_BATCH | TAKES_BATCH_UNSEEN,
     2, INT_MAX, run_validate},
    {"check", "MODEL.json DATA", "re-certify a saved model from the raw data",
     "Recomputes objective and certificate of the model from the data it was fitted to (read with\n"
     "the same options) by code that shares nothing with the solvers.\n\n"
     "  pare check model.json colon.csv",
     TAKES_DATA | TAKES_OFFSET | TAKES_GROUPS | TAKES_RUN | TAKES_SEED | TAKES_LIMIT | TAKES_JSON |
         TAKES_FEATURES | TAKES_TERMS | TAKES_FOLD_GROUPS | TAKES_BATCH,
     2, 2, run_check},
    {"methods", "[METHOD]", "list the methods, or one method's settings",
     "Lists the methods, or what one of them solves and its settings with their defaults.",
     TAKES_JSON, 0, 1, run_methods},
    {"info", "DATA", "what a data file holds",
     "Prints size, storage, target and defects of a data file.",
     TAKES_DATA | TAKES_RUN | TAKES_JSON | TAKES_INFO | TAKES_FEATURES, 1, 1, run_info},
    {"convert", "IN OUT", "rewrite data in another format",
     "Reads IN and writes OUT in the format of its extension:\n" LISTED_WRITTEN
     ", each also .gz but .pare, which holds everything and is used in place, however large.\n"
     "Where OUT holds no target, as .npy, it goes to --labels-out (default: OUT.labels).",
     TAKES_DATA | TAKES_OFFSET | TAKES_GROUPS | TAKES_RUN | TAKES_CONVERT | TAKES_FEATURES, 2, 2,
     run_convert},
    {"demo", "", "a toy problem and a wide one, with the truth beside what is found",
     "Draws the six-of-a-hundred toy problem of the zero-norm paper and a wide synthetic set, "
     "fits\n"
     "them and prints what was found beside the truth. With -o the toy problem's samples are also\n"
     "written, to try the other commands on:\n\n"
     "  pare demo -o toy.csv && pare fit toy.csv -m svm -k 6",
     TAKES_RUN | TAKES_SEED | TAKES_LIMIT | TAKES_OUTPUT, 0, 0, run_demo},
    {"generate", "man|bash|zsh|fish|formats [COMMAND]", NULL, /* not listed: the build runs it */
     "Prints a manual page, the completion of a shell or the list of formats, from the program's "
     "own tables.",
     0, 1, 2, run_generate},
};
const int n_commands = sizeof commands / sizeof commands[0];

static const command *find_command(const char *name) {
    for (int i = 0; i < n_commands; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static int unknown_command(const char *name) {
    nearest best = {.word = name};
    char hint[96];
    for (int i = 0; i < n_commands; i++)
        if (commands[i].summary) nearest_try(&best, commands[i].name);
    return say_usage("there is no command \"%.64s\"%s; see pare help", name,
                     nearest_hint(&best, "", hint));
}

static int help(const char *topic) {
    const command *c = topic ? find_command(topic) : NULL;
    if (topic && !c) return unknown_command(topic);
    help_print(stdout, c);
    return EXIT_FINE;
}

static double megabytes_used(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_maxrss * 1024e-6;
}

/* The last line of --verbose. */
static void say_cost(const options *o, double seconds) {
    double megabytes = megabytes_used();
    say(o,
        megabytes < 1000 ? "%s %s: %.3g seconds, %.3g MB at most, BLAS kernel %s"
                         : "%s %s: %.3g seconds, %.0f MB at most, BLAS kernel %s",
        pare_version(), o->command->name, seconds, megabytes, pare_blas_kernel());
}

/* Each thread that calls OpenBLAS gets a buffer there; if the address space is too small, OpenBLAS
 * retries for ever. A browser has another BLAS, and would not free the probe. */
static void probe_blas_room(int threads) {
#ifdef __EMSCRIPTEN__
    (void)threads;
#else
    static const size_t EACH = (size_t)128 << 20;
    size_t count = threads > 0 ? (size_t)threads : (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    size_t bytes = (count + (count > 1)) * EACH; /* one more for the thread that handles Ctrl-C */
    void *probe = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (probe != MAP_FAILED) {
        munmap(probe, bytes);
        return;
    }
    fprintf(stderr,
            "pare: not enough memory: %zu threads of linear algebra want %zu MB of address space; "
            "raise the limit (ulimit -v) or use fewer with --threads\n",
            count, bytes >> 20);
    _exit(EXIT_RUN); /* OpenBLAS threads may be retrying already, and exit() would wait for them */
#endif
}

static int run(int argc, char **argv, bool *verbose) {
    struct sigaction on_int = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    int joined = ranks_join();
    if (joined != EXIT_FINE) return joined;
    if (ranks_count() == 1) {             /* ranks would diverge: they end at once */
        sigaction(SIGINT, &on_int, NULL); /* a second Ctrl-C ends at once */
        sigaction(SIGTERM, &on_int,
                  NULL); /* finished work is saved, in the time that Slurm and timeout leave */
    }
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of the write, with a message */

    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        help_print(stderr, NULL);
        return EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) return help(NULL);
    if (strcmp(name, "help") == 0) return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0 || strcmp(name, "version") == 0) {
        printf("pare %s\nBLAS kernel %s\n", pare_version(), pare_blas_kernel());
        return EXIT_FINE;
    }
    const command *c = find_command(name);
    if (!c) return unknown_command(name);
    options o;
    int code = options_parse(&o, c, argc - 2, argv + 2);
    double start = seconds_now();
    *verbose = o.verbose;
    if (code == EXIT_FINE) code = ranks_begin(&o);
    if (code == EXIT_FINE) {
        probe_blas_room(o.ctx.threads);
        code = outputs_end(&o, c->run(&o));
    }
    if (o.verbose && code != EXIT_USAGE) say_cost(&o, seconds_now() - start);
    options_free(&o);
    return code < 0 ? EXIT_FINE : code;
}

/* Output that commands print themselves may still be in stdout's buffer: a full disk shows only
 * here. */
int main(int argc, char **argv) {
    bool verbose = false;
    int code = run(argc, argv, &verbose);
    struct pollfd out = {.fd = STDOUT_FILENO};
    bool failed = fflush(stdout) != 0 || ferror(stdout);
    bool left = poll(&out, 1, 0) == 1 && (out.revents & POLLERR); /* the reader has closed the
                                                                     pipe */
    failed = fclose(stdout) != 0 || failed;
    if (code == EXIT_FINE && failed && !left) {
        fputs("pare: standard output: cannot be written\n", stderr);
        code = EXIT_RUN;
    }
    ranks_leave(code, verbose, megabytes_used());
    return code;
}
