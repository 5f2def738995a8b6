/* All memory through an allocator of the program's own: one that counts, and may say no.
 *
 * Objects remember the allocator that made them, so it outlives them. Refusing memory is an error
 * with a status of its own, and leaves nothing behind. Build:
 *     cc allocator.c $(pkg-config --cflags --libs pare) */
#include <stdio.h>
#include <stdlib.h>

#include <pare/pare.h>

typedef struct counter {
    long blocks, most, limit; /* living now, at most, allowed; limit 0: any */
} counter;

static void *count_alloc(void *user, size_t bytes) {
    counter *c = user;
    if (c->limit > 0 && c->blocks >= c->limit) return NULL;
    void *block = malloc(bytes ? bytes : 1);
    if (block && ++c->blocks > c->most) c->most = c->blocks;
    return block;
}

static void *count_resize(void *user, void *block, size_t bytes) {
    return block ? realloc(block, bytes ? bytes : 1) : count_alloc(user, bytes);
}

static void count_release(void *user, void *block) {
    counter *c = user;
    if (!block) return;
    c->blocks--;
    free(block);
}

static pare_status fit_once(const pare_ctx *ctx, pare_error *err) {
    static const double x[] = {1, 2, 3, 4, 5, 6, 2, 1, 2, 1, 2, 1}; /* 6 x 2, column by column */
    static const double y[] = {1.1, 1.9, 3.2, 3.9, 5.1, 6.0};
    pare_data *data = NULL;
    pare_settings *settings = NULL;
    pare_model *model = NULL;
    pare_status status = pare_data_dense(&data, 6, 2, x, NULL, NULL, y, ctx, err);
    if (status == PARE_OK) status = pare_settings_new(&settings, "llna", ctx, err);
    if (status == PARE_OK) status = pare_fit(&model, data, settings, ctx, err);
    if (status == PARE_OK)
        printf("y = %.2f x1 + ...\n",
               pare_model_get(model)->n_selected ? pare_model_get(model)->coef[0] : 0);
    pare_model_free(model);
    pare_settings_free(settings);
    pare_data_free(data);
    return status;
}

int main(void) {
    counter c = {0, 0, 0};
    pare_ctx ctx;
    pare_error err;
    pare_ctx_init(&ctx);
    ctx.allocator = (pare_allocator){count_alloc, count_resize, count_release, &c};
    if (fit_once(&ctx, &err) != PARE_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("at most %ld blocks, %ld left\n", c.most, c.blocks);
    c.limit = 5;
    pare_status status = fit_once(&ctx, &err);
    printf("with 5: %s (%s), %ld left\n", err.message, pare_status_name(status), c.blocks);
    return status == PARE_E_MEMORY && c.blocks == 0 ? 0 : 1;
}
