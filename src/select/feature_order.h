/* From a method's scores to the order in which features are taken. */
#ifndef PARE_SELECT_FEATURE_ORDER_H
#define PARE_SELECT_FEATURE_ORDER_H

#include "select/fitting.h"

/* A constant column is never selected unless it is kept. */
bool ranking_constant(const fitting *f, int64_t j);

/* Applies costs to the scores and orders the features: forced-in ones first, constant columns last,
 * groups together; moves the support and its weights to the new order. */
PARE_NODISCARD pare_status ranking_settle(fitting *f, fit_result *r, pare_error *err);

#endif
