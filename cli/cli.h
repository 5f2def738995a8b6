/* Shared by the commands. The command line uses the library through its public headers only. */
#ifndef PARE_CLI_H
#define PARE_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include <pare/pare.h>

enum {
    EXIT_FINE = 0,
    EXIT_RUN = 1,
    EXIT_USAGE = 2,
    EXIT_NOT_CONVERGED = 3,
    EXIT_SIGNAL = 128 /* plus the number of the signal that ended the run */
};

/* The options that a command supports. */
enum {
    TAKES_DATA = 1,
    TAKES_RUN = 2,
    TAKES_METHOD = 4,
    TAKES_OUTPUT = 8,
    TAKES_JSON = 16,
    TAKES_CONVERT = 32,
    TAKES_RANKING = 64,
    TAKES_PATH = 128, /* and a list of methods */
    TAKES_PREDICT = 256,
    TAKES_RESULT = 512,    /* of a path */
    TAKES_FEATURES = 1024, /* only, exclude */
    TAKES_TERMS = 2048,    /* keep, cost, sign */
    TAKES_INFO = 4096,
    TAKES_SEED = 8192,
    TAKES_LIMIT = 16384,  /* stops in time with what is done so far */
    TAKES_STRICT = 32768, /* solves */
    TAKES_TIMING = 65536,
    TAKES_GROUPS = 131072,
    TAKES_OFFSET = 262144,
    TAKES_FOLD_GROUPS = 524288,
    TAKES_BATCH = 1048576,
    TAKES_BATCH_METHOD = 2097152,
    TAKES_BATCH_UNSEEN = 4194304,
    TAKES_SAMPLE_SIZE = 33554432,
    TAKES_VALIDATE = 8388608,
    TAKES_DEVICE = 16777216
};

enum { MAX_METHODS = 64 };

struct options;

typedef struct command {
    const char *name, *arguments, *summary, *help;
    int takes;
    int min_arguments, max_arguments;
    int (*run)(struct options *o);
} command;

typedef struct options {
    const command *command;
    const char **argument; /* at least two, NULL if not given */
    int n_arguments;
    pare_read_options read;
    const char *method, *output, *ranking, *labels_out, *lambda_path, *lambda_coef, *weights_out,
        *times, *against, *recalibrated;
    pare_settings *settings[MAX_METHODS]; /* one per method of -m */
    int64_t n_methods;
    pare_path_options path;
    pare_sample_size_options sample_size;
    pare_validate_options validate;
    const char *report, *predictions, *shard, *model_out, *as, *leave_out;
    int argc; /* the words behind the command's name */
    char **argv;
    bool drop_missing; /* samples with missing values are dropped */
    bool refuse_missing;
    bool json, quiet, verbose, strict, score, probability, whole, columns;
    pare_ctx ctx;
    bool progress_shown;                  /* stderr is a terminal */
    double progress_start, progress_last; /* of the line on the terminal; 0: none yet */
    pare_files *files;                    /* temporary files until the run has succeeded */
    struct page *standard;                /* text for stdout after the run */
    char *remarks;                        /* remarks to print if the run succeeds */
    char *next;                           /* a command to run next, see show_next */
} options;

extern const command commands[];
extern const int n_commands;

/* Parses the words after the command's name. Returns EXIT_FINE, EXIT_USAGE after printing the
 * error, or -1 when help was requested and printed. */
int options_parse(options *o, const command *c, int argc, char **argv);
void options_free(options *o);
void help_print(FILE *to, const command *c);

/* A row of the one table of options (option_table.c), from which parsing, help, manual and
 * completion derive. */
typedef enum option_kind {
    K_TEXT,
    K_FLAG,
    K_COUNT,
    K_SECONDS,
    K_SIZE,
    K_SEED,
    K_SHARE,
    K_DEVICE
} option_kind;

typedef struct option {
    const char *name; /* without dashes */
    char letter;      /* or 0 */
    int needs;        /* the TAKES_ bit; 0: every command */
    option_kind kind;
    size_t offset;
    int64_t lo, hi;
    const char *value, *doc;
} option;
/* In a text, at most one of them: the names that the library lists, which with_lists writes. */
#define LISTED_METRICS "%METRICS"
#define LISTED_FORMATS "%FORMATS"
#define LISTED_WRITTEN "%WRITTEN"
enum { LISTED_DOC = 1024 };
const char *with_lists(const char *doc, char out[LISTED_DOC]);
extern const option option_table[];
extern const int n_options;

/* Writes a model file. */
int write_model(options *o, const pare_model *m, const char *path);

int run_fit(options *o);
int run_path(options *o);
int run_samplesize(options *o);
int run_merge(options *o);
int run_predict(options *o);
int run_validate(options *o);
int run_check(options *o);
int run_methods(options *o);
int run_info(options *o);
int run_convert(options *o);
int run_demo(options *o);
int run_generate(options *o);

/* Prints "pare: message" to stderr; returns the exit code of the error. */
int say_error(const pare_error *err);
/* The same from a format, as a usage error. */
__attribute__((format(printf, 1, 2))) int say_usage(const char *format, ...);
/* A remark on stderr unless --quiet. */
__attribute__((format(printf, 2, 3))) void say(const options *o, const char *format, ...);

/* The known name with the smallest edit distance to an unknown word; begin with {.word = WORD}. */
typedef struct nearest {
    const char *word;
    const char *name; /* NULL: none is near */
} nearest;
/* name lives as long as the program. */
void nearest_try(nearest *best, const char *name);
/* "; did you mean NAME?", or nothing. */
const char *nearest_hint(const nearest *best, const char *dashes, char hint[96]);

/* The command and its words without those that cannot change a result, quoted for a shell, on one
 * line; free it. Returns NULL after printing the error. */
char *words_kept(const options *o);
/* Splits such a line into words in place; argv: capacity for as many as the line has characters. */
int words_split(char *text, char **argv);

/* A word quoted for a shell, after a blank. */
void print_word(FILE *to, const char *word);

/* The shortest decimal that reads back the same. */
const char *number_text(double x, char buffer[32]);
/* A message of the library with the settings that it names as options: --lambda-max. */
void print_sentence(FILE *to, const char *text);
/* Without what a terminal would interpret; cell: as print_cell. */
void print_shown(FILE *to, const char *text, bool cell);
/* A name or label for a TSV cell: control characters and backslashes are written \t \n \x1b \\. */
void print_cell(FILE *to, const char *text);
/* Text that is built in memory. */
typedef struct page {
    FILE *to;
    char *text;
    size_t size;
} page;
bool page_open(page *p);
/* Makes the page an output of the run: to path, or to stdout if path is NULL or "-". */
int page_write(page *p, const char *path, options *o);
void page_drop(page *p);

/* Before the work: returns an error for outputs of which two, or one and an input, are the same
 * file, and for those that cannot be written; NULL: not requested. */
int refuse_outputs(const options *o, const char *const *to, int count);
/* Adds an output: a temporary file, put into place by outputs_end. */
int output_text(options *o, const char *text, const char *path);
/* The same for a text from the library, or NULL if it failed; frees it. */
int output_made(options *o, pare_status made, char *text, const char *path, const pare_error *err);
/* Ends a run with `code`: files are put into place unless it failed, then stdout is written, so
 * that a closed pipe costs no file. Returns the exit code. */
int outputs_end(options *o, int code);

/* Reads the data of the command's i-th argument; drops samples for --missing drop. */
int read_data(pare_data **out, options *o, int i);

/* The same for `count` models: only the columns that they need are read, or can use instead; the
 * others may hold anything. *names is to be freed after the data have been read. */
int read_needed(pare_data **out, options *o, int i, const pare_model *const *models, int count,
                const char ***names);

/* Prints the library's log and progress to stderr, according to --quiet and --verbose. */
void output_hooks(options *o);
void progress_end(options *o); /* clears the line */

double seconds_now(void); /* of a monotonic clock */
bool interrupted(void);   /* by SIGINT or SIGTERM */
int exit_interrupted(void);

#endif
