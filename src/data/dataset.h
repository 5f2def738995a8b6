/* The data set behind pare_data: what every method reads.
 *
 * A data set is immutable once its data_builder (data/builder.h) has handed it out: X, names, target
 * and all below stay as they are until pare_data_free, so that any number of threads may read it.
 * Only its checksum is stored later, by the first thread that computes it. The one exception is
 * data/replace.c: the public functions by which a caller replaces or drops parts of its own data
 * set, while no other thread uses it. */
#ifndef PARE_DATA_DATASET_H
#define PARE_DATA_DATASET_H

#include <pare/data.h>

#include "data/sample/target_column.h"
#include "data/strings.h"
#include "la/matrix.h"

/* What the numbers of a column stand for. */
typedef enum column_text {
    COLUMN_NUMBERS, /* themselves */
    COLUMN_TEXT,    /* one for each text */
    COLUMN_DATES,   /* one for each date or time */
    COLUMN_MIXED,   /* one for each text, most of which are numbers */
    COLUMN_OBJECTS  /* nothing: what it holds has no value as number or text */
} column_text;

typedef enum batch_method { BATCH_CENTER, BATCH_COMBAT } batch_method;
/* What becomes of a batch without training samples. */
typedef enum batch_unseen { UNSEEN_REFUSE, UNSEEN_POOLED, UNSEEN_ADAPT } batch_unseen;

struct pare_data {
    pare_allocator mem; /* all below comes from it */
    matrix x;
    bool may_lack_features; /* d = 0 is allowed: a model without features predicts on such data */
    strings names;          /* d, or empty: x1 .. xd */
    target_column target;   /* of n samples, or empty: no target */
    bool merge_case;        /* the read option: see task/labels.h */
    strings target_name;    /* that of its column, if that is known; or empty */
    strings ids;            /* n sample ids, or empty */
    strings id_name;        /* that of their column, if that is known; or empty */
    double *weight;         /* n sample weights >= 0, not all 0; or NULL */
    double *offset;         /* n numbers, or NULL: each is added to its sample's decision value */
    strings fold_group;     /* n: samples of equal text are in one fold; or empty */
    strings fold;           /* n: the fold of each sample, by name; or empty */
    strings batch;          /* n: the batch of each sample, by name; or empty */
    strings batch_column;   /* the name of its column or file, if that is known; or empty */
    batch_method batch_by;  /* how a fit adjusts them */
    batch_unseen unseen;    /* what becomes of one without training samples */
    strings groups;         /* d names of feature groups, or empty */
    double *cost;           /* d numbers above 0, or NULL: 1 each; see data/feature/terms.h */
    bool *kept;             /* d: forced in; or NULL: none is */
    signed char *sign;      /* d: 1 or -1: that of its coefficient, 0: either; or NULL: all are 0 */
    unsigned char
        *text;        /* d: a column_text, where the read option `describe` asked for it; or NULL */
    strings repeated; /* with `describe`: the names that got a number, as they repeat others */
    strings dropped;  /* names of dropped features: see data/feature/drop_columns.h */
    bool numbered;    /* the names are x1, x2, ... as before columns were dropped */
    bool shares_names, shares_groups, shares_terms; /* those lists belong to another data set */
    struct monomial_list *monomials; /* the columns are these of the monomials of other columns, see
                                        data/feature/monomials.h; or NULL */
    char x_written[65];              /* data_matrix_digest when it was written; or "" */
    struct kept_checksum *checksum;  /* see data/checksum.h */
};

/* The checks of data_finish, one by one. `whose` completes "that of": samples or features. */
PARE_NODISCARD pare_status data_check_shape(const pare_data *data, int64_t n, int64_t d,
                                            const char *where, pare_error *err);
PARE_NODISCARD pare_status data_check_list(const strings *list, int64_t expected, const char *what,
                                           const char *whose, const char *recode, const char *where,
                                           pare_error *err);
PARE_NODISCARD pare_status data_check_names(const strings *names, const pare_allocator *mem,
                                            bool in_file, const char *where, pare_error *err);
/* Times are finite and at least 0. */
PARE_NODISCARD pare_status data_check_times(const double *time, int64_t n, const char *where,
                                            pare_error *err);
PARE_NODISCARD pare_status data_check_weights(const double *weight, int64_t n, const char *where,
                                              pare_error *err);

/* One writer per format, into an open sink. */
struct sink;
pare_status write_csv(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_tsv(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_svmlight(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_npy(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_native(const pare_data *, struct sink *, const pare_ctx *, pare_error *);
pare_status write_mtx(const pare_data *, struct sink *, const pare_ctx *, pare_error *);

#endif
