#include "base/rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

void rng_seed(rng *r, uint64_t seed, uint64_t stream) {
    /* Hash the stream apart from the seed: (seed, stream) and (seed + 1, stream - 1) must
     * differ. */
    uint64_t state = stream;
    state = seed ^ splitmix(&state);
    for (int i = 0; i < 4; i++) r->s[i] = splitmix(&state);
}

uint64_t rng_next(rng *r) {
    uint64_t *s = r->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

double rng_uniform(rng *r) { return (double)(rng_next(r) >> 11) * 0x1p-53; }

double rng_normal(rng *r) {
    double u = 1 - rng_uniform(r), v = rng_uniform(r); /* u in (0, 1]: its logarithm is finite */
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

int64_t rng_below(rng *r, int64_t bound) {
    uint64_t b = (uint64_t)bound, limit = UINT64_MAX - UINT64_MAX % b, x;
    do x = rng_next(r);
    while (x >= limit);
    return (int64_t)(x % b);
}

void rng_shuffle(rng *r, int64_t *v, int64_t n) {
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = rng_below(r, i + 1), t = v[i];
        v[i] = v[j];
        v[j] = t;
    }
}
