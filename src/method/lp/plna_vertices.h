/* The vertices of the llna path as starting points for plna: with one weight for all coefficients
 * the path passes the supports of every size, and they do not depend on lambda. */
#ifndef PARE_METHOD_LP_PLNA_VERTICES_H
#define PARE_METHOD_LP_PLNA_VERTICES_H

#include "method/lp/plna_descent.h"

typedef struct plna_vertices {
    arena mem;
    int64_t count;
    double *dual;      /* n zeros: a vertex has none of plna's yet */
    plna_point *point; /* count: coefficients, b, and the error with the weights w_i themselves */
} plna_vertices;

/* At most `most` vertices, evenly from the first with a coefficient to the end of the path, or to
 * where the coefficients outnumber half of the samples on wide data. None with groups of features,
 * which the path does not know. Free with plna_vertices_free, also after a failure. */
PARE_NODISCARD pare_status plna_vertices_find(plna_vertices *v, const plna_work *w, int64_t most,
                                              const pare_ctx *ctx, pare_error *err);
void plna_vertices_free(plna_vertices *v);

/* How many of them end at mu or above; they are in this order. */
int64_t plna_vertices_above(const plna_vertices *v, double mu);

/* The vertex as a point to improve at w->lambda and w->alpha, in the pool if there is one. */
PARE_NODISCARD pare_status plna_vertex_at(const plna_vertices *v, int64_t i, plna_work *w,
                                          plna_point *out, pare_error *err);

#endif
