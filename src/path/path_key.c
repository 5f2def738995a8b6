/* Everything that determines the results of a path, as one checksum: a checkpoint of another run is
 * not resumed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pare/version.h>

#include "base/sha256.h"
#include "path/path_setup.h"

static void hash_text(sha256 *h, const char *text) { sha256_update(h, text, strlen(text) + 1); }

static void hash_settings(sha256 *h, const all_settings *set, settings_group group) {
    for (int64_t i = 0; i < settings_count(group); i++) {
        setting_value v = settings_value(set, group, i);
        char text[128];
        snprintf(text, sizeof text, "%d %a %" PRId64 " %d", (int)v.is_auto, v.real, v.integer,
                 (int)v.flag);
        hash_text(h, v.name);
        hash_text(h, text);
        hash_text(h, v.text ? v.text : "");
    }
}

/* The checksum of the data covers their samples only. */
static void hash_terms(sha256 *h, const pare_data *data) {
    size_t d = (size_t)data->x.d;
    if (data->cost) hash_text(h, "cost"), sha256_update(h, data->cost, sizeof *data->cost * d);
    if (data->kept) hash_text(h, "kept"), sha256_update(h, data->kept, sizeof *data->kept * d);
    if (data->sign) hash_text(h, "sign"), sha256_update(h, data->sign, d);
    for (int64_t j = 0; j < data->groups.count; j++) hash_text(h, strings_at(&data->groups, j));
}

static void hash_batches(sha256 *h, const pare_data *data) {
    int rest[] = {(int)data->batch_by, (int)data->unseen};
    if (!data->batch.count) return;
    sha256_update(h, rest, sizeof rest);
    for (int64_t i = 0; i < data->batch.count; i++) hash_text(h, strings_at(&data->batch, i));
}

void path_key(char key[65], const pare_path *p) {
    const path_setup *s = &p->setup;
    sha256 h;
    unsigned char digest[32];
    sha256_init(&h);
    hash_text(&h, PARE_VERSION);
    hash_text(&h, p->sha256);
    hash_terms(&h, s->data);
    hash_batches(&h, s->data);
    sha256_update(&h, &s->seed, sizeof s->seed);
    sha256_update(&h, s->sizes, sizeof *s->sizes * (size_t)s->n_sizes);
    sha256_update(&h, &s->keeps_scores, sizeof s->keeps_scores);
    if (s->budget) sha256_update(&h, s->budget, sizeof *s->budget * (size_t)s->n_sizes);
    if (s->along) sha256_update(&h, s->along, sizeof *s->along * (size_t)s->n_sizes);
    if (s->n_summary > 0) sha256_update(&h, &s->at, sizeof s->at);
    for (int64_t m = 0; m < s->n_methods; m++) {
        hash_text(&h, s->method[m].name);
        for (int64_t g = 0; g < s->method[m].n_grid; g++)
            hash_settings(&h, &s->method[m].grid[g], s->method[m].m->group);
    }
    int64_t rest[] = {s->metric, (int64_t)s->rule, s->inner.folds, p->y.task->kind, p->plan.count};
    sha256_update(&h, rest, sizeof rest);
    sha256_update(&h, &s->tolerance, sizeof s->tolerance);
    if (s->inner.given) hash_text(&h, "inner cohorts");
    for (int64_t j = 0; j < p->plan.count; j++) {
        const cv_part *part = &p->plan.part[j];
        sha256_update(&h, &part->n_train, sizeof part->n_train);
        sha256_update(&h, part->train, sizeof *part->train * (size_t)part->n_train);
        sha256_update(&h, part->test, sizeof *part->test * (size_t)part->n_test);
    }
    sha256_final(&h, digest);
    sha256_hex(digest, key);
}
