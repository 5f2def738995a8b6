/* Random problems over the registry, thousands a minute: each is fitted, judged and forgotten in a
 * process of its own, so that a crash or a hang is one finding among others.
 *
 *     fits SECONDS FOLDER [NUMBER]
 *
 * A problem is drawn from its number alone; NUMBER repeats one, and writes its table to FOLDER. Judged
 * are: the outcome's word against the certificate; the bytes on three threads against those on one; the
 * model file read back and written again; `check`; the prediction by hand from coefficients and raw
 * numbers; and now and then `check` of the model with one number changed by a hundredth. */
#define _GNU_SOURCE
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "draw.h"

enum { LIMIT = 5, HANGS = 40 }; /* seconds: of a fit, and of all that a problem takes */

/* What became of a problem, told to the parent. */
typedef struct note {
    char kind[16], method[32], text[1200];
} note;

static note *told;

static void tell(const char *kind, const char *words) {
    snprintf(told->kind, sizeof told->kind, "%s", kind);
    snprintf(told->text, sizeof told->text, "%s", words);
}

#define FOUND(...)                                                                                 \
    do {                                                                                           \
        char words_[1200];                                                                         \
        snprintf(words_, sizeof words_, __VA_ARGS__);                                              \
        tell("found", words_);                                                                     \
        return false;                                                                              \
    } while (0)

static pare_ctx context(int threads, double seconds) {
    pare_ctx ctx;
    pare_ctx_init(&ctx);
    ctx.threads = threads;
    ctx.time_limit_s = seconds;
    return ctx;
}

static bool is_cut(const pare_report *r) {
    return r->outcome == PARE_TIME_LIMIT || r->outcome == PARE_CANCELLED;
}

/* The outcome's word is what the certificate bears out. */
static bool judge_word(const pare_model *m, const pare_report *r) {
    const pare_certificate *c = &r->certificate;
    char text[32];
    pare_error err;
    double tol = 1e-5;
    if (pare_model_setting(m, "tol", text, sizeof text, &err) == PARE_OK)
        tol = fmax(tol, strtod(text, NULL));
    if (c->kind == PARE_CERT_NONE || !pare_outcome_finished(r->outcome)) return true;
    if (isnan(c->value) || (c->value != 0 && !(c->relative <= tol)))
        FOUND("%s at relative %g", pare_outcome_name(r->outcome), c->relative);
    return true;
}

static bool is(const pare_model *m, const char *setting, const char *value) {
    char text[32];
    pare_error err;
    return pare_model_setting(m, setting, text, sizeof text, &err) == PARE_OK &&
           strcmp(text, value) == 0;
}

/* What a risk of survival is relative to; 0 in other models. */
static double center_of(const char *text) {
    const char *at = strstr(text, "\"center\":");
    return at ? strtod(at + strlen("\"center\":"), NULL) : 0;
}

static bool judge_prediction(const drawn *t, const pare_model *m, const char *text) {
    int64_t n = t->n, outputs = pare_model_get(m)->n_scores;
    double *scores = malloc(sizeof(double) * (size_t)(n * outputs));
    pare_error err;
    if (pare_predict(scores, m, t->data, NULL, &err) != PARE_OK)
        FOUND("no prediction: %s", err.message);
    bool raw = (pare_model_get(m)->coef != NULL) && !is(m, "scale", "robust") && !t->missing &&
               !pare_model_get(m)->ranking_name && !strstr(text, "\"neighbours\"") &&
               !is(m, "row_scale", "l1") && !is(m, "row_scale", "l2") &&
               !is(m, "row_scale", "tfidf") && !strstr(text, "\"pair\"");
    for (int64_t o = 0; raw && o < outputs; o++)
        for (int64_t i = 0; i < n; i++) {
            double sum = pare_model_get(m)->intercept[o] - center_of(text), size = fabs(sum);
            for (int64_t k = 0; k < pare_model_get(m)->n_selected; k++) {
                double term = pare_model_get(m)->coef[o * pare_model_get(m)->n_selected + k] *
                              t->x[pare_model_get(m)->index[k] * n + i];
                sum += term;
                size = fmax(size, fabs(term));
            }
            if (isfinite(sum) && !(fabs(sum - scores[o * n + i]) <= 1e-9 * size))
                FOUND("sample %d: %.17g predicted, %.17g by hand", (int)i + 1, scores[o * n + i],
                      sum);
        }
    free(scores);
    return true;
}

/* What neither predicts nor is printed, as in tests/cert/test_check_leaves.c. */
static bool is_exempt(const char *path) {
    static const char *const parts[] = {
        "/settings/",         "/calibration/seed", "/asked/",          "/dual",
        "/iterations",        "/seconds",          "/selection/dual",  "/selection/z",
        "/selection/columns", "/selection/coef",   "/selection/index", "/selection/intercept"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strncmp(path, parts[i], strlen(parts[i])) == 0) return true;
    return false;
}

/* Counts the numbers below `at`; changes number *left of them. */
static void change(json_t *at, const char *path, int64_t *left, char *where) {
    char inner[128];
    const char *key;
    json_t *part;
    if (is_exempt(path)) return;
    for (size_t i = 0; i < json_array_size(at); i++) {
        snprintf(inner, sizeof inner, "%.100s/%d", path, (int)i);
        change(json_array_get(at, i), inner, left, where);
    }
    json_object_foreach(at, key, part) {
        if (strcmp(key, "certificate") == 0 &&
            json_number_value(json_object_get(part, "relative")) < 1e-9)
            continue; /* rounding alone */
        snprintf(inner, sizeof inner, "%.80s/%.40s", path, key);
        change(part, inner, left, where);
    }
    double v = json_number_value(at);
    bool idle = strcmp(path, "/kernel/degree") == 0 || strcmp(path, "/kernel/coef0") == 0;
    if (v == 0 || idle || (*left)-- != 0) return; /* idle: where the kernel has no such number */
    snprintf(where, 128, "%s", path);
    if (json_is_integer(at))
        json_integer_set(at, json_integer_value(at) + 1);
    else
        json_real_set(at, v * 1.01);
}

/* Whether the two predict otherwise, by more than a millionth. */
static bool predict_apart(const drawn *t, const pare_model *a, const pare_model *b) {
    int64_t size = t->n * pare_model_get(a)->n_scores;
    double *x = malloc(sizeof(double) * (size_t)size), *y = malloc(sizeof(double) * (size_t)size);
    pare_error err;
    bool apart = pare_predict(x, a, t->data, NULL, &err) != PARE_OK ||
                 pare_predict(y, b, t->data, NULL, &err) != PARE_OK;
    double most = 0;
    for (int64_t i = 0; i < size; i++) most = fmax(most, fabs(x[i]));
    for (int64_t i = 0; i < size; i++) apart |= !(fabs(x[i] - y[i]) <= 1e-6 * most);
    free(x);
    free(y);
    return apart;
}

/* Whether it is the score of a feature whose score is rounding beside the others'. */
static bool is_small(const pare_model *m, const char *where) {
    double most = 0;
    long i = strncmp(where, "/selected/", 10) == 0 ? strtol(where + 10, NULL, 10) : -1;
    for (int64_t k = 0; k < pare_model_get(m)->n_selected; k++)
        most = fmax(most, fabs(pare_model_get(m)->score[k]));
    return i >= 0 && strstr(where, "/score") && fabs(pare_model_get(m)->score[i]) <= 1e-12 * most;
}

static bool judge_tampering(const drawn *t, rng *r, const pare_model *honest, const char *text) {
    json_t *file = json_loads(text, 0, NULL);
    char where[128] = "";
    int64_t count = 0, left = -1;
    if (!file) FOUND("the model file is not JSON");
    change(file, "", &left, where);
    count = -1 - left;
    if (count == 0) return true;
    left = rng_below(r, count);
    change(file, "", &left, where);
    char *other = json_dumps(file, JSON_REAL_PRECISION(17));
    pare_ctx ctx = context(1, 3 * LIMIT);
    pare_model *m;
    pare_verdict v;
    pare_error err;
    bool holds = pare_model_parse(&m, other, strlen(other), &ctx, &err) == PARE_OK &&
                 pare_verify(&v, m, t->data, &ctx, &err) == PARE_OK && v.holds && v.finished;
    bool predicts = strncmp(where, "/outputs", 8) == 0 || strncmp(where, "/kernel", 7) == 0 ||
                    strncmp(where, "/neighbours", 11) == 0;
    if (holds && !is_small(honest, where) && (!predicts || predict_apart(t, honest, m)))
        FOUND("check blesses a changed %s", where);
    tell("tampered", "");
    return true;
}

static bool judge_model(drawn *t, rng *r, pare_model *m) {
    pare_ctx one = context(1, 3 * LIMIT), three = context(3, LIMIT);
    pare_report final = pare_model_get(m)->predictor, selection = pare_model_get(m)->selection;
    pare_error err;
    pare_model *other, *reread;
    pare_verdict v;
    char *text, *again;
    bool selects = pare_model_get(m)->has_selection;
    if (!judge_word(m, &final) || (selects && !judge_word(m, &selection))) return false;
    tell("stopped", "");
    if (is_cut(&final) || (selects && is_cut(&selection))) return true;
    if (pare_model_text(&text, m, NULL, &err) != PARE_OK) { /* beyond what doubles can hold */
        if (!strstr(err.message, "change the features' units")) FOUND("no text: %s", err.message);
        tell("refused", "");
        return true;
    }
    if (pare_fit(&other, t->data, t->settings, &three, &err) != PARE_OK)
        FOUND("three threads: %s", err.message);
    final = pare_model_get(other)->predictor;
    selects = pare_model_get(other)->has_selection;
    selection = pare_model_get(other)->selection;
    if (is_cut(&final) || (selects && is_cut(&selection))) return true;
    if (pare_model_text(&again, other, NULL, &err) != PARE_OK) FOUND("no text: %s", err.message);
    if (strcmp(text, again) != 0) FOUND("three threads give other bytes than one");
    if (pare_model_parse(&reread, text, strlen(text), NULL, &err) != PARE_OK)
        FOUND("cannot be read back: %s", err.message);
    if (pare_model_text(&again, reread, NULL, &err) != PARE_OK || strcmp(text, again) != 0)
        FOUND("read back it is written otherwise");
    pare_status status = pare_verify(&v, reread, t->data, &one, &err);
    if (status == PARE_E_CANCELLED) return true; /* by its time limit */
    if (status != PARE_OK) FOUND("check: %s", err.message);
    if (!v.finished) return true;
    if (!v.holds) FOUND("check refuses an honest model: %s", v.sentence);
    if (!judge_prediction(t, m, text)) return false;
    tell("fitted", "");
    return rng_uniform(r) > 0.2 || judge_tampering(t, r, m, text);
}

/* The problem as files, and the command that repeats its fit. */
static void show(const drawn *t, uint64_t number, const char *folder) {
    char path[512], side[600];
    pare_error err;
    snprintf(path, sizeof path, "%s/%llu.%s", folder, (unsigned long long)number,
             pare_data_is_sparse(t->data) ? "svm" : "csv");
    snprintf(side, sizeof side, "%s.weights", path);
    if (pare_data_write(t->data, path, NULL, NULL, NULL, &err) != PARE_OK)
        printf("%s\n", err.message);
    FILE *f = t->weight ? fopen(side, "w") : NULL;
    for (int64_t i = 0; f && i < t->n; i++) fprintf(f, "%g\n", t->weight[i]);
    if (f) fclose(f);
    printf("pare fit %s -m %s%s%s%s --time-limit %d --threads 1\n", path, t->method.name, t->said,
           t->weight ? " --weights " : "", t->weight ? side : "", LIMIT);
    fflush(stdout);
}

static bool judge(uint64_t number, const char *folder) {
    drawn t;
    rng r;
    pare_error err = {0};
    pare_model *m;
    rng_seed(&r, number, 0);
    tell("refused", "");
    bool legal = draw(&t, &r, &err);
    snprintf(told->method, sizeof told->method, "%s", t.method.name ? t.method.name : "");
    if (folder && t.data) show(&t, number, folder);
    pare_ctx ctx = context(1, LIMIT);
    if (!legal || pare_fit(&m, t.data, t.settings, &ctx, &err) != PARE_OK) {
        if (!*err.message || strchr(err.message, '\n')) FOUND("an error without a sentence");
        return true;
    }
    return judge_model(&t, &r, m); /* the process ends: nothing is freed */
}

/* In a process of its own; what is told is the parent's to count. */
static void judge_apart(uint64_t number) {
    int state;
    tell("died", "before anything was drawn");
    pid_t child = fork();
    if (child == 0) {
        alarm(HANGS);
        judge(number, NULL);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &state, 0) < 0) abort();
    if (!WIFSIGNALED(state)) return;
    char words[64];
    snprintf(words, sizeof words, WTERMSIG(state) == SIGALRM ? "does not end" : "signal %d",
             WTERMSIG(state));
    tell("found", words);
}

int main(int count, char **words) {
    static const char *const kinds[] = {"fitted",  "tampered", "refused",
                                        "stopped", "found",    "died"};
    long tally[6] = {0}, trials = 0;
    if (count < 3) return fprintf(stderr, "fits SECONDS FOLDER [NUMBER]\n"), 2;
    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED) return 1;
    uint64_t number = count > 3 ? strtoull(words[3], NULL, 10) : (uint64_t)time(NULL) * 100000;
    if (count > 3) {
        bool fine = judge(number, words[2]);
        printf("%s: %s %s\n", told->method, told->kind, told->text);
        return !fine;
    }
    time_t end = time(NULL) + atol(words[1]);
    for (; time(NULL) < end; trials++, number++) {
        judge_apart(number);
        for (int k = 0; k < 6; k++) tally[k] += strcmp(told->kind, kinds[k]) == 0;
        if (strcmp(told->kind, "found") != 0) continue;
        printf("finding %llu (%s): %s\n", (unsigned long long)number, told->method, told->text);
        fflush(stdout);
    }
    printf("%ld problems:", trials);
    for (int k = 0; k < 6; k++)
        if (tally[k]) printf(" %ld %s", tally[k], kinds[k]);
    printf("\n");
    return tally[4] > 0;
}
