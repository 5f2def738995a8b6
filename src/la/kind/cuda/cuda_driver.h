/* NVIDIA's driver, opened at run time: the calls that the library makes, as the driver's interface
 * declares them. Nothing of CUDA is needed to build. */
#ifndef PARE_LA_CUDA_DRIVER_H
#define PARE_LA_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include <pare/status.h>

typedef int cuda_result;    /* 0: fine */
typedef char *cuda_address; /* CUdeviceptr, which is as large as a pointer: never read here */
typedef struct CUctx_st *cuda_context;
typedef struct CUmod_st *cuda_module;
typedef struct CUfunc_st *cuda_function;
typedef struct CUstream_st *cuda_stream;

enum {
    CUDA_OUT_OF_MEMORY = 2, /* results */
    CUDA_MULTIPROCESSORS = 16,
    CUDA_MAJOR = 75, /* attributes of a device */
    CUDA_MINOR = 76,
    CUDA_YIELD = 2 /* a thread that waits for the device yields its processor */
};

/* X(symbol, member, arguments) */
#define CUDA_CALLS(X)                                                                              \
    X(cuInit, init, (unsigned))                                                                    \
    X(cuDriverGetVersion, version, (int *))                                                        \
    X(cuGetErrorName, error_name, (cuda_result, const char **))                                    \
    X(cuDeviceGetCount, device_count, (int *))                                                     \
    X(cuDeviceGet, device_get, (int *, int))                                                       \
    X(cuDeviceGetAttribute, device_attribute, (int *, int, int))                                   \
    X(cuCtxCreate_v2, context_create, (cuda_context *, unsigned, int))                             \
    X(cuCtxDestroy_v2, context_destroy, (cuda_context))                                            \
    X(cuCtxSetCurrent, context_set, (cuda_context))                                                \
    X(cuModuleLoadData, module_load, (cuda_module *, const void *))                                \
    X(cuModuleGetFunction, module_function, (cuda_function *, cuda_module, const char *))          \
    X(cuMemGetInfo_v2, memory_info, (size_t *, size_t *))                                          \
    X(cuMemAlloc_v2, memory_alloc, (cuda_address *, size_t))                                       \
    X(cuMemFree_v2, memory_free, (cuda_address))                                                   \
    X(cuMemAllocHost_v2, host_alloc, (void **, size_t))                                            \
    X(cuMemFreeHost, host_free, (void *))                                                          \
    X(cuMemcpyHtoDAsync_v2, upload, (cuda_address, const void *, size_t, cuda_stream))             \
    X(cuMemcpyDtoHAsync_v2, download, (void *, cuda_address, size_t, cuda_stream))                 \
    X(cuStreamCreate, stream_create, (cuda_stream *, unsigned))                                    \
    X(cuStreamDestroy_v2, stream_destroy, (cuda_stream))                                           \
    X(cuStreamSynchronize, stream_wait, (cuda_stream))                                             \
    X(cuLaunchKernel, launch,                                                                      \
      (cuda_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,        \
       cuda_stream, void **, void **))

typedef struct cuda_driver {
    void *handle;
#define MEMBER(symbol, member, arguments) cuda_result(*member) arguments;
    CUDA_CALLS(MEMBER)
#undef MEMBER
} cuda_driver;

/* Opens the driver and looks for its calls; rejects one that is missing or too old, by a message that
 * names the setting. Zeroed: closed. */
PARE_NODISCARD pare_status cuda_driver_open(cuda_driver *out, pare_error *err);
void cuda_driver_close(cuda_driver *d);

/* The driver's name of a result, or its number in text (a buffer of 32). */
const char *cuda_result_name(const cuda_driver *d, cuda_result result, char *text);

#endif
