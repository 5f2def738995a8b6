#!/usr/bin/env bash
# What `cmake --install` leaves serves a program outside the tree: through pkg-config and through
# find_package, against the shared and the static library, wherever the prefix was moved to.
. "$(dirname "$0")/../cli/harness.sh"

version=$(sed -n 's/.*PARE_VERSION "\(.*\)"/\1/p' "$ROOT/include/pare/version.h")
cat >consumer.c <<'END'
#include <pare/pare.h>
#include <stdio.h>

int main(void) {
    long long methods = pare_methods_count();
    printf("pare %s, %lld methods\n", pare_version(), methods);
    return methods > 0 ? 0 : 1;
}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(pare REQUIRED COMPONENTS static)
add_executable(shared consumer.c)
target_link_libraries(shared pare::pare)
add_executable(static consumer.c)
target_link_libraries(static pare::static)
END

# expect_consumer FILE COUNT: FILE asks for COUNT libpare.so, runs, and prints the version.
expect_consumer() {
    readelf -d "$1" >sections
    check "$1 has the wrong libpare" test "$(grep -c "NEEDED.*libpare" sections)" = "$2"
    run "$PWD/$1"
    expect_exit 0
    expect_stdout_contains "pare $version, "
}

case_begin "cmake --install"
run_ok "cmake --install" cmake --install "$BUILD" --prefix "$PWD/first"
mv first prefix
pc=$(find prefix -name pare.pc)
export PKG_CONFIG_PATH=$PWD/${pc%/*}
libdir=$(cd "${pc%/*}/.." && pwd)
expect_file prefix/include/pare/pare.h

case_begin "pkg-config, shared"
flags=$(pkg-config --cflags --libs pare)
run_ok "cc" cc -o with_shared consumer.c $flags -Wl,-rpath,"$libdir"
expect_consumer with_shared 1

for example in "$ROOT"/examples/*.c; do
    name=$(basename "$example" .c)
    case_begin "example $name"
    run_ok "cc" cc -std=c11 -Wall -Wextra -Wpedantic -Werror -o "example_$name" "$example" $flags \
        -Wl,-rpath,"$libdir"
    run "$PWD/example_$name"
    expect_exit 0
    check "$name says nothing" test -s .stdout
    check "$name complains" test ! -s .stderr
done
run "$PWD/example_arrays"
expect_stdout_contains "60 of 60 right"
run "$PWD/example_path"
expect_stdout_contains "stopped: "
expect_stdout_contains "majority-class baseline"
run "$PWD/example_survival"
expect_stdout_contains "risk 1.24, S(2) 0.46, S(5) 0.13, median 2"
run "$PWD/example_allocator"
expect_stdout_contains "(memory), 0 left"

case_begin "find_package, shared"
run_ok "cmake" cmake -S . -B consumer -DCMAKE_PREFIX_PATH="$PWD/prefix"
run_ok "build" cmake --build consumer
expect_consumer consumer/shared 1

case_begin "find_package, static"
expect_consumer consumer/static 0

case_begin "pkg-config, static"
rm "$libdir"/libpare.so*
flags=$(pkg-config --static --cflags --libs pare)
run_ok "cc" cc -o with_static consumer.c $flags
expect_consumer with_static 0
