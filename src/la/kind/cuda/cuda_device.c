#define _POSIX_C_SOURCE 200809L
#include "la/kind/cuda/cuda_device.h"

#include <string.h>

#include "base/error.h"

/* The text of cuda_kernels.ptx. */
static const char kernels[] = {
#include "la/kind/cuda/cuda_kernels.inc"
    0};

enum { BLOCK_THREADS = 128, ALIGNMENT = 256, MIN_MAJOR = 8 };
static const double MIN_WORK_EACH = 1024; /* multiplications a multiprocessor */

/* ---- errors ---- */

static pare_status failed(cuda_device *d, cuda_result result, const char *what, pare_error *err) {
    char text[32];
    pare_error own;
    const char *name = cuda_result_name(&d->driver, result, text);
    pare_status status =
        result == CUDA_OUT_OF_MEMORY
            ? error_set(&own, PARE_E_MEMORY,
                        "`device cuda`: the GPU has not enough memory for %s; free some of it, or "
                        "run with `device cpu`",
                        what)
            : error_set(&own, PARE_E_DEVICE,
                        "`device cuda`: the GPU failed (%s) at %s; run again, or with `device cpu`",
                        name, what);
    pthread_mutex_lock(&d->lock);
    if (d->status == PARE_OK) {
        d->status = status;
        d->error = own;
    }
    pthread_mutex_unlock(&d->lock);
    if (err) *err = own;
    return status;
}

/* Calls the driver for a device or a lane. */
#define CALL(d, what, call)                                                                        \
    do {                                                                                           \
        cuda_result answered = (d)->driver.call;                                                   \
        if (answered) return failed((d), answered, (what), err);                                   \
    } while (0)

/* ---- the device ---- */

static pare_status choose(cuda_device *d, int *id, pare_error *err) {
    int count = 0, major = 0, minor = 0;
    const char *what = "the choice of a GPU";
    CALL(d, what, device_count(&count));
    if (count < 1)
        return error_set(err, PARE_E_DEVICE,
                         "`device cuda`: this machine has no GPU that NVIDIA's driver may use; run "
                         "with `device cpu`");
    CALL(d, what, device_get(id, 0));
    CALL(d, what, device_attribute(&major, CUDA_MAJOR, *id));
    CALL(d, what, device_attribute(&minor, CUDA_MINOR, *id));
    CALL(d, what, device_attribute(&d->multiprocessors, CUDA_MULTIPROCESSORS, *id));
    d->min_work = MIN_WORK_EACH * d->multiprocessors;
    if (major >= MIN_MAJOR) return PARE_OK;
    return error_set(
        err, PARE_E_DEVICE,
        "`device cuda`: the GPU has compute capability %d.%d; 8.0 (Ampere) or later is "
        "needed",
        major, minor);
}

static pare_status find_kernels(cuda_device *d, pare_error *err) {
    static const char *const names[] = {
#define NAME(kernel, arguments) "pare_" #kernel,
        CUDA_KERNELS(NAME)
#undef NAME
    };
    CALL(d, "the loading of the kernels", module_load(&d->module, kernels));
    for (int k = 0; k < CUDA_KERNEL_COUNT; k++)
        CALL(d, names[k], module_function(&d->kernel[k], d->module, names[k]));
    return PARE_OK;
}

pare_status cuda_device_open(cuda_device *out, pare_error *err) {
    int id = 0;
    pare_status status = PARE_OK;
    *out = (cuda_device){.lanes = CUDA_LANES};
    pthread_mutex_init(&out->lock, NULL);
    pthread_cond_init(&out->freed, NULL);
    for (int k = 0; k < CUDA_LANES; k++) out->lane[k].of = out;
    TRY(cuda_driver_open(&out->driver, err));
    TRY(choose(out, &id, err));
    cuda_result result = out->driver.context_create(&out->context, CUDA_YIELD, id);
    if (result) TRY(failed(out, result, "its context", err));
    TRY(find_kernels(out, err));
done:
    if (status != PARE_OK) cuda_device_close(out);
    return status;
}

/* What the driver answers is of no use any more. */
void cuda_device_close(cuda_device *d) {
    const cuda_driver *of = &d->driver;
    if (d->context) {
        of->context_set(d->context);
        for (int k = 0; k < CUDA_LANES; k++) {
            if (d->lane[k].host) of->host_free(d->lane[k].host);
            if (d->lane[k].io) of->memory_free(d->lane[k].io);
            if (d->lane[k].scratch) of->memory_free(d->lane[k].scratch);
            if (d->lane[k].stream) of->stream_destroy(d->lane[k].stream);
        }
        if (d->x) of->memory_free(d->x);
        of->context_destroy(d->context);
    }
    cuda_driver_close(&d->driver);
    pthread_cond_destroy(&d->freed);
    pthread_mutex_destroy(&d->lock);
    *d = (cuda_device){0};
}

pare_status cuda_device_free_bytes(cuda_device *d, size_t *out, pare_error *err) {
    size_t total;
    CALL(d, "a question for its memory", memory_info(out, &total));
    return PARE_OK;
}

pare_status cuda_device_alloc(cuda_device *d, cuda_address *out, size_t bytes, const char *what,
                              pare_error *err) {
    CALL(d, what, memory_alloc(out, bytes));
    return PARE_OK;
}

/* ---- memory of an operation ---- */

static cuda_span span_after(size_t *end, int64_t count, size_t size, bool scratch) {
    size_t bytes = (size_t)count * size;
    cuda_span s = {*end, bytes, scratch};
    *end += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return s;
}

cuda_span cuda_plan_input(cuda_plan *p, int64_t count, size_t size) {
    cuda_span s = span_after(&p->io, count, size, false);
    p->inputs = p->io;
    return s;
}

cuda_span cuda_plan_output(cuda_plan *p, int64_t count, size_t size) {
    return span_after(&p->io, count, size, false);
}

cuda_span cuda_plan_scratch(cuda_plan *p, int64_t count, size_t size) {
    return span_after(&p->scratch, count, size, true);
}

void *cuda_host(const cuda_lane *lane, cuda_span of) { return (char *)lane->host + of.at; }

void *cuda_at(const cuda_lane *lane, cuda_span of) {
    cuda_address from = of.scratch ? lane->scratch : lane->io;
    return of.bytes ? from + of.at : NULL;
}

/* ---- lanes ---- */

static pare_status hold(cuda_lane *lane, const cuda_plan *p, pare_error *err) {
    cuda_device *d = lane->of;
    if (!lane->stream) CALL(d, lane->what, stream_create(&lane->stream, 1));
    if (lane->io_bytes < p->io) {
        lane->io_bytes = 0;
        if (lane->host) CALL(d, lane->what, host_free(lane->host));
        lane->host = NULL;
        if (lane->io) CALL(d, lane->what, memory_free(lane->io));
        lane->io = 0;
        CALL(d, lane->what, memory_alloc(&lane->io, p->io));
        CALL(d, lane->what, host_alloc(&lane->host, p->io));
        lane->io_bytes = p->io;
    }
    if (lane->scratch_bytes < p->scratch) {
        lane->scratch_bytes = 0;
        if (lane->scratch) CALL(d, lane->what, memory_free(lane->scratch));
        lane->scratch = 0;
        CALL(d, lane->what, memory_alloc(&lane->scratch, p->scratch));
        lane->scratch_bytes = p->scratch;
    }
    return PARE_OK;
}

static cuda_lane *free_lane(cuda_device *d) {
    for (int k = 0; k < d->lanes; k++)
        if (!d->lane[k].taken) return &d->lane[k];
    return NULL;
}

pare_status cuda_take(cuda_lane **out, cuda_device *d, const cuda_plan *p, const char *what,
                      pare_error *err) {
    cuda_lane *lane;
    *out = NULL;
    pthread_mutex_lock(&d->lock);
    while (d->status == PARE_OK && !(lane = free_lane(d))) pthread_cond_wait(&d->freed, &d->lock);
    pare_status status = d->status;
    if (status == PARE_OK) {
        lane->taken = true;
        lane->what = what;
        *out = lane;
    } else if (err) {
        *err = d->error;
    }
    pthread_mutex_unlock(&d->lock);
    if (status != PARE_OK) return status;
    CALL(d, what, context_set(d->context));
    return hold(lane, p, err);
}

void cuda_give(cuda_lane *lane) {
    if (!lane) return;
    pthread_mutex_lock(&lane->of->lock);
    lane->taken = false;
    pthread_cond_broadcast(&lane->of->freed);
    pthread_mutex_unlock(&lane->of->lock);
}

static void count(cuda_device *d, double *what, double by) {
    pthread_mutex_lock(&d->lock);
    *what += by;
    pthread_mutex_unlock(&d->lock);
}

pare_status cuda_upload(cuda_lane *lane, size_t bytes, pare_error *err) {
    cuda_device *d = lane->of;
    count(d, &d->bytes, (double)bytes);
    if (bytes) CALL(d, lane->what, upload(lane->io, lane->host, bytes, lane->stream));
    return PARE_OK;
}

pare_status cuda_download(cuda_lane *lane, cuda_span of, pare_error *err) {
    cuda_device *d = lane->of;
    count(d, &d->bytes, (double)of.bytes);
    CALL(d, lane->what, download(cuda_host(lane, of), lane->io + of.at, of.bytes, lane->stream));
    return PARE_OK;
}

pare_status cuda_run(cuda_lane *lane, cuda_kernel kernel, int64_t threads, void *args,
                     pare_error *err) {
    cuda_device *d = lane->of;
    unsigned blocks = (unsigned)((threads + BLOCK_THREADS - 1) / BLOCK_THREADS);
    void *list[] = {args};
    count(d, &d->launches, 1);
    CALL(d, lane->what,
         launch(d->kernel[kernel], blocks, 1, 1, BLOCK_THREADS, 1, 1, 0, lane->stream, list, NULL));
    return PARE_OK;
}

pare_status cuda_wait(cuda_lane *lane, pare_error *err) {
    cuda_device *d = lane->of;
    double start = clock_now();
    CALL(d, lane->what, stream_wait(lane->stream));
    count(d, &d->wait_s, clock_now() - start);
    return PARE_OK;
}
