/* The library's kernels, for the processor. */
#include "la/kind/cuda/cuda_kernels.cu"
