#!/usr/bin/env bash
# The library takes memory through base/memory.c alone, from the allocator that the caller gave: so a refusal is seen,
# and tests can refuse. Of LAPACKE only the functions that end in _work take none of their own.
. "$(dirname "$0")/../cli/harness.sh"

case_begin "only memory.c calls the system's allocator"
nm -A -g --undefined-only "$BUILD/libpare.a" >undefined
grep -wE 'malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|strdup|strndup|asprintf|vasprintf|getline' undefined >callers
check "memory.c calls none" grep -q ':memory\.c\.o:' callers
for line in $(grep -v ':memory\.c\.o:' callers | awk '{ print $1 $NF }'); do fail "${line##*libpare.a:} is called"; done

case_begin "no function of LAPACKE allocates"
grep -oE '[a-z_0-9]+\.c\.o:.* LAPACKE_\w+' undefined >lapack
check "none is called" test -s lapack
for line in $(grep -v '_work$' lapack | awk '{ print $1 $NF }'); do fail "$line allocates its work"; done
