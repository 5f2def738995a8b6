/* The first line is MAGIC, the key, `SHARD/COUNT` from 1 (0/0: all of the work), the number of label
 * permutations and the BLAS kernel of the run that began the file; the second the command. A record is `ROUND PART METHOD WORD... SUM` on one
 * line, each word the hexadecimal digits of a double's or an integer's bits, the last a checksum of
 * all before it. A line that was cut short or changed has no valid checksum: it is skipped, and its
 * split is run again. */
#include "select/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pare/version.h>

#include "base/context.h"
#include "base/error.h"
#include "base/ranks.h"
#include "base/sha256.h"
#include "data/format/lines.h"

static const char MAGIC[] = "pare checkpoint 5 ", COMMAND[] = "command";

/* The fields of the first line. */
typedef struct first_line {
    char key[65];
    int64_t shard, count, nulls;
    char kernel[32]; /* "": not known */
} first_line;

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

/* Scores and probabilities of the test samples: kept for the true labels only. */
static int64_t kept_of(const checkpoint *c, const path_setup *setup, const uint64_t head[3]) {
    return head[0] == 0 ? fold_kept(setup, &c->plan->part[head[1]], (int64_t)head[2]) : 0;
}

/* Parses one line into the next record and skips what is not a whole record; returns false only
 * when out of memory. */
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

static bool grow(checkpoint *c, int64_t *capacity, const pare_allocator *mem) {
    if (c->n_records < *capacity) return true;
    int64_t more = 2 * *capacity + 64;
    bool fine = mem_resize(mem, &c->round, more, sizeof *c->round) &&
                mem_resize(mem, &c->part, more, sizeof *c->part) &&
                mem_resize(mem, &c->method, more, sizeof *c->method) &&
                mem_resize(mem, &c->score, more, sizeof *c->score) &&
                mem_resize(mem, &c->number, more, sizeof *c->number);
    if (fine) *capacity = more;
    return fine;
}

/* The first line of a checkpoint; the next one is its command. */
static pare_status read_head(first_line *h, lines *l, const char *path, pare_error *err) {
    bool more;
    PASS(lines_next(l, &more, err));
    bool ours =
        more && strncmp(l->text, MAGIC, sizeof MAGIC - 1) == 0 &&
        sscanf(l->text + sizeof MAGIC - 1, "%64[0-9a-f] %" SCNd64 "/%" SCNd64 " %" SCNd64 " %31s",
               h->key, &h->shard, &h->count, &h->nulls, h->kernel) >= 4;
    if (!ours) return error_set(err, PARE_E_DATA, "%.256s is not a checkpoint file", path);
    return PARE_OK;
}

static first_line head_of(const char *key, const path_setup *p) {
    first_line h = {.shard = p->n_shards ? p->shard + 1 : 0, .count = p->n_shards};
    h.nulls = p->n_rounds - 1;
    memcpy(h.key, key, sizeof h.key);
    snprintf(h.kernel, sizeof h.kernel, "%s", pare_blas_kernel());
    return h;
}

/* Work of two kernels in one result: it is right, but not to the byte that of one run. */
static void warn_of_kernel(const char *path, const first_line *h, const pare_ctx *ctx) {
    const char *own = pare_blas_kernel();
    if (!h->kernel[0] || strcmp(h->kernel, own) == 0) return;
    ctx_log(ctx, PARE_LOG_WARNING,
            "warning: %.256s was made with the BLAS kernel %s, this run uses %s: last digits may "
            "differ from those of one run; OPENBLAS_CORETYPE=Haswell in the environment of all "
            "makes x86-64 processors with AVX2 agree",
            path, h->kernel, own);
}

/* A shard's work depends on the number of permutations; a path that is not sharded may be given
 * more. */
static pare_status check_head(const first_line *h, const first_line *wanted, const char *path,
                              pare_error *err) {
    if (strcmp(h->key, wanted->key) != 0 || (h->count > 0 && h->nulls != wanted->nulls))
        return error_set(err, PARE_E_DATA,
                         "%.256s is the checkpoint of another run: other data, methods, settings, "
                         "folds, sizes or seed",
                         path);
    if (h->shard == wanted->shard && h->count == wanted->count) return PARE_OK;
    if (h->count == 0)
        return error_set(err, PARE_E_DATA,
                         "%.256s is the checkpoint of a whole path, not of a shard", path);
    return error_set(err, PARE_E_DATA, "%.256s is the checkpoint of shard %" PRId64 "/%" PRId64,
                     path, h->shard, h->count);
}

/* A file's bytes as rank 0 reads them, for ranks that may not see the file; free them. */
static pare_status bytes_of(char **bytes, int64_t *size, const char *path, const pare_ctx *ctx,
                            pare_error *err) {
    const pare_ranks *r = ctx_ranks(ctx);
    FILE *from = r->index == 0 ? fopen(path, "rb") : NULL;
    pare_status status = PARE_OK;
    *bytes = NULL;
    *size = 0;
    if (r->index == 0 && (!from || fseek(from, 0, SEEK_END) != 0 || (*size = ftell(from)) < 0))
        status = error_set(err, PARE_E_IO, "%.256s cannot be opened: %s", path, strerror(errno));
    TRY(ranks_agree(r, status, err));
    TRY(ranks_tell(r, 0, size, sizeof *size, err));
    *bytes = mem_alloc(ctx_allocator(ctx), *size + 1, 1);
    if (!*bytes) status = error_memory(err);
    if (from && *bytes) rewind(from);
    if (from && *bytes && fread(*bytes, 1, (size_t)*size, from) != (size_t)*size)
        status = error_set(err, PARE_E_IO, "%.256s cannot be read: %s", path, strerror(errno));
    TRY(ranks_agree(r, status, err));
    TRY(ranks_tell(r, 0, *bytes, *size, err));
done:
    if (from) fclose(from);
    return status;
}

/* Sets *bytes, to be freed after the stream is closed. */
static pare_status open_file(stream *s, char **bytes, const char *path, const pare_ctx *ctx,
                             pare_error *err) {
    enum { PIECE = 1 << 16 };
    int64_t size;
    *bytes = NULL;
    if (!ctx_ranks(ctx)) return stream_open(s, path, ctx, err);
    pare_status status = bytes_of(bytes, &size, path, ctx, err);
    return status == PARE_OK ? stream_open_memory(s, path, *bytes, (size_t)size, PIECE, ctx, err)
                             : status;
}

static void close_file(stream *s, char *bytes, const pare_ctx *ctx) {
    if (s->mem) stream_close(s);
    mem_free(ctx_allocator(ctx), bytes);
}

/* wanted NULL: accepts any shard of the key `known`, and writes which one to *known. */
static pare_status read_back(checkpoint *c, const char *path, const first_line *wanted,
                             first_line *known, const path_setup *setup, arena *mem,
                             const pare_ctx *ctx, pare_error *err) {
    stream s = {0};
    lines l;
    first_line h = {.kernel = ""};
    bool more;
    char *bytes;
    pare_status status;
    TRY(open_file(&s, &bytes, path, ctx, err));
    TRY(lines_begin(&l, &s, err));
    TRY(read_head(&h, &l, path, err));
    if (!wanted) {
        known->shard = h.shard;
        known->count = h.count;
    }
    TRY(check_head(&h, wanted ? wanted : known, path, err));
    warn_of_kernel(path, &h, ctx);
    for (;;) { /* the command is not a record */
        TRY(lines_next(&l, &more, err));
        if (!more) break;
        TRY_MEM(grow(c, &c->capacity, ctx_allocator(ctx)) && parse_record(c, l.text, setup, mem));
    }
done:
    close_file(&s, bytes, ctx);
    return status;
}

static pare_status cannot_write(const char *path, pare_error *err) {
    return error_set(err, PARE_E_IO, "%.256s cannot be written: %s", path, strerror(errno));
}

pare_status checkpoint_open(checkpoint *c, const char *path, const char key[65],
                            const char *command, const path_setup *setup, const cv_plan *plan,
                            arena *mem, const pare_ctx *ctx, pare_error *err) {
    *c = (checkpoint){.path = path, .mem = ctx_allocator(ctx), .plan = plan};
    omp_init_lock(&c->lock);
    const pare_ranks *ranks = ctx_ranks(ctx);
    FILE *there = fopen(path, "rb");
    bool empty = !there || fgetc(there) == EOF;
    if (there) fclose(there);
    if (ranks && ranks_tell(ranks, 0, &empty, sizeof empty, err) != PARE_OK) return PARE_E_IO;
    first_line own = head_of(key, setup);
    if (!empty) {
        PASS(read_back(c, path, &own, NULL, setup, mem, ctx, err));
    }
    if (ranks && ranks->index > 0) return ranks_agree(ranks, PARE_OK, err);
    c->file = fopen(path, "ab");
    pare_status writable = c->file ? PARE_OK : cannot_write(path, err);
    if (ranks) writable = ranks_agree(ranks, writable, err);
    if (writable != PARE_OK) return writable;
    if (empty)
        fprintf(c->file, "%s%s %" PRId64 "/%" PRId64 " %" PRId64 " %s\n%s %s", MAGIC, own.key,
                own.shard, own.count, own.nulls, own.kernel, COMMAND, command ? command : "");
    /* The newline ends a line that was cut short. */
    fputc('\n', c->file);
    return fflush(c->file) == 0 ? PARE_OK : cannot_write(path, err);
}

/* Names the shards whose work is incomplete. */
static pare_status check_whole(const checkpoint *c, const path_setup *p, int64_t count, arena *mem,
                               pare_error *err) {
    enum { NAMED = 12 };
    int64_t total = p->n_rounds * p->n_parts * p->n_methods, shards = count ? count : 1;
    int64_t n = 0, first = 0;
    bool *there = ARENA_ZERO(mem, bool, total), *lost = ARENA_ZERO(mem, bool, shards);
    char names[NAMED * 24] = "";
    size_t length = 0;
    if (!there || !lost) return error_memory(err);
    for (int64_t i = 0; i < c->n_records; i++) {
        if (c->round[i] < 0 || c->round[i] >= p->n_rounds) continue;
        there[(c->round[i] * p->n_parts + c->part[i]) * p->n_methods + c->method[i]] = true;
    }
    for (int64_t i = 0; i < total; i++) {
        int64_t part = i / p->n_methods;
        int64_t of = shard_of(p, shards, part / p->n_parts, part % p->n_parts, i % p->n_methods);
        lost[of] = lost[of] || !there[i];
    }
    for (int64_t i = 0; i < shards; i++) {
        if (!lost[i] || ++n > NAMED) continue;
        if (n == 1) first = i + 1;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%" PRId64,
                                   n > 1 ? ", " : "", i + 1);
    }
    if (n == 0) return PARE_OK;
    if (count == 0)
        return error_set(err, PARE_E_DATA, "the checkpoint of the whole path is not finished");
    return error_set(err, PARE_E_DATA,
                     "shard %s%s of %" PRId64 " %s missing, damaged or not finished: run `shard` "
                     "%" PRId64 "/%" PRId64 " again with its checkpoint, and merge then",
                     names, n > NAMED ? ", ..." : "", count, n > 1 ? "are" : "is", first, count);
}

pare_status checkpoint_merge(checkpoint *c, const char *const *path, int64_t count,
                             const char key[65], const path_setup *setup, const cv_plan *plan,
                             arena *mem, const pare_ctx *ctx, pare_error *err) {
    first_line known = head_of(key, setup);
    int64_t shards = 0, *from;
    *c = (checkpoint){.mem = ctx_allocator(ctx), .plan = plan};
    omp_init_lock(&c->lock);
    PASS_MEM(from = ARENA_NEW(mem, int64_t, count));
    for (int64_t i = 0; i < count; i++) {
        PASS(read_back(c, path[i], NULL, &known, setup, mem, ctx, err));
        if (i > 0 && known.count != shards)
            PASS(error_set(err, PARE_E_DATA, "%.256s is of %" PRId64 " shards, %.256s of %" PRId64,
                           path[i], known.count, path[0], shards));
        shards = known.count;
        from[i] = known.shard;
        for (int64_t k = 0; k < i; k++)
            if (from[k] == from[i])
                PASS(error_set(err, PARE_E_DATA,
                               "%.256s and %.256s are both shard %" PRId64 " of %" PRId64, path[k],
                               path[i], from[i], shards));
    }
    return check_whole(c, setup, shards, mem, err);
}

static pare_status read_command(char **out, const char *file, const pare_ctx *ctx,
                                pare_error *err) {
    stream s = {0};
    lines l;
    first_line h = {.kernel = ""};
    bool more;
    char *bytes;
    pare_status status;
    TRY(open_file(&s, &bytes, file, ctx, err));
    TRY(lines_begin(&l, &s, err));
    TRY(read_head(&h, &l, file, err));
    TRY(lines_next(&l, &more, err));
    bool has = more && strncmp(l.text, COMMAND, sizeof COMMAND - 1) == 0;
    const char *text = has ? l.text + sizeof COMMAND - 1 : "";
    text += *text == ' ';
    TRY_MEM(*out = mem_alloc(ctx_allocator(ctx), (int64_t)strlen(text) + 1, 1));
    strcpy(*out, text);
done:
    close_file(&s, bytes, ctx);
    return status;
}

pare_status pare_checkpoint_command(char **out, const char *file, const pare_ctx *ctx,
                                    pare_error *err) {
    call c;
    *out = NULL;
    pare_status status = call_begin(&c, ctx, err);
    if (status == PARE_OK) status = read_command(out, file, &c.ctx, err);
    call_end(&c);
    return status;
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
    if (!to) return PARE_OK; /* only rank 0 writes */
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
    return fine ? PARE_OK : cannot_write(c->path, err);
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
