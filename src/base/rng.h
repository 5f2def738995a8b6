/* xoshiro256** (Blackman and Vigna), seeded by splitmix64. A substream has a number, so that
 * the draws of fold 7 depend neither on those of fold 6 nor on the thread. */
#ifndef PARE_BASE_RNG_H
#define PARE_BASE_RNG_H

#include <stdint.h>

typedef struct rng {
    uint64_t s[4];
} rng;

void rng_seed(rng *r, uint64_t seed, uint64_t stream);
uint64_t rng_next(rng *r);
double rng_uniform(rng *r);               /* [0, 1) with 53 bits */
double rng_normal(rng *r);                /* N(0, 1), two uniforms a call */
int64_t rng_below(rng *r, int64_t bound); /* 0 .. bound-1 without bias, bound >= 1 */
void rng_shuffle(rng *r, int64_t *v, int64_t n);

#endif
