#include "registry.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "data/dataset.h"

#include "method/glm.h"
#include "method/kta.h"
#include "method/l1_svm_path.h"

#define ZERO_NORM                                                                                  \
    "J. Weston, A. Elisseeff, B. Schoelkopf, M. Tipping. Use of the zero-norm with linear models " \
    "and kernel methods. JMLR 3:1439-1461, 2003"
#define PARSIMONIOUS                                                                               \
    "P. S. Bradley, O. L. Mangasarian, J. B. Rosen. Parsimonious least norm approximation. "       \
    "Computational Optimization and Applications 11:5-21, 1998"

#define INFINITE_PUSH "A. Rakotomamonjy. Sparse support vector infinite push. ICML 2012"

#define DLSR                                                                                       \
    "S. Xiang, F. Nie, G. Meng, C. Pan, C. Zhang. Discriminative least squares regression for "    \
    "multiclass classification and feature selection. IEEE TNNLS 23:1738-1754, 2012"
#define LP_KTA                                                                                     \
    "P. Jawanpuria, M. Varma, J. S. Nath. On p-norm path following in multiple kernel learning "   \
    "for non-linear feature selection. ICML 2014"

/* What the features chosen by lasso and logistic end in with `refit` relaxed. */
static const method relaxed_lasso = {.name = "relaxed lasso",
                                     .group = GROUP_common,
                                     .tasks = TASK_REGRESSION,
                                     .no_dual = true,
                                     .exact = true,
                                     .offsets = true,
                                     .fit = relaxed_lasso_fit,
                                     .certify = certify_relaxed_lasso,
                                     .tune = ""};
static const method relaxed_logistic = {.name = "relaxed logistic",
                                        .group = GROUP_common,
                                        .tasks = TASK_BINARY | TASK_MULTICLASS,
                                        .proved = true,
                                        .offsets = true,
                                        .log_odds = true,
                                        .fit = relaxed_logistic_fit,
                                        .certify = certify_relaxed_logistic,
                                        .tune = ""};

static const method methods[] = {
    {.name = "svm",
     .group = GROUP_svm,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .from_gram = true,
     .as_C = "C",
     .as_ridge = "ridge",
     .fit = svm_fit,
     .proved = true,
     .certify = certify_svm,
     .summary = "linear support vector machine, features ranked by weight",
     .problem = "1/2 |w|^2 + C sum_i max(0, 1 - y_i (w'x_i + b))",
     .citation = ZERO_NORM,
     .tune = "C 0.01 0.1 1 10 100"},
    {.name = "corr",
     .group = GROUP_corr,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .fit = corr_fit,
     .summary = "correlation score of each feature on its own, then a classifier on the best",
     .problem = "(mean+ - mean-)^2 / (variance+ + variance-), several classes: mean over pairs",
     .citation = ZERO_NORM},
    {.name = "t-test",
     .group = GROUP_t_test,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .sees_raw = true,
     .fit = t_test_fit,
     .summary = "Welch's t-test of each feature on its own, then a classifier on the best",
     .problem = "|mean1 - mean2| / sqrt(variance1/n1 + variance2/n2), several classes: the largest "
                "of one against the rest",
     .citation = "B. L. Welch. The generalization of Student's problem when several different "
                 "population variances are involved. Biometrika 34:28-35, 1947"},
    {.name = "anova",
     .group = GROUP_anova,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION,
     .selects_only = true,
     .final_regress = "lstsq",
     .sees_raw = true,
     .fit = anova_fit,
     .summary = "F test of each feature on its own, then a predictor on the best",
     .problem =
         "variance between classes / variance within them; regression: r^2 / (1 - r^2) (n - 2)",
     .citation = "R. A. Fisher. Statistical methods for research workers, 1925"},
    {.name = "fisher",
     .group = GROUP_fisher,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .sees_raw = true,
     .fit = fisher_fit,
     .summary = "Fisher score of each feature on its own, then a classifier on the best",
     .problem = "sum_k n_k (m_k - m)^2 / sum_k n_k variance_k",
     .citation = "R. O. Duda, P. E. Hart, D. G. Stork. Pattern classification, 2001"},
    {.name = "chi2",
     .group = GROUP_chi2,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .counts = true,
     .sees_raw = true,
     .fit = chi2_fit,
     .summary = "chi-squared test of each count on its own, then a classifier on the best",
     .problem = "sum_k (sum in class k - expected)^2 / expected",
     .citation = "H. Liu, R. Setiono. Chi2: feature selection and discretization of numeric "
                 "attributes. ICTAI 1995"},
    {.name = "kruskal",
     .group = GROUP_kruskal,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .sees_raw = true,
     .fit = kruskal_fit,
     .summary = "Kruskal-Wallis test of each feature on its own, by ranks, then a classifier",
     .problem = "(n - 1) times the share of the ranks' variance that is between classes",
     .citation = "W. H. Kruskal, W. A. Wallis. Use of ranks in one-criterion variance analysis. "
                 "JASA 47:583-621, 1952"},
    {.name = "gini",
     .group = GROUP_gini,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .sees_raw = true,
     .fit = gini_fit,
     .summary = "what one cut of each feature gains in Gini impurity, then a classifier",
     .problem = "largest fall of 1 - sum_k p_k^2 by one cut",
     .citation = "L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone. Classification and "
                 "regression trees, 1984"},
    {.name = "info-gain",
     .group = GROUP_info_gain,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .sees_raw = true,
     .fit = info_gain_fit,
     .summary =
         "information in each feature's intervals, cut by description length, then a classifier",
     .problem = "H(y) - H(y | interval), Fayyad and Irani's cuts, nats",
     .citation = "U. M. Fayyad, K. B. Irani. Multi-interval discretization of continuous-valued "
                 "attributes for classification learning. IJCAI 1993"},
    {.name = "mutual-info",
     .group = GROUP_mutual_info,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION,
     .selects_only = true,
     .final_regress = "lstsq",
     .sees_raw = true,
     .fit = mutual_info_fit,
     .summary =
         "mutual information of each feature's quantile bins and the target, then a predictor",
     .problem = "sum_bk p_bk ln(p_bk / (p_b p_k)), nats",
     .citation = "T. M. Cover, J. A. Thomas. Elements of information theory, 1991"},
    {.name = "laplacian",
     .group = GROUP_laplacian,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION | TASK_NONE,
     .selects_only = true,
     .final_regress = "lstsq",
     .neighbours = true,
     .fit = laplacian_fit,
     .summary =
         "features that vary little between neighbouring samples, without looking at the target",
     .problem = "sum_edges S_ab (f_a - f_b)^2 / sum_a D_a (f_a - m)^2, the least first",
     .citation = "X. He, D. Cai, P. Niyogi. Laplacian score for feature selection. NIPS 2005"},
    {.name = "spectrum",
     .group = GROUP_spectrum,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION | TASK_NONE,
     .selects_only = true,
     .final_regress = "lstsq",
     .neighbours = true,
     .fit = spectrum_fit,
     .summary = "features that follow the spectrum of a graph of the samples, without the target",
     .problem =
         "f^'N f^ of the normalised Laplacian N, or how much of f^ its leading eigenvectors hold",
     .citation = "Z. Zhao, H. Liu. Spectral feature selection for supervised and unsupervised "
                 "learning. ICML 2007"},
    {.name = "relieff",
     .group = GROUP_relieff,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION,
     .selects_only = true,
     .final_regress = "lstsq",
     .neighbours = true,
     .sees_raw = true,
     .fit = relieff_fit,
     .summary = "features that differ between near samples of different classes and not within one",
     .problem =
         "mean over samples of |difference to nearest misses| - |difference to nearest hits|",
     .citation = "I. Kononenko. Estimating attributes: analysis and extensions of RELIEF. ECML "
                 "1994; M. Robnik-Sikonja, I. Kononenko. An adaptation of Relief for attribute "
                 "estimation in regression. ICML 1997"},
    {.name = "mrmr",
     .group = GROUP_mrmr,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION,
     .selects_only = true,
     .final_regress = "lstsq",
     .nested = true,
     .sees_raw = true,
     .fit = mrmr_fit,
     .summary = "features one by one, relevant to the target and not redundant with those before",
     .problem = "relevance_j - mean over the chosen s of redundancy_js, or their quotient",
     .citation =
         "H. Peng, F. Long, C. Ding. Feature selection based on mutual information: criteria of "
         "max-dependency, max-relevance, and min-redundancy. IEEE TPAMI 27:1226-1238, 2005",
     .tune = ""},
    {.name = "dlsr-fs",
     .group = GROUP_dlsr_fs,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = dlsr_fs_fit,
     .shrunken = true,
     .proved = true,
     .certify = certify_dlsr_fs,
     .summary = "row-sparse discriminative least squares: features for all classes at once",
     .problem = "sum_i |one-sided residuals of sample i|_2 + lambda sum_j |W^j|_2",
     .citation = DLSR,
     .tune = "lambda_ratio 0.02 0.05 0.1 0.2 0.5"},
    {.name = "dlsr",
     .group = GROUP_dlsr,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .as_ridge = "lambda",
     .fit = dlsr_fit,
     .proved = true,
     .certify = certify_dlsr,
     .summary = "discriminative least squares: one-sided squared residuals of class indicators",
     .problem = "sum of squared one-sided residuals + lambda |W|_F^2",
     .citation = DLSR,
     .tune = "lambda_ratio 0.0001 0.001 0.01 0.1 1"},
    {.name = "lsr",
     .group = GROUP_lsr,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = lsr_fit,
     .proved = true,
     .certify = certify_lsr,
     .summary = "regularised least squares on class indicators",
     .problem = "|X W + 1 t' - Y|_F^2 + lambda |W|_F^2",
     .citation = DLSR,
     .tune = "lambda_ratio 0.0001 0.001 0.01 0.1 1"},
    {.name = "lda",
     .group = GROUP_lda,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = lda_fit,
     .log_odds = true,
     .summary = "regularised linear discriminant analysis",
     .problem =
         "x'S m_k - m_k'S m_k / 2 + ln p_k with S = (covariance within classes + gamma I)^-1",
     .citation = DLSR,
     .tune = "gamma 0.0001 0.001 0.01 0.1 1 10"},
    {.name = "lda-forward",
     .group = GROUP_lda_forward,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .nested = true,
     .fit = lda_forward_fit,
     .summary = "features one by one, each the best beside those before it for a shrunken LDA",
     .problem = "mean over class pairs of Phi(-Mahalanobis distance / 2), correlation within "
                "classes shrunk to its diagonal",
     .citation = "greedy forward selection for linear discriminant analysis; shrinkage as in J. H. "
                 "Friedman. Regularized discriminant analysis. JASA 84:165-175, 1989",
     .tune = ""},
    {.name = "1nn",
     .group = GROUP_one_nn,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = one_nn_fit,
     .ranks_none = true,
     .summary = "the class of the nearest training sample, all features: the baseline",
     .problem = "argmin_i |x - x_i|_2 on the scaled features",
     .citation = DLSR},
    {.name = "l2-arom",
     .group = GROUP_l2_arom,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .from_gram = true,
     .fit = l2_arom_fit,
     .hands_on = {"svm", "multiclass"},
     .certify = certify_l2_arom,
     .summary = "zero-norm minimisation by SVMs on features rescaled again and again",
     .problem = "sum_j ln|w_j| subject to y_i (w'x_i + b) >= 1, by iterated 2-norm SVMs",
     .citation = ZERO_NORM},
    {.name = "svm-rfe",
     .group = GROUP_svm_rfe,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .from_gram = true,
     .fit = svm_rfe_fit,
     .hands_on = {"svm", "kernel gamma degree coef0"},
     .certify = certify_svm_rfe,
     .summary = "recursive elimination of the features with the least weight in an SVM",
     .problem = "1/2 |w|^2 + C sum_i max(0, 1 - y_i (w'x_i + b)) on ever fewer features",
     .citation = ZERO_NORM,
     .tune = "C 0.1 1 10"},
    {.name = "l1-svm",
     .shift_free = true,
     .group = GROUP_l1_svm,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .shrunken = true,
     .fit = l1_svm_fit,
     .proved = true,
     .certify = certify_l1_svm,
     .summary = "linear classifier with a sparse 1-norm penalty, a linear program",
     .problem = "mean_i max(0, 1 - y_i (w'x_i + b)) + lambda |w|_1; lambda 0: least |w|_1, hard "
                "margins",
     .citation = ZERO_NORM},
    {.name = "l1-svm-path",
     .group = GROUP_l1_svm_path,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .shrunken = true,
     .fit = l1_svm_path_fit,
     .certify = certify_l1_svm_path,
     .summary = "the whole exact path of l1-svm over lambda, and the point of it that leaves k",
     .problem = "mean_i max(0, 1 - y_i (w'x_i + b)) + lambda |w|_1 for every lambda",
     .citation = "J. Zhu, S. Rosset, T. Hastie, R. Tibshirani. 1-norm support vector machines. "
                 "NIPS 2003",
     .tune = "", /* lambda is what its path goes along */
     .along = &l1_svm_along},
    {.name = "logistic",
     .shift_free = true,
     .offsets = true,
     .group = GROUP_logistic,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .needs_k = true,
     .relaxed = &relaxed_logistic,
     .fit = logistic_fit,
     .log_odds = true,
     .proved = true,
     .certify = certify_logistic,
     .summary = "logistic and multinomial regression with a sparse penalty, and its path",
     .problem = "mean_i log loss + lambda (alpha |B|_1 + (1 - alpha)/2 |B|^2)",
     .citation =
         "J. Friedman, T. Hastie, R. Tibshirani. Regularization paths for generalized "
         "linear models via coordinate descent. Journal of Statistical Software 33(1), 2010",
     .tune = "alpha 1 0.7 0.4 0.1",
     .along = &logistic_along},
    {.name = "sbmlr",
     .shift_free = true,
     .no_dual = true,
     .log_odds = true,
     .offsets = true,
     .group = GROUP_sbmlr,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .fit = sbmlr_fit,
     .certify = certify_sbmlr,
     .summary = "sparse multinomial logistic regression with its penalty integrated out",
     .problem = "sum_i log loss + L ln sum |b|, L the number of coefficients that are not 0",
     .citation = "G. C. Cawley, N. L. C. Talbot, M. Girolami. Sparse multinomial logistic "
                 "regression via Bayesian L1 regularisation. NIPS 19:209-216, 2007",
     .tune = ""},
    {.name = "fsv",
     .shift_free = true,
     .group = GROUP_fsv,
     .tasks = TASK_BINARY,
     .selects_only = true,
     .fit = fsv_fit,
     .certify = certify_fsv,
     .summary = "feature selection by concave minimisation, linear program after linear program",
     .problem = "(1-lambda)(mean slack of + and of -) + lambda sum_j (1 - exp(-alpha |w_j|)), or "
                "hard margins",
     .citation = ZERO_NORM,
     .tune = "lambda 0.001 0.01 0.05 0.2"},
    {.name = "l1-arom",
     .shift_free = true,
     .group = GROUP_l1_arom,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .fit = l1_arom_fit,
     .hands_on = {"svm", "multiclass"},
     .certify = certify_l1_arom,
     .summary = "zero-norm minimisation by linear programs on features rescaled again and again",
     .problem = "sum_j ln|w_j| subject to y_i (w'x_i + b) >= 1, by iterated linear programs",
     .citation = ZERO_NORM},
    {.name = "r2w2",
     .group = GROUP_r2w2,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .from_gram = true,
     .fit = r2w2_fit,
     .hands_on = {"svm", "kernel gamma degree coef0"},
     .certify = certify_r2w2,
     .summary = "scales of the features that lower the radius-margin bound of an SVM",
     .problem = "R^2 |w|^2 over scales sigma of the features, |sigma|^2 = d, hard margins",
     .citation = ZERO_NORM},
    {.name = "inf-push",
     .group = GROUP_inf_push,
     .tasks = TASK_RANKING,
     .fit = inf_push_fit,
     .proved = true,
     .certify = certify_push,
     .summary = "ranking with as many positives as possible above every negative, few features",
     .problem = "mean_i max(0, 1 - w'x_i + max_j w'x_j) + lambda Omega(w), i positive, j negative",
     .citation = INFINITE_PUSH},
    {.name = "rank-svm",
     .group = GROUP_rank_svm,
     .tasks = TASK_RANKING,
     .fit = rank_svm_fit,
     .proved = true,
     .certify = certify_rank,
     .summary = "ranking with as many pairs as possible in order, few features",
     .problem = "mean over pairs of max(0, 1 - w'(x_i - x_j))^2 + lambda Omega(w)",
     .citation = "O. Chapelle, S. S. Keerthi. Efficient algorithms for ranking with SVMs. "
                 "Information Retrieval 13(3):201-215, 2010; penalties as in " INFINITE_PUSH},
    {.name = "kta",
     .group = GROUP_kta,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION,
     .two_stage = true,
     .fit = kta_fit,
     .proved = true,
     .certify = certify_kta,
     .summary = "non-linear selection by kernel-target alignment, then a machine on the kernels",
     .problem = "lambda1 B(eta) + lambda2 sum_j eta_j^p - sum_j eta_j y'K_j y, eta >= 0",
     .citation = LP_KTA,
     .tune = "C_ratio 1 10 100, lambda2_ratio 0.05 0.2 0.5, lambda1_ratio 0.1 0.5",
     .along = &kta_along},
    {.name = "uniform",
     .group = GROUP_uniform,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION,
     .two_stage = true,
     .fit = uniform_fit,
     .proved = true,
     .certify = certify_uniform,
     .summary = "all features' kernels with equal weights: what selection has to beat",
     .problem = "eta_j = 1/d for every feature, then a machine on sum_j eta_j K_j",
     .citation = LP_KTA,
     .tune = "C_ratio 0.1 1 10 100"},
    {.name = "kta-centered",
     .group = GROUP_kta_centered,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION,
     .two_stage = true,
     .fit = kta_centered_fit,
     .proved = true,
     .certify = certify_kta_centered,
     .summary = "weights of the features' kernels that align best with the target together",
     .problem = "maximise <K, T> / (|K| |T|), K = sum_j eta_j K_j centred, eta >= 0, |eta| = 1",
     .citation = "C. Cortes, M. Mohri, A. Rostamizadeh. Algorithms for learning kernels based on "
                 "centered alignment. JMLR 13:795-828, 2012",
     .tune = "C_ratio 0.1 1 10 100"},
    {.name = "bahsic",
     .group = GROUP_bahsic,
     .tasks = TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION,
     .selects_only = true,
     .final_regress = "lstsq",
     .fit = bahsic_fit,
     .hands_on = {"svm", "kernel gamma"},
     .certify = certify_bahsic,
     .summary = "backward elimination by dependence between features and target (HSIC)",
     .problem =
         "sum_ab L_ab K_ab over the features that are left, those go without which it is largest",
     .citation = "L. Song, A. Smola, A. Gretton, J. Bedo, K. Borgwardt. Feature selection via "
                 "dependence maximization. JMLR 13:1393-1434, 2012"},
    {.name = "llna",
     .group = GROUP_llna,
     .tasks = TASK_REGRESSION,
     .needs_k = true,
     .tune = "lambda auto 0.05 0.1 0.2 0.4 0.6",
     .fit = llna_fit,
     .proved = true,
     .certify = certify_llna,
     .summary = "least 1-norm error with a 1-norm penalty, and its whole lambda path",
     .problem = "(1 - lambda) sum_i w_i |a_i'x + b0 - b_i| + lambda |x|_1",
     .citation = PARSIMONIOUS},
    {.name = "plna",
     .group = GROUP_plna,
     .tasks = TASK_REGRESSION,
     .needs_k = true,
     .tune = "lambda auto 0.05 0.1 0.2 0.4 0.6",
     .fit = plna_fit,
     .certify = certify_plna,
     .summary = "least 1-norm error with few coefficients, by successive linearisation",
     .problem = "(1 - lambda) sum_i w_i |a_i'x + b0 - b_i| + lambda sum_j (1 - exp(-alpha |x_j|))",
     .citation = PARSIMONIOUS},
    {.name = "lasso",
     .shift_free = true,
     .scales = true,
     .offsets = true,
     .group = GROUP_lasso,
     .tasks = TASK_REGRESSION,
     .needs_k = true,
     .relaxed = &relaxed_lasso,
     .fit = lasso_fit,
     .proved = true,
     .certify = certify_lasso,
     .summary =
         "least squares with a sparse penalty: lasso, elastic net, group lasso, and its path",
     .problem = "1/(2n) |y - Xb - b0|^2 + lambda (alpha |b|_1 + (1 - alpha)/2 |b|^2)",
     .citation = "R. Tibshirani. Regression shrinkage and selection via the lasso. JRSS B "
                 "58:267-288, 1996",
     .tune = "alpha 1 0.7 0.4 0.1",
     .along = &lasso_along},
    {.name = "lstsq",
     .no_dual = true,
     .group = GROUP_lstsq,
     .tasks = TASK_REGRESSION,
     .fit = lstsq_fit,
     .exact = true,
     .certify = certify_lstsq,
     .tune = "tol 0.0001 0.01 0.1 1 10",
     .summary = "minimum-norm least squares by truncated singular values",
     .problem = "sum_i w_i (a_i'x + b0 - b_i)^2, then |x|_2",
     .citation = PARSIMONIOUS},
    {.name = "best-subset",
     .group = GROUP_best_subset,
     .tasks = TASK_REGRESSION,
     .needs_k = true,
     .fit = best_subset_fit,
     .certify = certify_best_subset,
     .summary = "the k features of least 1-norm error, by branch and bound",
     .problem = "sum_i w_i |a_i'x + b0 - b_i| with k nonzero x_j",
     .citation = PARSIMONIOUS},
    {.name = "poly-arom",
     .group = GROUP_poly_arom,
     .tasks = TASK_BINARY | TASK_MULTICLASS,
     .selects_only = true,
     .fit = poly_arom_fit,
     .hands_on = {"svm", "multiclass"},
     .certify = certify_poly_arom,
     .expand = poly_arom_expand,
     .summary = "zero-norm minimisation in the monomials of the features",
     .problem = "sum_j ln|w_j| over monomials of degree 1 to `degree`, by iterated 2-norm SVMs",
     .citation = ZERO_NORM},
    {.name = "push-rfe",
     .group = GROUP_push_rfe,
     .tasks = TASK_RANKING,
     .selects_only = true,
     .final = "inf-push",
     .fit = push_rfe_fit,
     .hands_on = {"inf-push", "penalty=l2 lambda lambda_ratio tol"},
     .summary = "recursive feature elimination on the l2 infinite push",
     .problem = "mean_i max(0, 1 - w'x_i + max_j w'x_j) + lambda/2 |w|^2, the least |w_j| goes",
     .citation = INFINITE_PUSH},
};
/* Final classifiers that are no methods by themselves and have no settings but the common ones. */
static const method classifiers[] = {{.name = "lda",
                                      .group = GROUP_common,
                                      .tasks = TASK_BINARY | TASK_MULTICLASS,
                                      .no_dual = true,
                                      .fit = shrunken_lda_fit,
                                      .log_odds = true,
                                      .certify = certify_shrunken_lda,
                                      .tune = ""},
                                     {.name = "logistic",
                                      .group = GROUP_common,
                                      .tasks = TASK_BINARY | TASK_MULTICLASS,
                                      .fit = ridge_logistic_fit,
                                      .log_odds = true,
                                      .certify = certify_ridge_logistic,
                                      .tune = ""}};
/* The choice for those who do not choose; a method of its own in a path alone. */
static const method automatic = {.name = "auto",
                                 .group = GROUP_automatic,
                                 .tasks =
                                     TASK_BINARY | TASK_MULTICLASS | TASK_RANKING | TASK_REGRESSION,
                                 .selects_only = true,
                                 .nested = true,
                                 .turns_at = AUTO_FEW,
                                 .fit = auto_fit,
                                 .tune = ""};
enum { N_METHODS = sizeof methods / sizeof methods[0] };

const method *method_of_group(settings_group group) {
    for (int i = 0; i < N_METHODS; i++)
        if (methods[i].group == group) return &methods[i];
    return group == GROUP_automatic ? &automatic : NULL;
}

const method *method_named(const char *name) {
    for (int i = 0; i < N_METHODS; i++)
        if (strcmp(methods[i].name, name) == 0) return &methods[i];
    return NULL;
}

const method *method_meant(const method *m, task_kind task, int64_t k) {
    if (m != &automatic) return m;
    if (task == TASK_REGRESSION) return method_named("lasso");
    if (task == TASK_RANKING) return method_named("inf-push");
    return method_named(k > AUTO_FEW ? "svm-rfe" : "lda-forward");
}

void settings_meant(all_settings *set, const method *m, const pare_data *data, task_kind task) {
    bool classes = task == TASK_BINARY || task == TASK_MULTICLASS;
    if (m == &automatic && classes && choice_is(set->common.scale, "auto") &&
        choice_is(set->common.row_scale, "none") && !mat_is_sparse(&data->x))
        strcpy(set->common.scale, "robust");
}

pare_status method_check_offset(const method *m, const pare_data *data, task_kind task,
                                pare_error *err) {
    char others[256] = "";
    size_t at = 0;
    if (!data->offset) return PARE_OK;
    if (m->offsets && task == TASK_MULTICLASS)
        return error_set(err, PARE_E_ARGUMENT,
                         "`offset` is one number a sample, which several classes would share: it "
                         "is for two classes and for regression");
    if (m->offsets) return PARE_OK;
    for (int i = 0; i < N_METHODS; i++)
        if (methods[i].offsets && at < sizeof others)
            at += (size_t)snprintf(others + at, sizeof others - at, "%s%s", at ? ", " : "",
                                   methods[i].name);
    return error_set(err, PARE_E_ARGUMENT, "`offset`: %s does not fit beside one; allowed with %s",
                     m->name, others);
}

pare_status method_check_refit(const method *m, const all_settings *set, pare_error *err) {
    char others[256] = "";
    size_t at = 0;
    if (!choice_is(set->common.refit, "relaxed") || m->relaxed) return PARE_OK;
    for (int i = 0; i < N_METHODS; i++)
        if (methods[i].relaxed && at < sizeof others)
            at += (size_t)snprintf(others + at, sizeof others - at, "%s%s", at ? ", " : "",
                                   methods[i].name);
    return error_set(err, PARE_E_ARGUMENT, "`refit`: relaxed is for %s, the method is %s", others,
                     m->name);
}

const method *method_final(const method *m, const all_settings *set, task_kind task) {
    if (m->relaxed && choice_is(set->common.refit, "relaxed")) return m->relaxed;
    if (m->final_regress && task == TASK_REGRESSION) return method_named(m->final_regress);
    if (m->final) return method_named(m->final);
    for (size_t i = 0; i < sizeof classifiers / sizeof classifiers[0]; i++)
        if (choice_is(set->common.classifier, classifiers[i].name)) return &classifiers[i];
    return method_named(set->common.classifier);
}

int64_t pare_methods_count(void) { return N_METHODS; }

bool pare_methods_info(pare_method_info *out, int64_t i) {
    static const char *const task_sets[32] = {
        /* by the bits of task_kind */
        "",
        "binary",
        "multiclass",
        "binary, multiclass",
        "ranking",
        "binary, ranking",
        "multiclass, ranking",
        "binary, multiclass, ranking",
        "regression",
        "binary, regression",
        "multiclass, regression",
        "binary, multiclass, regression",
        "ranking, regression",
        "binary, ranking, regression",
        "multiclass, ranking, regression",
        "binary, multiclass, ranking, regression",
        [TASK_BINARY | TASK_MULTICLASS | TASK_REGRESSION | TASK_NONE] =
            "binary, multiclass, regression, none",
    };
    if (i < 0 || i >= N_METHODS) return false;
    const method *m = &methods[i];
    *out = (pare_method_info){m->name,    m->summary,  task_sets[m->tasks],
                              m->problem, m->citation, m->two_stage};
    return true;
}
