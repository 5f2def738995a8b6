/* A record is `ROUND PART METHOD WORD... SUM` on one line, each word the hexadecimal digits of a
 * double's or an integer's bits, the last a sum over all before it. A line that a kill cut short or
 * that was changed does not end so: it is passed over, and its part is run again. */
#include "select/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "data/lines.h"

static const char MAGIC[] = "pare checkpoint 3 ";

static bool next_word(const char **p, uint64_t *out) {
    uint64_t value = 0;
    int digits = 0;
    while (**p == ' ') ++*p;
    for (; **p && **p != ' '; ++*p, digits++) {
        char c = **p;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0 || digits == 16) return false;
        value = value << 4 | (uint64_t)digit;
    }
    *out = value;
    return digits > 0;
}

/* The first bits of a digest of the record. */
static uint64_t record_sum(const uint64_t head[3], const double *score, int64_t scores,
                           const double *F, int64_t kept, const int64_t *number, int64_t numbers) {
    sha256 h;
    unsigned char digest[32];
    uint64_t sum = 0;
    sha256_init(&h);
    sha256_update(&h, head, 3 * sizeof *head);
    sha256_update(&h, score, (size_t)scores * sizeof *score);
    if (kept) sha256_update(&h, F, (size_t)kept * sizeof *F);
    sha256_update(&h, number, (size_t)numbers * sizeof *number);
    sha256_final(&h, digest);
    for (int i = 0; i < 8; i++) sum = sum << 8 | digest[i];
    return sum;
}

/* Scores and probabilities of the samples: of the true labels alone, whose parts are the plan's. */
static int64_t kept_of(const checkpoint *c, const path_setup *setup, const uint64_t head[3]) {
    return head[0] == 0 ? fold_kept(setup, &c->plan->part[head[1]], (int64_t)head[2]) : 0;
}

/* One line into the next record; false only when out of memory: what is not a whole record is
 * passed over. */
static bool parse_record(checkpoint *c, const char *text, const path_setup *setup, arena *mem) {
    uint64_t word, head[3];
    for (int i = 0; i < 3; i++)
        if (!next_word(&text, &head[i])) return true;
    if (head[1] >= (uint64_t)c->plan->count || head[2] >= (uint64_t)setup->n_methods) return true;
    int64_t scores = fold_scores(setup), numbers = fold_numbers(setup, head[0] == 0);
    int64_t kept = kept_of(c, setup, head);
    double *score = ARENA_NEW(mem, double, scores + kept);
    int64_t *number = ARENA_NEW(mem, int64_t, numbers);
    if (!score || !number) return false;
    for (int64_t i = 0; i < scores + kept; i++) {
        if (!next_word(&text, &word)) return true;
        memcpy(&score[i], &word, sizeof word);
    }
    for (int64_t i = 0; i < numbers; i++) {
        if (!next_word(&text, &word)) return true;
        memcpy(&number[i], &word, sizeof word);
    }
    if (!next_word(&text, &word) || *text) return true;
    if (word != record_sum(head, score, scores, score + scores, kept, number, numbers)) return true;
    c->round[c->n_records] = (int64_t)head[0];
    c->part[c->n_records] = (int64_t)head[1];
    c->method[c->n_records] = (int64_t)head[2];
    c->score[c->n_records] = score;
    c->number[c->n_records++] = number;
    return true;
}

static bool grow(checkpoint *c, int64_t *room, const pare_allocator *mem) {
    if (c->n_records < *room) return true;
    int64_t more = 2 * *room + 64;
    bool fine = mem_resize(mem, &c->round, more, sizeof *c->round) &&
                mem_resize(mem, &c->part, more, sizeof *c->part) &&
                mem_resize(mem, &c->method, more, sizeof *c->method) &&
                mem_resize(mem, &c->score, more, sizeof *c->score) &&
                mem_resize(mem, &c->number, more, sizeof *c->number);
    if (fine) *room = more;
    return fine;
}

static pare_status read_back(checkpoint *c, const char *key, const path_setup *setup, arena *mem,
                             const pare_ctx *ctx, pare_error *err) {
    stream s = {0};
    lines l;
    bool more;
    int64_t room = 0;
    pare_status status;
    TRY(stream_open(&s, c->path, ctx, err));
    TRY(lines_begin(&l, &s, err));
    TRY(lines_next(&l, &more, err));
    bool ours = more && strncmp(l.text, MAGIC, sizeof MAGIC - 1) == 0;
    if (!ours || strcmp(l.text + sizeof MAGIC - 1, key) != 0) {
        status = error_set(err, PARE_E_DATA,
                           ours ? "%.256s is the checkpoint of another run: other data, methods, "
                                  "settings, folds, sizes or seed"
                                : "%.256s is not a checkpoint file",
                           c->path);
        goto done;
    }
    for (;;) {
        TRY(lines_next(&l, &more, err));
        if (!more) break;
        TRY_MEM(grow(c, &room, ctx_allocator(ctx)) && parse_record(c, l.text, setup, mem));
    }
done:
    if (s.mem) stream_close(&s);
    return status;
}

pare_status checkpoint_open(checkpoint *c, const char *path, const char key[65],
                            const path_setup *setup, const cv_plan *plan, arena *mem,
                            const pare_ctx *ctx, pare_error *err) {
    *c = (checkpoint){.path = path, .mem = ctx_allocator(ctx), .plan = plan};
    omp_init_lock(&c->lock);
    FILE *there = fopen(path, "rb");
    bool empty = !there || fgetc(there) == EOF;
    if (there) fclose(there);
    if (!empty) {
        pare_status status = read_back(c, key, setup, mem, ctx, err);
        if (status != PARE_OK) return status;
    }
    c->file = fopen(path, "ab");
    if (!c->file)
        return error_set(err, PARE_E_IO, "%.256s cannot be written: %s", path, strerror(errno));
    /* The newline ends a line that was cut short. */
    if (empty) fprintf(c->file, "%s%s", MAGIC, key);
    fputc('\n', c->file);
    if (fflush(c->file) != 0)
        return error_set(err, PARE_E_IO, "%.256s cannot be written: %s", path, strerror(errno));
    return PARE_OK;
}

void checkpoint_restore(const checkpoint *c, path_round *r) {
    const path_setup *setup = r->setup;
    for (int64_t i = 0; i < c->n_records; i++) {
        bool fits = c->round[i] == r->number && c->part[i] >= 0 && c->part[i] < r->plan->count &&
                    c->method[i] >= 0 && c->method[i] < setup->n_methods;
        if (!fits) continue;
        fold_result *to = &r->result[c->part[i] * setup->n_methods + c->method[i]];
        memcpy(to->score, c->score[i], sizeof(double) * (size_t)fold_scores(setup));
        const uint64_t head[] = {(uint64_t)r->number, (uint64_t)c->part[i], (uint64_t)c->method[i]};
        int64_t kept = kept_of(c, setup, head);
        if (kept) memcpy(to->F, c->score[i] + fold_scores(setup), sizeof(double) * (size_t)kept);
        memcpy(to->number, c->number[i],
               sizeof(int64_t) * (size_t)fold_numbers(setup, r->number == 0));
        to->done = true;
    }
}

pare_status checkpoint_add(checkpoint *c, const path_round *r, int64_t part, int64_t m,
                           pare_error *err) {
    const fold_result *from = &r->result[part * r->setup->n_methods + m];
    FILE *to = c->file;
    uint64_t word, head[3] = {(uint64_t)r->number, (uint64_t)part, (uint64_t)m};
    int64_t scores = fold_scores(r->setup), numbers = fold_numbers(r->setup, r->number == 0);
    int64_t kept = kept_of(c, r->setup, head);
    omp_set_lock(&c->lock);
    fprintf(to, "%" PRIx64 " %" PRIx64 " %" PRIx64, head[0], head[1], head[2]);
    for (int64_t i = 0; i < scores + kept; i++) {
        memcpy(&word, i < scores ? &from->score[i] : &from->F[i - scores], sizeof word);
        fprintf(to, " %" PRIx64, word);
    }
    for (int64_t i = 0; i < numbers; i++) {
        memcpy(&word, &from->number[i], sizeof word);
        fprintf(to, " %" PRIx64, word);
    }
    fprintf(to, " %" PRIx64 "\n",
            record_sum(head, from->score, scores, from->F, kept, from->number, numbers));
    bool fine = fflush(to) == 0 && !ferror(to);
    omp_unset_lock(&c->lock);
    if (!fine)
        return error_set(err, PARE_E_IO, "%.256s cannot be written: %s", c->path, strerror(errno));
    return PARE_OK;
}

void checkpoint_close(checkpoint *c) {
    if (c->file) fclose(c->file);
    omp_destroy_lock(&c->lock);
    mem_free(c->mem, c->round);
    mem_free(c->mem, c->part);
    mem_free(c->mem, c->method);
    mem_free(c->mem, c->score);
    mem_free(c->mem, c->number);
    c->file = NULL;
}
