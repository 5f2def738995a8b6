/* A data set that is being made: what every reader fills in, until data_finish hands it out. */
#ifndef PARE_DATA_BUILDER_H
#define PARE_DATA_BUILDER_H

#include "data/dataset.h"
#include "data/table/missing_codes.h"

/* X while it is read: doubles or smaller items in columns, or compressed sparse columns. */
typedef struct data_arrays {
    double *value; /* dense: n*d column-major; sparse: one per entry */
    void *items;   /* n*d column-major of type `item`; NULL: doubles */
    mat_item item;
    int64_t *col_ptr; /* sparse: d + 1; NULL: dense */
    int32_t *row;     /* sparse: one per entry */
} data_arrays;

typedef struct data_builder {
    pare_data *data;  /* nobody else has it yet. Lists go straight into it, n and d into its x as
                       * soon as they are known. NULL once it was handed out */
    data_arrays fill; /* X, unless a reader sets data->x to a matrix of its own kind */
    bool finite;      /* set by a reader whose numbers cannot be infinite: no check needed */
    const struct pare_ranks *ranks; /* the ranks that X is distributed over; or NULL */
    int64_t annotation_capacity[8]; /* see data/table/annotations.h */
    unsigned annotated;             /* a bit of each that was among the columns */
    const char *event_option;       /* of the read options */
    const char *event_value;        /* the end of that which is the event's value; or NULL */
    strings event;                  /* n texts, until data/sample/read_events.h */
    missing_codes na;               /* of features and targets, besides those that are known */
    bool drop_unlabelled;           /* a missing target is kept as an empty text, */
    bool unlabelled;                /* and one was */
    bool in_file;                   /* it is read from a file, so that read options can help */
    const char *recode;             /* what makes UTF-8 of a text that is not; or NULL */
    bool model;                     /* read for a model: see data/format/cell.h */
    struct {
        int64_t line, column; /* 0: there is none */
        bool sheet;
    } odd_target; /* the first that is missing if the others are numbers */
} data_builder;

/* Begins an empty data set that remembers the allocator. Whether this fails or not, data_abandon
 * must be called in the end. */
PARE_NODISCARD pare_status data_begin(data_builder *b, const pare_ctx *ctx, pare_error *err);

/* Frees all that was begun: nothing after data_finish or data_hand_out, or if *b is zeros. */
void data_abandon(data_builder *b);

/* Sets n and d and allocates fill.value, fill.items, or fill.value with col_ptr and row. Rejects
 * what the context's memory limit does not allow. `where` is the file's name for the message. */
PARE_NODISCARD pare_status data_alloc_dense(data_builder *b, int64_t n, int64_t d,
                                            const char *where, const pare_ctx *ctx,
                                            pare_error *err);
PARE_NODISCARD pare_status data_alloc_items(data_builder *b, int64_t n, int64_t d, mat_item item,
                                            const char *where, const pare_ctx *ctx,
                                            pare_error *err);
PARE_NODISCARD pare_status data_alloc_sparse(data_builder *b, int64_t n, int64_t d, int64_t entries,
                                             const char *where, const pare_ctx *ctx,
                                             pare_error *err);

/* The columns that this process reads when X stays in its file: all, or those of its rank. */
span data_own_columns(const data_builder *b, int64_t d);

/* Checks the memory limit only, for a reader that allocates its own arrays. */
PARE_NODISCARD pare_status data_check_memory(double bytes, const char *where, const pare_ctx *ctx,
                                             pare_error *err);

/* Copies of the caller's lists. what: "label" and so on. */
PARE_NODISCARD pare_status data_copy_texts(strings *list, const pare_allocator *mem,
                                           const char *const *from, int64_t count, const char *what,
                                           pare_error *err);
PARE_NODISCARD pare_status data_copy_values(target_column *out, const pare_allocator *mem,
                                            const double *from, int64_t count, pare_error *err);

/* For formats where a missing value is a NaN among numbers: rejects the first one, by sample and
 * feature. Needs n, d, names and the arrays; called before data_complete. */
PARE_NODISCARD pare_status data_refuse_missing(data_builder *b, const char *where, pare_error *err);

/* After a reader has set n and d (in x), filled arrays and strings, or set x itself to a matrix of
 * its own kind: makes x of the arrays, and rejects what no data set may be: n = 0, d = 0,
 * n >= 2^31, infinities, broken CSC arrays, duplicate names, bad weights, lists of the wrong
 * length. `where`: as above. */
PARE_NODISCARD pare_status data_complete(data_builder *b, const char *where, pare_error *err);

/* Keeps the samples rows[0 .. kept-1], ascending, of a complete data set. */
PARE_NODISCARD pare_status data_keep_samples(data_builder *b, const int32_t *rows, int64_t kept,
                                             pare_error *err);

/* For formats in which a target may be missing (an empty text): drops the samples without one, or
 * the whole target where all are missing, and logs it. After data_complete. */
PARE_NODISCARD pare_status data_drop_unlabelled(data_builder *b, const char *where,
                                                const pare_ctx *ctx, pare_error *err);

/* Hands out what is complete, or was made of parts of complete data: nothing is checked. Leaves the
 * builder empty. */
pare_data *data_hand_out(data_builder *b);

/* data_complete and data_hand_out. On failure *out is unchanged and the data stay in the builder. */
PARE_NODISCARD pare_status data_finish(pare_data **out, data_builder *b, const char *where,
                                       pare_error *err);

/* One reader per format, one file each; readers.c chooses. `s` is an open stream at its start. */
struct stream;
typedef pare_status (*data_reader)(data_builder *b, struct stream *s, const pare_read_options *o,
                                   const pare_ctx *ctx, pare_error *err);
pare_status read_csv(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_tsv(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_xlsx(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                      pare_error *);
pare_status read_rdata(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                       pare_error *);
pare_status read_svmlight(data_builder *, struct stream *, const pare_read_options *,
                          const pare_ctx *, pare_error *);
pare_status read_npy(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_npz(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_mtx(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_10x(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_native(data_builder *, struct stream *, const pare_read_options *,
                        const pare_ctx *, pare_error *);
pare_status read_hdf5(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                      pare_error *);
pare_status read_bed(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);
pare_status read_arff(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                      pare_error *);
pare_status read_mat(data_builder *, struct stream *, const pare_read_options *, const pare_ctx *,
                     pare_error *);

#endif
