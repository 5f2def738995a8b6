#define _POSIX_C_SOURCE 200809L
#include "base/context.h"

#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/process.h"

static const pare_ctx default_ctx = {.struct_size = sizeof(pare_ctx), .seed = 1};

void options_give(void *caller, size_t struct_size, const void *defaults, size_t size) {
    memset(caller, 0, struct_size);
    memcpy(caller, defaults, struct_size < size ? struct_size : size);
    memcpy(caller, &struct_size, sizeof struct_size);
}

pare_status options_take(void *own, const void *caller, size_t size, const char *name,
                         pare_error *err) {
    size_t given = size;
    if (!caller) return PARE_OK;
    memcpy(&given, caller, sizeof given);
    if (given < sizeof given)
        return error_set(err, PARE_E_ARGUMENT, "struct_size is %zu: %s was not called", given,
                         name);
    if (given > size)
        return error_set(err, PARE_E_ARGUMENT,
                         "struct_size is %zu where this library knows %zu (%s): the program was "
                         "made for a newer one",
                         given, size, name);
    memcpy(own, caller, given);
    memcpy(own, &size, sizeof size);
    return PARE_OK;
}

void pare_ctx_init_sized(pare_ctx *ctx, size_t struct_size) {
    options_give(ctx, struct_size, &default_ctx, sizeof default_ctx);
}

/* Functions that only allocate, log or check memory read the caller's own context: its size must be
 * at least that of version 0.2, the first with a size. */
pare_status ctx_check(const pare_ctx *ctx, pare_error *err) {
    enum { MIN_SIZE = offsetof(pare_ctx, user) + sizeof ctx->user };
    pare_ctx own;
    if (ctx && ctx->struct_size < MIN_SIZE)
        return error_set(err, PARE_E_ARGUMENT, "struct_size is %zu: pare_ctx_init was not called",
                         ctx->struct_size);
    return options_take(&own, ctx, sizeof own, "pare_ctx_init", err);
}

double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const double MIN_LOGGED_BYTES = 1e8; /* of X: passes over a smaller one are not reported */
static const double SOON_S = 2;
static const double MIN_COPIED_BYTES = 32e6; /* of X: a smaller one is in a cache */
static const double COPY_SHARE = 1.0 / 6;

static double processor_now(const call *c) {
    struct timespec t;
    clock_gettime(c->is_part ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void start_profile(call *c) {
    if (c->reads->whole >= MIN_COPIED_BYTES) c->phase_s = processor_now(c);
}

/* Adds the time since the last one to the current phase. */
static void note_phase(call *c) {
    if (c->phase_s == 0) return;
    double now = processor_now(c), *sum = &c->reads->processor_s[c->is_part][c->phase];
#pragma omp atomic
    *sum += now - c->phase_s;
    c->phase_s = now;
}

static read_count reads_now(const call *c) {
    read_count r = *c->reads;
#pragma omp atomic read
    r.bytes = c->reads->bytes;
#pragma omp atomic read
    r.products = c->reads->products;
    return r;
}

static int call_progress(void *user, const char *stage, double fraction) {
    const call *c = user;
    const pare_ctx *caller = &c->caller;
    if (!caller->progress) return 0;
    double seconds = c->reads->whole >= MIN_LOGGED_BYTES ? clock_now() - c->reads->start_s : 0;
    if (seconds < SOON_S || !stage) return caller->progress(caller->user, stage, fraction);
    char text[128];
    double bytes = reads_now(c).bytes;
    snprintf(text, sizeof text, "%.64s (%.0f passes, %.1f GB/s)", stage, bytes / c->reads->whole,
             bytes / seconds * 1e-9);
    return caller->progress(caller->user, text, fraction);
}

static void call_log(void *user, pare_log_level level, const char *message) {
    const pare_ctx *caller = &((const call *)user)->caller;
    if (caller->log) caller->log(caller->user, level, message);
}

/* Returns the call that ctx belongs to; NULL: ctx is a caller's own. */
static call *call_of(const pare_ctx *ctx) {
    return ctx && ctx->progress == call_progress ? ctx->user : NULL;
}

double ctx_deadline(const pare_ctx *ctx) {
    const call *c = call_of(ctx);
    return c ? c->deadline_s : 0;
}

struct pass_scheduler *ctx_scheduler(const pare_ctx *ctx) {
    const call *c = call_of(ctx);
    return c ? c->scheduler : NULL;
}

struct cuda_device *ctx_device(const pare_ctx *ctx) {
    const call *c = call_of(ctx);
    return c ? c->device : NULL;
}

bool ctx_answers(const pare_ctx *ctx) {
    const call *c = call_of(ctx);
    return !c || c->answers;
}

static void lead_here(call *c, const pare_ctx *ctx) {
    const call *within = call_of(ctx);
    c->reads = within ? within->reads : &c->own;
    c->own.start_s = clock_now();
    c->scheduler = within ? within->scheduler : NULL;
    c->device = within ? within->device : NULL;
    c->answers = within ? within->answers : true;
    c->ctx = c->caller;
    c->ctx.progress = call_progress;
    c->ctx.log = call_log;
    c->ctx.user = c;
}

pare_status call_begin(call *c, const pare_ctx *ctx, pare_error *err) {
    *c = (call){.caller = default_ctx, .deadline_s = ctx_deadline(ctx)};
    pare_status status = ctx_check(ctx, err);
    if (status == PARE_OK)
        status = options_take(&c->caller, ctx, sizeof c->caller, "pare_ctx_init", err);
    if (status != PARE_OK) return status;
    if (c->caller.time_limit_s > 0 && c->deadline_s == 0)
        c->deadline_s = clock_now() + c->caller.time_limit_s;
    lead_here(c, ctx);
    blas_hold();
    c->holds_blas = true;
    return PARE_OK;
}

void call_part(call *c, const pare_ctx *ctx) {
    *c = (call){.caller = ctx ? *ctx : default_ctx, .deadline_s = ctx_deadline(ctx)};
    lead_here(c, ctx);
    c->is_part = true;
    start_profile(c);
}

void call_part_end(call *c) { note_phase(c); }

phase ctx_phase(const pare_ctx *ctx, phase now) {
    call *c = call_of(ctx);
    phase before = c ? c->phase : PHASE_OTHER;
    if (!c || c->phase_s == 0) return before;
    note_phase(c);
    c->phase = now;
    return before;
}

void ctx_jobs(const pare_ctx *ctx, double seconds) {
    call *c = call_of(ctx);
    if (!c || c->is_part || c->reads != &c->own) return;
    if (seconds < 0) {
        note_phase(c);
        return;
    }
    c->reads->jobs_s += seconds;
    start_profile(c);
}

void ctx_count(const pare_ctx *ctx, double bytes, double products) {
    const call *c = call_of(ctx);
    if (!c) return;
#pragma omp atomic
    c->reads->bytes += bytes;
    if (products == 0) return;
#pragma omp atomic
    c->reads->products += products;
}

void call_reads(call *c, double whole, double gram) {
    if (c->reads != &c->own) return;
    c->own.whole = whole;
    c->own.gram = gram;
    start_profile(c);
}

static void add_reserved(call *c, double bytes, double *now) {
    double own;
#pragma omp atomic capture
    own = c->reads->reserved += bytes;
    *now = own;
}

bool ctx_reserve(const pare_ctx *ctx, double bytes) {
    call *c = call_of(ctx);
    double now, limit = c ? c->reads->whole : 0;
    if (limit < MIN_COPIED_BYTES || c->device) return false;
    if (ctx->memory_bytes > 0) limit = fmin(limit, (double)ctx->memory_bytes);
    add_reserved(c, bytes, &now);
    if (now <= limit * COPY_SHARE) return true;
    ctx_release(ctx, bytes);
    return false;
}

void ctx_release(const pare_ctx *ctx, double bytes) {
    double now;
    add_reserved(call_of(ctx), -bytes, &now);
}

static void say_reads(const call *c) {
    if (!(c->own.whole > 0)) return;
    read_count r = reads_now(c);
    double seconds = fmax(clock_now() - r.start_s, 1e-9);
    ctx_log(
        &c->ctx, PARE_LOG_DEBUG,
        "X was read %.4g times, %.3g GB at %.3g GB a second; Gram matrices took the products of "
        "%.4g of all samples",
        r.bytes / r.whole, r.bytes * 1e-9, r.bytes / seconds * 1e-9, r.products / r.gram);
}

static double sum_of(const double *x) {
    double sum = 0;
    for (int k = 0; k < PHASES; k++) sum += x[k];
    return sum;
}

static void say_profile(call *c) {
    note_phase(c);
    if (c->phase_s == 0 || c->reads != &c->own) return;
    const read_count *r = &c->own;
    const double *out = r->processor_s[0], *in = r->processor_s[1];
    double rest_s = fmax(clock_now() - r->start_s - r->jobs_s, 1e-9);
    ctx_log(&c->ctx, PARE_LOG_DEBUG,
            "processor seconds: statistics %.3g, Gram matrices %.3g, products with X %.3g, columns "
            "%.3g, the rest %.3g",
            out[PHASE_STATISTICS] + in[PHASE_STATISTICS], out[PHASE_GRAM] + in[PHASE_GRAM],
            out[PHASE_PRODUCT] + in[PHASE_PRODUCT], out[PHASE_COLUMNS] + in[PHASE_COLUMNS],
            out[PHASE_OTHER] + in[PHASE_OTHER]);
    if (r->jobs_s > 0)
        ctx_log(&c->ctx, PARE_LOG_DEBUG,
                "training folds beside each other: %.3g seconds, in which %.3g threads were busy; "
                "before and after them: %.3g seconds, %.3g threads",
                r->jobs_s, sum_of(in) / r->jobs_s, rest_s, sum_of(out) / rest_s);
}

void call_end(call *c) {
    if (c->holds_blas) say_reads(c);
    if (c->holds_blas) say_profile(c);
    if (c->holds_blas) blas_let_go();
    c->holds_blas = false;
}

int ctx_threads(const pare_ctx *ctx) {
    return team_size(ctx && ctx->threads > 0 ? ctx->threads : omp_get_max_threads());
}

interruption ctx_stopped(const pare_ctx *ctx) {
    const call *c = call_of(ctx);
    return c ? c->stopped : INTERRUPT_NONE;
}

void ctx_stop(const pare_ctx *ctx, interruption why) {
    call *c = call_of(ctx);
    if (c && c->stopped == INTERRUPT_NONE) c->stopped = why;
}

static interruption ask(const pare_ctx *ctx, const char *stage, double fraction) {
    if (ctx->progress && ctx->progress(ctx->user, stage, fraction)) return INTERRUPT_CANCEL;
    double deadline = ctx_deadline(ctx);
    return deadline > 0 && clock_now() > deadline ? INTERRUPT_TIME : INTERRUPT_NONE;
}

interruption ctx_poll(const pare_ctx *ctx, const char *stage, double fraction) {
    if (!ctx || ctx_stopped(ctx) != INTERRUPT_NONE) return ctx_stopped(ctx);
    interruption why = ask(ctx, stage, fraction);
    ctx_stop(ctx, why);
    return why;
}

pare_outcome ctx_outcome(interruption stop) {
    switch (stop) {
    case INTERRUPT_CANCEL: return PARE_CANCELLED;
    case INTERRUPT_TIME: return PARE_TIME_LIMIT;
    case INTERRUPT_NONE: break;
    }
    return PARE_OPTIMAL;
}

bool ctx_stops(const pare_ctx *ctx, const char *stage, double fraction, pare_outcome *out) {
    interruption stop = ctx_poll(ctx, stage, fraction);
    if (stop != INTERRUPT_NONE) *out = ctx_outcome(stop);
    return stop != INTERRUPT_NONE;
}

pare_status ctx_check_memory(const pare_ctx *ctx, double bytes, const char *what, pare_error *err) {
    if (!ctx || ctx->memory_bytes <= 0 || bytes <= (double)ctx->memory_bytes) return PARE_OK;
    return error_set(err, PARE_E_MEMORY, "%s would take %.3g GB, over the memory limit of %.3g GB",
                     what, bytes * 1e-9, (double)ctx->memory_bytes * 1e-9);
}

void ctx_log(const pare_ctx *ctx, pare_log_level level, const char *format, ...) {
    if (!ctx || !ctx->log) return;
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    ctx->log(ctx->user, level, message);
}
