/* The input and output of a method. A method sees scaled features through a view and has no access
 * to files, names, raw units or the final classifier of pure selectors. */
#ifndef PARE_METHOD_METHOD_H
#define PARE_METHOD_METHOD_H

#include <math.h>

#include <pare/model.h>

#include "base/memory.h"
#include "base/settings.h"
#include "certify/certify.h"
#include "task/task.h"
#include "data/feature/terms.h"
#include "la/matrix.h"
#include "method/effort.h"

/* The part of the classes that the forced-in features do not explain, if the job's columns are
 * residuals: see select/partial.h. */
typedef struct fit_left {
    int64_t explained;   /* dimensions that the forced-in features explain, without the intercept */
    int64_t rank;        /* of the residuals of the class indicators, */
    const double *basis; /* n x rank, orthonormal: a raw column x has (basis_q'x)^2 along each */
} fit_left;

/* The view as it is; centred by `mean`; as it is, rounded to single precision. */
typedef enum gram_kind { GRAM_AS_IS, GRAM_CENTRED, GRAM_SINGLE, GRAM_KINDS } gram_kind;

/* Scores of all features by a filter by moments, or their separation for a method by_separation,
 * computed with the statistics; the method that takes them leaves NULL. */
typedef struct fit_scores {
    const struct method *m; /* of this method */
    double *score;          /* d, by mem_alloc */
} fit_scores;

typedef struct fit_job {
    const view *x;   /* imputed and scaled; a constant column reads as 0 everywhere */
    const view *raw; /* the same samples and features unscaled, imputed */
    const target *y;
    const double *weight;         /* n sample weights, or NULL */
    const double *offset;         /* n, added to the fitted values; NULL unless the method supports
                                     offsets */
    const all_settings *set;      /* as given; see fit_settings */
    const all_settings *selected; /* in a refit: those in effect in the selection, or NULL */
    bool standard;                /* every column has mean 0 and variance 1 under the weights */
    int64_t k;            /* number of features, without the forced-in ones; 0: not given. A hint:
                             the caller picks the features */
    double budget;        /* above 0: the most that their costs may sum to; k is then an upper
                             bound */
    const fit_left *left; /* or NULL: the columns are the features themselves, not residuals */
    feature_terms terms;  /* costs, groups, forced-in features, per base column of x */
    /* Per base column its mean in raw units, where an intercept absorbs any shift of the samples
       and the view's columns are not centred yet; NULL: they are not to be centred. */
    const double *mean;
    gram_kind of_gram;   /* what fit_gram is of */
    const double *gram;  /* X X' (n x n) if the caller has it already, or NULL: see fit_gram */
    const double *given; /* refit of a two-stage method, per base column: the result of its first
                            stage */
    const double *start; /* the dual of a similar fit of the same method, or NULL */
    fit_scores *scored;  /* of this job, or NULL */
    bool refit;          /* the columns are chosen already: fit the predictor to them */
    const struct monomial_list *monomials; /* that the columns of x's matrix are, or NULL */
    bool auto_ridge; /* hard margins on inseparable data: adds a small ridge instead of failing */
} fit_job;

/* What a method derives a data set from. */
typedef struct expand_job {
    const pare_data *data;
    const all_settings *set;
    const target *y; /* of its samples */
    bool whole;      /* the fit is on all of them: what is derived may depend on y */
    /* For a check: the derived columns that a model uses, ascending; NULL: a fit. */
    const int64_t *used;
    int64_t n_used;
} expand_job;

/* A kernel predictor in scaled units: f = sum_i U_i k(x_i, x) + b over the columns of the support,
 * k(u, v) = exp(-gamma |u - v|^2) (rbf) or (gamma u'v + coef0)^degree (poly); or, over all columns
 * of the job, sum_j weights_j k_j(u_j, v_j) with k_j = exp(-gammas_j (u_j - v_j)^2) (rbf) or
 * [u_j = v_j] (delta). */
typedef struct fit_kernel {
    char type[CHOICE_SIZE];
    double gamma, degree, coef0;
    double *gammas, *weights; /* one per column of the job, or NULL */
    double *U;                /* n x n_outputs */
} fit_kernel;

/* Grown by fit_path_point and fit_path_row; each array is allocated by itself, not from the
 * arena. */
typedef struct fit_path {
    int64_t count, outputs, rows; /* points, outputs of each, rows of all */
    pare_lambda_point *point;
    double *b;      /* outputs per point */
    int64_t *start; /* per point: its first row */
    int64_t *index; /* per row: the view column */
    double *coef;   /* outputs per row */
    int64_t point_capacity, row_capacity;
    bool plain; /* weights of kernels: they have no units */
} fit_path;

typedef struct fit_result {
    arena mem;        /* all arrays below */
    all_settings set; /* in effect, with automatic values resolved */
    strings notes;

    /* Every method: all d view columns, best first, and the score of each column. */
    int64_t *ranking;
    int64_t first; /* set by the caller: only so many are needed in order, the others may follow in
                      any order; 0: all are needed */
    double *score;
    double *p; /* p-values of the columns, or NULL */

    /* Methods with a predictor: the columns it uses and its weights, in scaled units. n_outputs is
       0 for pure selectors, which may have a support all the same: its size is the default k. */
    int64_t n_support;
    int64_t *support; /* in the order of the ranking */
    bool wider;       /* the solution uses further features, which are too weak to be selected: the
                         predictor is a refit on the support */
    int64_t n_outputs;
    double *W;          /* n_support x n_outputs */
    double *b;          /* n_outputs */
    fit_kernel *kernel; /* instead of W, or NULL */

    int64_t n_dual; /* n x n_dual, in the order and signs that certify expects */
    double *dual;
    /* The problem that objective and dual belong to, where it is not on all columns: its columns,
       and the factor of each. NULL: all, ones. */
    int64_t n_cols;
    int64_t *cols;
    double *z;
    /* How the predictor decides: by its outputs; by votes, with one output for every pair of
       classes (class_pair), positive for the last of them; or by the nearest training sample in the
       space of the outputs or of the features themselves (then W and b are unused zeros). */
    enum { BY_OUTPUTS = 0, BY_PAIRS, BY_MAPPED_NEIGHBOUR, BY_RAW_NEIGHBOUR } decides;
    /* The solution of the selection problem where the dual does not determine it (linear programs):
       columns, weights (n_point x outputs) and intercepts, in scaled units. NULL: none. */
    int64_t n_point;
    int64_t *point;
    double *point_W, *point_b;
    double objective; /* NaN: none; the reported one is recomputed by certify */
    pare_outcome outcome;
    int64_t iterations;

    int64_t limit; /* no more features (groups) can be taken than this; 0: any number */

    /* With k given: no lambda selects more features than this, and any larger k below the number of
       features gives the same result; 0: not known. */
    int64_t most;

    /* The path over lambda of a method with setting `sweep`, in scaled units. */
    fit_path path;
} fit_result;

void fit_result_init(fit_result *r, const pare_ctx *ctx);
void fit_result_free(fit_result *r);
/* Starts r->set: the settings given, in a refit with the automatic values that the selection
 * resolved. The method writes the remaining automatic values into it. */
all_settings *fit_settings(fit_result *r, const fit_job *job);
/* Adds a note for the user. */
__attribute__((format(printf, 3, 4))) pare_status fit_note(fit_result *r, pare_error *err,
                                                           const char *format, ...);

/* Starts the next point, with the intercepts b (c, the same for all) of its outputs; then adds each
 * feature j of it with c weights, `stride` apart (NULL: zeros, to be filled in). */
PARE_NODISCARD pare_status fit_path_point(fit_result *r, pare_lambda_point point, int64_t c,
                                          const double *b, pare_error *err);
PARE_NODISCARD pare_status fit_path_row(fit_result *r, int64_t j, const double *w, int64_t stride,
                                        pare_error *err);
/* The i-th of `count` lambdas from lambda_max down to the share `least` of it, in equal ratios. */
double fit_path_lambda(double lambda_max, double least, int64_t i, int64_t count);
/* Whether lambda is one of them, to the bit. */
bool fit_path_has(double lambda, double lambda_max, double least, int64_t count);

/* The score of view column j per cost; a score below 0 gets worse with the cost as well. */
double fit_per_cost(const fit_job *job, int64_t j, double score);
/* cost^power of every view column, from the arena; NULL: out of memory. */
double *fit_cost_factors(arena *mem, const fit_job *job, double power);

/* The sign of every view column, from the arena; *out NULL: there are none. */
PARE_NODISCARD pare_status fit_signs(const signed char **out, arena *mem, const fit_job *job,
                                     pare_error *err);
/* The price of a coefficient of 0 with that sign, by x'U. */
static inline double fit_sign_price(int sign, double x) {
    return sign == 0 ? x : fmax(sign * x, 0);
}

/* n numbers from the arena: the weights, or ones where they are NULL. total (unless NULL): their
 * sum, which counts as the number of samples. NULL: out of memory. */
double *fit_weights(arena *mem, const double *weight, int64_t n, double *total);

/* The job's view with every column centred, for models that do not depend on a common shift of the
 * samples (an intercept; linear and rbf kernels): the Gram matrix of raw intensities would lose
 * digits to cancellation. Sparse and standardised data stay as they are. */
view fit_centred(const fit_job *job);
/* The shift of view column j by that, in scaled units. */
double fit_moved(const fit_job *job, int64_t j);

/* K = X X' (n x n) of the job's view, centred or not: the job's own Gram if it has one, or a pass
 * over X. */
PARE_NODISCARD pare_status fit_gram(const fit_job *job, bool centred, double *K,
                                    const pare_ctx *ctx, pare_error *err);

/* The full ranking: score descending, ties by lowest index; sets r->ranking from r->score. */
PARE_NODISCARD pare_status fit_rank(fit_result *r, int64_t d, pare_error *err);
/* The same for the features that are needed in order (r->first) and the support. */
PARE_NODISCARD pare_status fit_rank_first(fit_result *r, int64_t d, pare_error *err);
/* Fills r->score (d) from job->scored and takes them; returns false if there are none. */
bool fit_take_scores(fit_result *r, fit_scores *from, int64_t d);
/* Given W over all d columns (d x c): scores are row norms, the support is the columns with a
 * non-zero row, and r->W keeps those rows only. */
PARE_NODISCARD pare_status fit_support(fit_result *r, const double *W, int64_t d, int64_t c,
                                       pare_error *err);

/* Ranks columns of score 0 behind the active ones by price: their score becomes price - 1, which is
 * at most 0 for the prices of an optimal dual, |X_j'u| / cost_j <= 1. price: d. */
void fit_score_eliminated(fit_result *r, const double *price, int64_t d);
PARE_NODISCARD pare_status fit_support_priced(fit_result *r, const double *W, const double *price,
                                              int64_t d, int64_t c, pare_error *err);

/* Fits one method; the caller frees the result, also after a failure. */
typedef pare_status method_fit(fit_result *r, const fit_job *job, const pare_ctx *ctx,
                               pare_error *err);

/* A path along a parameter of the method itself: one point per value, ordered so that the number of
 * features grows. */
typedef struct along_points {
    const all_settings *set;
    int64_t count;
    const double *value;
    int64_t *used; /* out: features selected at each */
    /* out, or NULL: the features of point s and their weights (or NULL), from pick_start[s] on,
     * where they fit before pick_start[s + 1]. */
    int64_t *picks;
    double *z;
    const int64_t *pick_start;
    const bool *want;    /* count: the points to keep and score; NULL: all */
    double *F;           /* out, count x (n_test x outputs); NULL: not wanted */
    int64_t unconverged; /* out */
} along_points;

/* Keeps the used[s] features of point s and their weights (NULL: ones), if they are wanted. */
void along_keep(along_points *points, int64_t s, const int64_t *cols, const double *z);
/* The same for a linear point: features S (count), weights W (count x c) and intercepts b; and its
 * decision values, where they are wanted. */
PARE_NODISCARD pare_status along_give(along_points *points, int64_t s, const view *test,
                                      const int64_t *S, int64_t count, const double *W,
                                      const double *b, int64_t c, const pare_ctx *ctx,
                                      pare_error *err);

/* The parameter of a path, by the settings of the method's own group: how many values, and what they
 * are (out may be NULL); and `set` made the settings of a fit at one of them. */
typedef struct along_axis {
    const char *name;
    int64_t (*values)(double *out, const all_settings *set, const struct method *m);
    void (*set)(all_settings *set, const struct method *m, double value);
} along_axis;

/* Shares of lambda_max in equal ratios (lambda_count, lambda_least); p from p_start down in steps of
 * p_step. */
extern const along_axis along_shares, along_powers;

typedef struct method_along {
    const along_axis *axis;
    /* The path for job->set on the samples of the job. */
    pare_status (*run)(along_points *, const fit_job *, const view *test, const pare_ctx *,
                       pare_error *);
    /* Or one path for the settings of each of `paths` points, where they share work: the job's are
       not read. All have the same values. */
    pare_status (*run_together)(along_points *, int64_t paths, const fit_job *, const view *test,
                                const pare_ctx *, pare_error *);
} method_along;

/* The paths of m for the settings of each of `paths` points. */
PARE_NODISCARD pare_status along_run(const struct method *m, along_points *points, int64_t paths,
                                     const fit_job *job, const view *test, const pare_ctx *ctx,
                                     pare_error *err);

/* A solver of points along the same parameter that keeps its state from value to value. `at` gives
 * the problem's solution: ranking, support, cols, z and dual. The job must outlive it. */
typedef struct method_walk {
    pare_status (*open)(void **solver, const fit_job *, const pare_ctx *, pare_error *);
    pare_status (*at)(void *solver, double value, fit_result *r, const pare_ctx *, pare_error *);
    pare_status (*close)(void *solver, pare_status status, const pare_ctx *, pare_error *);
} method_walk;

/* How a method uses the costs of features. */
typedef enum cost_use {
    COST_SCORES = 0, /* not in the fit: scores are divided by them */
    COST_DIVIDES,    /* as weights of a penalty that is a norm: the method sees every column divided
                        by its cost */
    COST_WEIGHS      /* as weights that the method reads from its job */
} cost_use;

/* How the score of a feature group is computed. */
typedef enum group_use {
    GROUPS_NORM = 0, /* norm of its features' scores, for scores that are weights */
    GROUPS_MEAN,     /* mean of them, for tests of each feature by itself */
    GROUPS_BEST      /* the best of them, for scores that are positions in an order */
} group_use;

/* A row of the registry. */
typedef struct method {
    const char *name;
    settings_group group;
    unsigned tasks;    /* of task_kind */
    bool selects_only; /* no predictor of its own: is followed by --classifier */
    bool shrunken;     /* its penalty shrinks its predictor: see ends_in_classifier */
    bool from_gram;    /* its fit starts from fit_gram */
    bool single_gram;  /* with very many standardised features, single precision suffices for that;
                          only for methods that select */
    bool needs_k;      /* solves for one k: its ranking serves no other k; the same holds for a
                          method whose setting exact_k is true (solves_for_k) */
    bool stepwise;     /* selects or eliminates features step by step: costs are in each choice */
    bool nested;       /* the ranking for a smaller k begins that for a larger one */
    int64_t turns_at;  /* above 0: sizes up to it are one run of a path, larger ones another */
    bool sees_raw;     /* reads raw values, whatever the scaling */
    bool neighbours;   /* uses nearest samples: duplicates of a sample would displace its other
                          neighbours */
    bool univariate;   /* scores each feature by itself, from its values and the target */
    bool standardised; /* scores of all features have the same null distribution, whatever their
                          values */
    bool counts;       /* rejects negative values */
    bool ranks_none;   /* uses all features alike and ranks none */
    const char *final; /* the method that follows instead of --classifier, or NULL */
    const char *final_regress; /* the same where the task is regression */
    bool scales;               /* a regression whose features are scaled by default */
    bool shift_free;           /* wants raw columns centred if an intercept absorbs the shift */
    bool no_dual;              /* its certificate needs none */
    bool offsets;              /* supports offsets */
    bool keeps; /* supports forced-in features, unpenalised; other methods are fitted to residuals:
                   see select/partial.h */
    bool keeps_all;          /* also where none is left to choose from */
    bool signs;              /* coefficients may be limited to a sign, or 0 */
    const char *cannot_keep; /* why no features can be forced in; NULL: they can */
    cost_use cost;
    group_use groups;
    bool groups_own;          /* its problem contains the groups, and k counts them in its fit */
    const char *cannot_group; /* why groups are rejected; NULL: they are supported */
    /* The outcome of a selection (or of its own predictor) that ran to its end: optimal, or
       stationary (not convex), computed (a formula), greedy (a search without guarantee). */
    pare_outcome done;
    bool has_certificate; /* convex as a whole: a duality gap within the tolerance certifies it
                                 solved */
    bool exact;           /* solved to rounding: a setting `tol` has another meaning */
    bool log_odds;        /* its outputs are log odds of the classes, if too sure ones */
    bool likelihood;      /* they are those of a penalised likelihood: probabilities without
                             calibration */
    const struct method
        *relaxed;      /* what follows on the chosen features with `refit` relaxed, or NULL */
    bool relaxes;      /* that is its predictor wherever a number of features is requested */
    bool sums_kernels; /* its predictor uses a weighted sum of single features' kernels */
    bool two_stage;    /* the same, and the predictor's problem differs from the selection's: it is
                          fitted by a refit */
    method_fit *fit;
    /* A filter whose score of a feature follows from its moments in each class: see
       method/filter/filter.h. */
    const struct filter_kind *by_moments;
    bool by_separation;    /* begins with the variance of the class means over that within classes
                           (asinh_classes), on its own pass where there are no fit_scores */
    method_effort *effort; /* duration of a fit, for methods that can be slow; or NULL */
    /* Certifies the method's own problem; NULL: no certificate. */
    cert_method *certify;
    /* Derives a data set of its own from the data before the fit; NULL: none. */
    pare_status (*expand)(pare_data **, const expand_job *, const pare_ctx *, pare_error *);
    const char *summary, *problem, *citation;
    /* The grid of --tune: a setting's name and its values, blank-separated; several settings with a
       comma between them: every combination. "": nothing. NULL: lambda_ratio where there is one,
       else nothing. The grid of a final classifier is added. */
    const char *tune;
    /* Settings of its own that it passes on to the final classifier of that name, blank-separated;
       a fixed value instead: "name=word". */
    struct {
        const char *to, *settings;
    } passes_settings;
    /* Which of its settings --classifier-C and --classifier-ridge (above 0) set if it is the final
       classifier; NULL: none. */
    const char *as_C, *as_ridge;
    const method_along *along; /* or NULL */
    const method_walk *walk;   /* for the junctures of that path, or NULL */
} method;

/* One per method, each in the file of its name. */
method_fit svm_fit;
method_fit corr_fit;
method_fit t_test_fit;
method_fit anova_fit;
method_fit fisher_fit;
method_fit chi2_fit;
method_fit kruskal_fit;
method_fit gini_fit;
method_fit info_gain_fit;
method_fit mutual_info_fit;
method_fit laplacian_fit;
method_fit spectrum_fit;
method_fit relieff_fit;
method_fit mrmr_fit;
method_fit l2_arom_fit;
method_fit l1_arom_fit;
method_fit poly_arom_fit;
method_fit svm_rfe_fit;
method_fit r2w2_fit;
method_fit l1_svm_fit;
method_fit l1_svm_path_fit;
method_fit fsv_fit;
method_fit llna_fit;
method_fit plna_fit;
method_fit lstsq_fit;
method_fit best_subset_fit;
method_fit dlsr_fit;
method_fit dlsr_fs_fit;
method_fit lsr_fit;
method_fit lda_fit;
method_fit lda_forward_fit;
method_fit shrunken_lda_fit;
method_fit ridge_logistic_fit;
method_fit relaxed_lasso_fit;
method_fit relaxed_logistic_fit;
method_fit relaxed_cox_fit;
method_fit one_nn_fit;
method_fit inf_push_fit;
method_fit rank_svm_fit;
method_fit push_rfe_fit;
method_fit kta_fit;
method_fit uniform_fit;
method_fit bahsic_fit;
method_fit kta_centered_fit;
method_fit smo_mkl_fit;
method_fit lp_mkl_fit;
method_fit l1_mkl_path_fit;
method_fit lasso_fit;
method_fit logistic_fit;
method_fit sbmlr_fit;
method_fit cox_fit;
method_fit cox_score_fit;
method_fit cox_forward_fit;

/* The paths and walks that registry rows name, each in the file of its method. */
extern const method_along kta_along, smo_mkl_along, lp_mkl_along, l1_mkl_along, l1_svm_along,
    lasso_along, logistic_along, cox_along;
extern const method_walk lp_mkl_steps;

/* The same for filters by moments. */
extern const struct filter_kind corr_by_moments, t_test_by_moments, anova_by_moments,
    fisher_by_moments;

/* The efforts that registry rows name, each in the file of its method. */
method_effort svm_rfe_effort;
method_effort push_rfe_effort;
method_effort kta_effort;
method_effort kta_centered_effort;
method_effort uniform_effort;
method_effort bahsic_effort;
method_effort r2w2_effort;
method_effort relieff_effort;
method_effort plna_effort;
method_effort smo_mkl_effort;
method_effort lp_mkl_effort;
method_effort l1_mkl_path_effort;

PARE_NODISCARD pare_status poly_arom_expand(pare_data **out, const expand_job *job,
                                            const pare_ctx *ctx, pare_error *err);

#endif
