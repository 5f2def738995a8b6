/* The data set behind pare_data: what every reader fills in and every method reads. */
#ifndef PARE_DATA_DATASET_H
#define PARE_DATA_DATASET_H

#include <pare/data.h>

#include "data/sample/target_column.h"
#include "data/strings.h"
#include "la/matrix.h"

/* X while it is read: doubles or smaller items in columns, or compressed sparse columns. */
typedef struct data_arrays {
    double *value; /* dense: n*d column-major; sparse: one per entry */
    void *items;   /* n*d column-major of type `item`; NULL: doubles */
    mat_item item;
    int64_t *col_ptr; /* sparse: d + 1; NULL: dense */
    int32_t *row;     /* sparse: one per entry */
} data_arrays;

struct pare_data {
    pare_allocator mem; /* all below comes from it */
    matrix x;           /* from data_finish on; n and d as soon as they are known */
    data_arrays fill;   /* what a reader fills in until then */
    bool finite;        /* set by a reader whose numbers cannot be infinite: no check needed */
    const struct pare_ranks
        *ranks;             /* while X is read: the ranks that it is distributed over; or NULL */
    bool may_lack_features; /* d = 0 is allowed: a model without features predicts on such data */
    strings names;          /* d, or empty: x1 .. xd */
    target_column target;   /* of n samples, or empty: no target */
    strings ids;            /* n sample ids, or empty */
    double *weight;         /* n sample weights >= 0, not all 0; or NULL */
    double *offset;         /* n numbers, or NULL: each is added to its sample's decision value */
    strings fold_group;     /* n: samples of equal text are in one fold; or empty */
    strings fold;           /* n: the fold of each sample, by name; or empty */
    int64_t annotation_capacity[4]; /* while a reader fills them: see data/table/annotations.h */
    strings groups;                 /* d names of feature groups, or empty */
    double *cost;    /* d numbers above 0, or NULL: 1 each; see data/feature/terms.h */
    bool *kept;      /* d: forced in; or NULL: none is */
    strings dropped; /* names of dropped features: see data/feature/drop_columns.h */
    bool numbered;   /* the names are x1, x2, ... as before columns were dropped */
    bool shares_names, shares_groups, shares_terms; /* those lists belong to another data set */
    char x_written[65];             /* data_matrix_digest when it was written; or "" */
    struct kept_checksum *checksum; /* see data/checksum.h */
};

/* An empty data set that remembers the allocator; NULL when out of memory. */
pare_data *data_new(const pare_ctx *ctx);

/* Sets n and d and allocates fill.value, fill.items, or fill.value with col_ptr and row. Rejects
 * what the context's memory limit does not allow. `where` is the file's name for the message. */
PARE_NODISCARD pare_status data_alloc_dense(pare_data *data, int64_t n, int64_t d,
                                            const char *where, const pare_ctx *ctx,
                                            pare_error *err);
PARE_NODISCARD pare_status data_alloc_items(pare_data *data, int64_t n, int64_t d, mat_item item,
                                            const char *where, const pare_ctx *ctx,
                                            pare_error *err);
PARE_NODISCARD pare_status data_alloc_sparse(pare_data *data, int64_t n, int64_t d, int64_t entries,
                                             const char *where, const pare_ctx *ctx,
                                             pare_error *err);

/* The columns that this process reads when X stays in its file: all, or those of its rank. */
span data_own_columns(const pare_data *data, int64_t d);

/* Checks the memory limit only, for a reader that allocates its own arrays. */
PARE_NODISCARD pare_status data_check_memory(double bytes, const char *where, const pare_ctx *ctx,
                                             pare_error *err);

/* After a reader has set n and d (in x), filled arrays and strings, or set x itself to a matrix of
 * its own kind: makes x of the arrays, and rejects what no data set may be: n = 0, d = 0,
 * n >= 2^31, infinities, broken CSC arrays, duplicate names, bad weights, lists of the wrong
 * length. `where`: as above. */
PARE_NODISCARD pare_status data_finish(pare_data *data, const char *where, pare_error *err);

/* The checks of data_finish, one by one. `whose` completes "that of": samples or features. */
PARE_NODISCARD pare_status data_check_shape(const pare_data *data, int64_t n, int64_t d,
                                            const char *where, pare_error *err);
PARE_NODISCARD pare_status data_check_list(const strings *list, int64_t expected, const char *what,
                                           const char *whose, const char *where, pare_error *err);
PARE_NODISCARD pare_status data_check_names(const strings *names, const pare_allocator *mem,
                                            const char *where, pare_error *err);
PARE_NODISCARD pare_status data_check_weights(const double *weight, int64_t n, const char *where,
                                              pare_error *err);

/* For formats in which a target may be missing (an empty text): drops the samples without one, or
 * the whole target where all are missing, and logs it. */
PARE_NODISCARD pare_status data_drop_unlabelled(pare_data *data, const char *where,
                                                const pare_ctx *ctx, pare_error *err);

/* For formats where a missing value is a NaN among numbers: rejects the first one, by sample and
 * feature. Needs n, d, names and the arrays; called before data_finish. */
PARE_NODISCARD pare_status data_refuse_missing(pare_data *data, const char *where, pare_error *err);

/* One reader per format, one file each; readers.c chooses. `s` is an open stream at its start. */
struct stream;
typedef pare_status (*data_reader)(pare_data *data, struct stream *s, const pare_read_options *o,
                                   const pare_ctx *ctx, pare_error *err);
pare_status read_csv(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_tsv(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_svmlight(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                          pare_error *);
pare_status read_npy(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_npz(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_mtx(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_10x(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_native(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                        pare_error *);
pare_status read_hdf5(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                      pare_error *);
pare_status read_bed(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_arff(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                      pare_error *);
pare_status read_mat(pare_data *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);

/* One writer per format, into an open sink. */
struct sink;
pare_status write_csv(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_tsv(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_svmlight(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_npy(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_native(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_mtx(const pare_data *, struct sink *, const pare_ctx *, pare_error *);

#endif
