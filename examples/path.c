/* A nested cross-validated selection curve with progress, what to quote of it, and stopping it.
 *
 * Two methods are compared on the same folds; the progress callback shows how far they are and may
 * stop the run, which then still holds every fold that was finished. Build:
 *     cc path.c $(pkg-config --cflags --libs pare) */
#include <stdio.h>
#include <string.h>

#include <pare/pare.h>

static const char csv[] = "a,b,c,d,class\n"
                          "1,5,2,0,x\n2,1,3,1,y\n1,4,1,0,x\n3,1,2,1,y\n0,5,3,1,x\n2,2,2,0,y\n"
                          "1,6,1,1,x\n3,0,3,0,y\n0,4,2,1,x\n2,1,1,1,y\n1,5,3,0,x\n3,2,1,0,y\n";

typedef struct watcher {
    int calls;
    int most; /* stop at this call; 0: never */
} watcher;

static int watch(void *user, const char *stage, double fraction) {
    watcher *w = user;
    if (w->calls++ == 0)
        printf("%s begins at %.0f%%\n", stage, 100 * (fraction > 0 ? fraction : 0));
    return w->most > 0 && w->calls >= w->most;
}

static void show(const pare_path *path) {
    char *headline;
    for (int64_t m = 0; m < pare_path_rows(path, "runs", 0); m++) {
        printf("%s, %.0f of %lld parts:", pare_path_text(path, "runs", "method", 0, m),
               pare_path_number(path, "runs", "folds_done", 0, m),
               (long long)pare_path_n_parts(path));
        for (int64_t s = 0; s < pare_path_rows(path, "points", m); s++)
            printf("  %.0f: %.2f", pare_path_number(path, "points", "n_features", m, s),
                   pare_path_number(path, "points", "mean", m, s));
        printf("\n");
        if (pare_path_headline(&headline, path, m, NULL, NULL)) continue;
        fputs(headline, stdout);
        pare_text_free(headline, NULL);
    }
}

int main(void) {
    pare_ctx ctx;
    pare_read_options how;
    pare_path_options options;
    pare_data *data = NULL;
    pare_settings *method[2] = {NULL, NULL};
    pare_path *path = NULL;
    pare_error err;
    watcher w = {0, 0};
    int32_t fold[12];
    int code = 1;

    pare_ctx_init(&ctx);
    ctx.threads = 1; /* never changes a result, but here the moment at which it stops */
    ctx.progress = watch;
    ctx.user = &w;
    pare_read_options_init(&how);
    how.format = "csv";
    pare_path_options_init(&options);
    options.sizes = "1,2,4";
    options.fold_of = fold;
    for (int i = 0; i < 12; i++) fold[i] = i / 4;

    if (pare_data_read_memory(&data, csv, strlen(csv), &how, NULL, &err) ||
        pare_settings_new(&method[0], "corr", NULL, &err) ||
        pare_settings_new(&method[1], "svm-rfe", NULL, &err) ||
        pare_path_run(&path, data, (const pare_settings *const *)method, 2, &options, &ctx, &err))
        goto failed;
    show(path);
    pare_path_free(path);
    path = NULL;

    /* Stopped at the first call: nothing was finished, which is an error of its own kind. */
    w = (watcher){0, 1};
    if (pare_path_run(&path, data, (const pare_settings *const *)method, 2, &options, &ctx, &err) !=
        PARE_E_CANCELLED)
        goto failed;
    printf("stopped: %s\n", err.message);
    code = 0;
    goto done;

failed:
    fprintf(stderr, "%s\n", err.message);
done:
    pare_path_free(path);
    pare_settings_free(method[0]);
    pare_settings_free(method[1]);
    pare_data_free(data);
    return code;
}
