/* SHA-256 (FIPS 180-4), streaming. */
#ifndef PARE_BASE_SHA256_H
#define PARE_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t bytes;          /* hashed so far, with those in block */
    unsigned char block[64]; /* the last bytes % 64 of them */
    bool instructions;       /* SHA instructions are used; false: plain C, the same digest */
} sha256;

void sha256_init(sha256 *s);
void sha256_update(sha256 *s, const void *data, size_t size);
void sha256_final(sha256 *s, unsigned char digest[32]);
void sha256_hex(const unsigned char digest[32], char hex[65]);

#endif
