/* What the translation by f2c asks of its run-time library, and what the core asks of OpenBLAS. */
#include <math.h>
#include <stdint.h>
#include <string.h>

void s_copy(char *to, const char *from, int32_t room, int32_t length);
int32_t s_cmp(const char *a, const char *b, int32_t la, int32_t lb);
void s_cat(char *to, char **from, int32_t *length, int32_t *count, int32_t room);
int32_t i_len(const char *text, int32_t length);
int32_t i_nint(const float *x);
double d_sign(const double *a, const double *b);
double pow_dd(const double *x, const double *y);
double pow_di(const double *x, const int32_t *n);
int32_t pow_ii(const int32_t *x, const int32_t *n);
int LAPACKE_lsame(char a, char b);
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);
char *openblas_get_corename(void);

void s_copy(char *to, const char *from, int32_t room, int32_t length) {
    int32_t taken = length < room ? length : room;
    memmove(to, from, (size_t)taken);
    memset(to + taken, ' ', (size_t)(room - taken));
}

/* The shorter text counts as filled with blanks. */
int32_t s_cmp(const char *a, const char *b, int32_t la, int32_t lb) {
    for (int32_t i = 0; i < la || i < lb; i++) {
        int x = i < la ? (unsigned char)a[i] : ' ', y = i < lb ? (unsigned char)b[i] : ' ';
        if (x != y) return x - y;
    }
    return 0;
}

void s_cat(char *to, char **from, int32_t *length, int32_t *count, int32_t room) {
    int32_t used = 0;
    for (int32_t k = 0; k < *count; k++)
        for (int32_t i = 0; i < length[k] && used < room; i++) to[used++] = from[k][i];
    memset(to + used, ' ', (size_t)(room - used));
}

int32_t i_len(const char *text, int32_t length) {
    (void)text;
    return length;
}

int32_t i_nint(const float *x) { return (int32_t)floorf(fabsf(*x) + 0.5F) * (*x < 0 ? -1 : 1); }
double d_sign(const double *a, const double *b) { return *b >= 0 ? fabs(*a) : -fabs(*a); }
double pow_dd(const double *x, const double *y) { return pow(*x, *y); }
double pow_di(const double *x, const int32_t *n) { return pow(*x, *n); }

int32_t pow_ii(const int32_t *x, const int32_t *n) {
    int32_t power = 1;
    if (*n < 0) return *x == 1 ? 1 : *x == -1 ? (*n % 2 ? -1 : 1) : 0;
    for (int32_t i = 0; i < *n; i++) power *= *x;
    return power;
}

/* LAPACKE's own calls the Fortran one with more arguments than that has. */
int LAPACKE_lsame(char a, char b) { return ((a ^ b) & ~0x20) == 0; }

int openblas_get_num_threads(void) { return 1; }
void openblas_set_num_threads(int threads) { (void)threads; }

char *openblas_get_corename(void) {
    static char name[] = "WebAssembly";
    return name;
}
