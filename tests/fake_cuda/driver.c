/* The driver's calls (la/kind/cuda/cuda_driver.h): memory is that of the process, a launch runs all
 * threads before it returns. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "la/kind/cuda/cuda_driver.h"
#include "la/kind/cuda/cuda_kernels.h"

enum { LOST = 719, NO_DEVICE = 100, INVALID = 1 };
enum { BLOCK_HEAD = 64 }; /* bytes before an allocation, which hold its size */

typedef void (*kernel_call)(const void *args, int64_t thread);

#define DECLARE(kernel, arguments) void pare_##kernel(const void *args, int64_t thread);
CUDA_KERNELS(DECLARE)

static const struct {
    const char *name;
    kernel_call call;
} kernels[] = {
#define ROW(kernel, arguments) {"pare_" #kernel, pare_##kernel},
    CUDA_KERNELS(ROW)};

static atomic_llong launches, held;

/* The value of a word of PARE_FAKE_CUDA; "" where it has none, NULL: it is not there. */
static const char *word(const char *name) {
    const char *all = getenv("PARE_FAKE_CUDA");
    size_t length = strlen(name);
    for (; all && *all; all = strchr(all, ',') ? strchr(all, ',') + 1 : NULL) {
        if (strncmp(all, name, length) != 0) continue;
        if (all[length] == '=') return all + length + 1;
        if (all[length] == ',' || all[length] == 0) return "";
    }
    return NULL;
}

static long long number(const char *name, long long otherwise) {
    const char *value = word(name);
    return value ? atoll(value) : otherwise;
}

static bool is_lost(void) {
    long long at = number("launch", 0);
    return at > 0 && atomic_load(&launches) >= at;
}

#define DECLARE_CALL(symbol, member, arguments) cuda_result symbol arguments;
CUDA_CALLS(DECLARE_CALL)

cuda_result cuInit(unsigned flags) {
    (void)flags;
    atomic_store(&launches, 0);
    return word("no-device") ? NO_DEVICE : 0;
}

cuda_result cuDriverGetVersion(int *version) {
    *version = word("old-driver") ? 10020 : 12040;
    return 0;
}

cuda_result cuGetErrorName(cuda_result result, const char **name) {
    *name = result == LOST                 ? "CUDA_ERROR_LAUNCH_FAILED"
            : result == NO_DEVICE          ? "CUDA_ERROR_NO_DEVICE"
            : result == CUDA_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
                                           : "CUDA_ERROR_INVALID_VALUE";
    return 0;
}

cuda_result cuDeviceGetCount(int *count) {
    *count = 1;
    return 0;
}

cuda_result cuDeviceGet(int *id, int index) {
    *id = index;
    return index == 0 ? 0 : INVALID;
}

cuda_result cuDeviceGetAttribute(int *value, int which, int id) {
    bool old = word("old-device");
    *value = which == CUDA_MAJOR             ? (old ? 7 : 8)
             : which == CUDA_MINOR           ? (old ? 5 : 0)
             : which == CUDA_MULTIPROCESSORS ? (int)number("multiprocessors", 0)
                                             : -1;
    return id == 0 && *value >= 0 ? 0 : INVALID;
}

cuda_result cuCtxCreate_v2(cuda_context *out, unsigned flags, int id) {
    (void)flags;
    *out = (cuda_context)(void *)&launches;
    return id == 0 ? 0 : INVALID;
}

cuda_result cuCtxDestroy_v2(cuda_context context) { return context ? 0 : INVALID; }
cuda_result cuCtxSetCurrent(cuda_context context) { return context ? 0 : INVALID; }

/* The text must be the whole of it. */
cuda_result cuModuleLoadData(cuda_module *out, const void *image) {
    *out = (cuda_module)(void *)&launches;
    return strstr(image, ".entry pare_fit") && strstr(image, ".target sm_80") ? 0 : INVALID;
}

cuda_result cuModuleGetFunction(cuda_function *out, cuda_module module, const char *name) {
    for (size_t k = 0; module && k < sizeof kernels / sizeof *kernels; k++)
        if (strcmp(kernels[k].name, name) == 0) {
            *out = (cuda_function)(void *)&kernels[k];
            return 0;
        }
    return INVALID;
}

static long long total_bytes(void) { return number("memory", 1000000000); }

cuda_result cuMemGetInfo_v2(size_t *room, size_t *total) {
    *total = (size_t)total_bytes();
    *room = (size_t)(total_bytes() - atomic_load(&held));
    return is_lost() ? LOST : 0;
}

cuda_result cuMemAlloc_v2(cuda_address *out, size_t bytes) {
    if (is_lost()) return LOST;
    if (bytes == 0) return INVALID;
    if (atomic_fetch_add(&held, (long long)bytes) + (long long)bytes > total_bytes()) {
        atomic_fetch_sub(&held, (long long)bytes);
        return CUDA_OUT_OF_MEMORY;
    }
    char *block = malloc(bytes + BLOCK_HEAD);
    if (!block) return CUDA_OUT_OF_MEMORY;
    memcpy(block, &bytes, sizeof bytes);
    memset(block + BLOCK_HEAD, 0xff, bytes); /* NaNs: nothing may rely on what was there */
    *out = block + BLOCK_HEAD;
    return 0;
}

cuda_result cuMemFree_v2(cuda_address at) {
    size_t bytes;
    if (!at) return INVALID;
    char *block = at - BLOCK_HEAD;
    memcpy(&bytes, block, sizeof bytes);
    atomic_fetch_sub(&held, (long long)bytes);
    free(block);
    return is_lost() ? LOST : 0;
}

cuda_result cuMemAllocHost_v2(void **out, size_t bytes) {
    *out = malloc(bytes);
    return *out ? 0 : CUDA_OUT_OF_MEMORY;
}

cuda_result cuMemFreeHost(void *at) {
    free(at);
    return 0;
}

cuda_result cuMemcpyHtoDAsync_v2(cuda_address to, const void *from, size_t bytes,
                                 cuda_stream stream) {
    (void)stream;
    memcpy(to, from, bytes);
    return is_lost() ? LOST : 0;
}

cuda_result cuMemcpyDtoHAsync_v2(void *to, cuda_address from, size_t bytes, cuda_stream stream) {
    (void)stream;
    memcpy(to, from, bytes);
    return is_lost() ? LOST : 0;
}

cuda_result cuStreamCreate(cuda_stream *out, unsigned flags) {
    (void)flags;
    *out = (cuda_stream)(void *)&launches;
    return is_lost() ? LOST : 0;
}

cuda_result cuStreamDestroy_v2(cuda_stream stream) { return stream ? 0 : INVALID; }
cuda_result cuStreamSynchronize(cuda_stream stream) {
    return !stream ? INVALID : is_lost() ? LOST : 0;
}

cuda_result cuLaunchKernel(cuda_function function, unsigned x, unsigned y, unsigned z,
                           unsigned threads, unsigned threads_y, unsigned threads_z,
                           unsigned shared, cuda_stream stream, void **args, void **extra) {
    kernel_call call;
    atomic_fetch_add(&launches, 1);
    if (is_lost()) return LOST;
    if (x == 0 || threads % WARP || y * z * threads_y * threads_z != 1 || shared || extra ||
        !stream)
        return INVALID;
    memcpy(&call, (char *)(void *)function + sizeof(char *), sizeof call);
    for (int64_t thread = 0; thread < (int64_t)x * threads; thread++) call(args[0], thread);
    return 0;
}
