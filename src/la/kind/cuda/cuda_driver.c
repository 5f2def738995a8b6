#include "la/kind/cuda/cuda_driver.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#ifdef __EMSCRIPTEN__
static void *library_open(void) { return NULL; }
static void *library_find(void *library, const char *symbol) {
    (void)library, (void)symbol;
    return NULL;
}
static void library_close(void *library) { (void)library; }
#else
#include <dlfcn.h>
static void *library_open(void) { return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); }
static void *library_find(void *library, const char *symbol) { return dlsym(library, symbol); }
static void library_close(void *library) { dlclose(library); }
#endif

enum { MIN_VERSION = 11000 }; /* CUDA 11.0 reads PTX 7.0 */

const char *cuda_result_name(const cuda_driver *d, cuda_result result, char *text) {
    const char *name = NULL;
    snprintf(text, 32, "error %d", result);
    return d->error_name && d->error_name(result, &name) == 0 && name ? name : text;
}

static pare_status find_calls(cuda_driver *out, pare_error *err) {
    static const struct {
        const char *symbol;
        size_t at;
    } calls[] = {
#define ROW(symbol, member, arguments) {#symbol, offsetof(cuda_driver, member)},
        CUDA_CALLS(ROW)};
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
        void *call = library_find(out->handle, calls[k].symbol);
        if (!call)
            return error_set(err, PARE_E_DEVICE,
                             "`device cuda`: NVIDIA's driver has no %s; it must be that of CUDA "
                             "11.0 (450.36) or later",
                             calls[k].symbol);
        memcpy((char *)out + calls[k].at, &call, sizeof call); /* no cast to a function in C */
    }
    return PARE_OK;
}

static pare_status check_version(const cuda_driver *d, pare_error *err) {
    int version = 0;
    char text[32];
    cuda_result result = d->init(0);
    if (result)
        return error_set(err, PARE_E_DEVICE,
                         "`device cuda`: NVIDIA's driver finds no GPU that it can use (%s); run "
                         "with `device cpu`",
                         cuda_result_name(d, result, text));
    result = d->version(&version);
    if (result == 0 && version >= MIN_VERSION) return PARE_OK;
    return error_set(
        err, PARE_E_DEVICE,
        "`device cuda`: NVIDIA's driver is that of CUDA %d.%d; it must be that of 11.0 "
        "(450.36) or later",
        version / 1000, version % 1000 / 10);
}

pare_status cuda_driver_open(cuda_driver *out, pare_error *err) {
    *out = (cuda_driver){.handle = library_open()};
    if (!out->handle)
        return error_set(
            err, PARE_E_DEVICE,
            "`device cuda`: this machine has no driver of NVIDIA's (libcuda.so.1 cannot "
            "be opened); install it, or run with `device cpu`");
    pare_status status = find_calls(out, err);
    if (status == PARE_OK) status = check_version(out, err);
    if (status != PARE_OK) cuda_driver_close(out);
    return status;
}

void cuda_driver_close(cuda_driver *d) {
    if (d->handle) library_close(d->handle);
    *d = (cuda_driver){0};
}
