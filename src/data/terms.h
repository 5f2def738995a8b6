/* A model whose selected features are monomials of the data's columns. */
#ifndef PARE_DATA_TERMS_H
#define PARE_DATA_TERMS_H

#include <stdint.h>

typedef struct model_terms {
    int64_t n_base;         /* columns that some selected monomial uses, ascending */
    int64_t *base_index;    /* n_base: column in the training data */
    const char **base_name; /* n_base */
    int64_t *start; /* n_selected + 1: the terms of monomial i are start[i] .. start[i+1]-1 */
    int64_t *base;  /* position among the base columns */
    int64_t *power;
} model_terms;

#endif
