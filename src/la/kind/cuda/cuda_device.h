/* The device of a call: its context, kernels, memory and lanes. A lane runs one operation at a time
 * on a stream of its own, so that what several threads need of the device overlaps.
 *
 * An operation on the device:
 *     plan   = what it needs: inputs, then outputs, and scratch that stays on the device
 *     cuda_take    a lane with that much memory
 *     the inputs are written to cuda_host, and then cuda_upload
 *     cuda_run     kernels
 *     cuda_download, cuda_wait, and the outputs are read from cuda_host
 *     cuda_give
 * After an error the device is lost for the call: every later operation returns it again. */
#ifndef PARE_LA_CUDA_DEVICE_H
#define PARE_LA_CUDA_DEVICE_H

#include <pthread.h>

#include "la/kind/cuda/cuda_driver.h"
#include "la/kind/cuda/cuda_kernels.h"
#include "la/storage.h"

enum { CUDA_LANES = 4 };

typedef enum cuda_kernel {
#define NAME(kernel, arguments) CUDA_##kernel,
    CUDA_KERNELS(NAME)
#undef NAME
        CUDA_KERNEL_COUNT
} cuda_kernel;

typedef struct cuda_lane {
    struct cuda_device *of;
    cuda_stream stream;
    cuda_address io, scratch; /* inputs and outputs, also in `host`, and what stays there */
    void *host;
    size_t io_bytes, scratch_bytes;
    const char *what; /* the operation, for messages */
    bool taken;
} cuda_lane;

typedef struct cuda_device {
    cuda_driver driver;
    cuda_context context;
    cuda_module module;
    cuda_function kernel[CUDA_KERNEL_COUNT];
    int multiprocessors;
    double min_work; /* multiplications: for fewer the processor is sooner done */
    matrix base;     /* X: the matrix that stores the numbers */
    cuda_address x;  /* its copy, stored by columns (cuda_kernels.h); 0: it goes in blocks */
    size_t budget;   /* bytes that the memory of one operation should not exceed */
    cuda_lane lane[CUDA_LANES];
    int lanes;
    pthread_mutex_t lock; /* of all below, and of `taken` */
    pthread_cond_t freed;
    pare_status status; /* of the first operation that failed */
    pare_error error;
    double launches, bytes, wait_s; /* for the log */
} cuda_device;

/* Opens the driver, its first device and the kernels. */
PARE_NODISCARD pare_status cuda_device_open(cuda_device *out, pare_error *err);
void cuda_device_close(cuda_device *d);

/* Bytes at the device that are free. */
PARE_NODISCARD pare_status cuda_device_free_bytes(cuda_device *d, size_t *out, pare_error *err);
PARE_NODISCARD pare_status cuda_device_alloc(cuda_device *d, cuda_address *out, size_t bytes,
                                             const char *what, pare_error *err);

/* Memory of an operation; spans are aligned. Inputs come first. */
typedef struct cuda_plan {
    size_t inputs, io, scratch;
} cuda_plan;

typedef struct cuda_span {
    size_t at, bytes;
    bool scratch;
} cuda_span;

cuda_span cuda_plan_input(cuda_plan *p, int64_t count, size_t size);
cuda_span cuda_plan_output(cuda_plan *p, int64_t count, size_t size);
cuda_span cuda_plan_scratch(cuda_plan *p, int64_t count, size_t size);

/* what: names the operation in messages. */
PARE_NODISCARD pare_status cuda_take(cuda_lane **out, cuda_device *d, const cuda_plan *p,
                                     const char *what, pare_error *err);
/* Gives the lane back; returns status, or PARE_OK's place taken by nothing. lane NULL: none. */
void cuda_give(cuda_lane *lane);

void *cuda_host(const cuda_lane *lane, cuda_span of);
/* The device's address; NULL for a span of no bytes. */
void *cuda_at(const cuda_lane *lane, cuda_span of);

/* The first `bytes` of the inputs. */
PARE_NODISCARD pare_status cuda_upload(cuda_lane *lane, size_t bytes, pare_error *err);
PARE_NODISCARD pare_status cuda_run(cuda_lane *lane, cuda_kernel kernel, int64_t threads,
                                    void *args, pare_error *err);
PARE_NODISCARD pare_status cuda_download(cuda_lane *lane, cuda_span of, pare_error *err);
/* Waits until all of the above is done. */
PARE_NODISCARD pare_status cuda_wait(cuda_lane *lane, pare_error *err);

#endif
