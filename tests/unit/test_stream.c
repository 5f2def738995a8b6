/* Streams over files, .gz and memory at every split; sinks that leave nothing behind. */
#define _POSIX_C_SOURCE 200809L
#include "data/format/stream.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "support/support.h"

static char content[700001];

static void fill_content(void) {
    for (size_t i = 0; i + 1 < sizeof content; i++) content[i] = (char)('a' + (i * i / 7) % 23);
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Reads all, consuming `take` bytes between fills, and compares with the content. */
static void check_reads_content(stream *s, size_t take) {
    pare_error err;
    size_t seen = 0;
    for (;;) {
        assert_int_equal(stream_fill(s, &err), PARE_OK);
        assert_true(s->end <= s->capacity);
        assert_int_equal(s->buffer[s->end], '\0');
        assert_int_equal(s->base + (int64_t)s->at, seen);
        size_t there = s->end - s->at, n = there < take ? there : take;
        if (s->eof) n = there;
        assert_memory_equal(s->buffer + s->at, content + seen, n);
        seen += n;
        s->at += n;
        if (s->eof) break;
    }
    assert_int_equal(seen, sizeof content - 1);
}

/* Reads to the end, or to an error. */
static pare_status pass_over(stream *s, pare_error *err) {
    pare_status status = PARE_OK;
    while (status == PARE_OK && !s->eof) {
        s->at = s->end;
        status = stream_fill(s, err);
    }
    return status;
}

static void test_plain_and_gzip(void **state) {
    (void)state;
    pare_error err;
    stream s;
    write_file("stream.txt", content, sizeof content - 1);
    gzFile gz = gzopen("stream.dat", "wb"); /* recognised by its bytes, not by the name */
    assert_int_equal(gzwrite(gz, content, sizeof content - 1), sizeof content - 1);
    assert_int_equal(gzclose(gz), Z_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(stream_open(&s, i ? "stream.dat" : "stream.txt", NULL, &err), PARE_OK);
        assert_int_equal(s.can_rewind, i == 0);
        check_reads_content(&s, 200000);
        assert_int_equal(stream_rewind(&s, &err), PARE_OK);
        check_reads_content(&s, 1000000);
        stream_close(&s);
    }
    remove("stream.txt");
    remove("stream.dat");
}

static void test_memory(void **state) {
    (void)state;
    pare_error err;
    stream s;
    static const size_t piece[] = {4096, 100000, sizeof content};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            stream_open_memory(&s, "m", content, sizeof content - 1, piece[i], NULL, &err),
            PARE_OK);
        check_reads_content(&s, 5000);
        assert_int_equal(stream_rewind(&s, &err), PARE_OK);
        check_reads_content(&s, 100);
        stream_close(&s);
    }
}

static void test_damaged_gzip(void **state) {
    (void)state;
    pare_error err;
    stream s;
    gzFile gz = gzopen("stream.gz", "wb");
    gzwrite(gz, content, sizeof content - 1);
    gzclose(gz);
    static unsigned char packed[1000000];
    FILE *file = fopen("stream.gz", "rb");
    size_t size = fread(packed, 1, sizeof packed, file);
    fclose(file);
    for (int i = 0; i < 40; i++) { /* cut anywhere after the magic bytes: never a silent end */
        size_t cut = 3 + (size_t)i * (size - 4) / 39;
        write_file("cut.gz", packed, cut);
        assert_int_equal(stream_open(&s, "cut.gz", NULL, &err), PARE_OK);
        assert_int_equal(pass_over(&s, &err), PARE_E_FORMAT);
        assert_string_equal(err.message,
                            "cut.gz: the compressed file is cut short: get or write it again");
        stream_close(&s);
    }
    packed[size / 2] ^= 0x55;
    write_file("cut.gz", packed, size);
    assert_int_equal(stream_open(&s, "cut.gz", NULL, &err), PARE_OK);
    assert_int_equal(pass_over(&s, &err), PARE_E_FORMAT);
    assert_string_equal(err.message,
                        "cut.gz: the compressed file is damaged: get or write it again");
    assert_true(err.byte >= 0);
    stream_close(&s);
    remove("stream.gz");
    remove("cut.gz");
}

static void test_cannot_open(void **state) {
    (void)state;
    pare_error err;
    stream s;
    assert_int_equal(stream_open(&s, "no-such-file", NULL, &err), PARE_E_IO);
    assert_string_equal(err.message, "no-such-file: cannot be opened: No such file or directory");
    assert_int_equal(stream_open(&s, ".", NULL, &err), PARE_E_IO);
    assert_string_equal(err.message, ".: cannot be read: Is a directory");
}

static void test_standard_input(void **state) {
    (void)state;
    pare_error err;
    stream s;
    int saved = dup(STDIN_FILENO), ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "hello", 5), 5);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(stream_open(&s, "-", NULL, &err), PARE_OK);
    assert_false(s.can_rewind);
    assert_string_equal(s.name, "standard input");
    assert_int_equal(stream_fill(&s, &err), PARE_OK);
    assert_true(s.eof);
    assert_string_equal(s.buffer, "hello");
    stream_close(&s);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void test_sink(void **state) {
    (void)state;
    pare_error err;
    sink out;
    stream s;
    static const char *const path[] = {"sink.txt", "sink.txt.gz"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sink_open(&out, path[i], NULL, &err), PARE_OK);
        assert_int_equal(sink_write(&out, content, 300000, &err), PARE_OK);
        assert_int_not_equal(access(path[i], F_OK), 0); /* not there before it is whole */
        assert_int_equal(sink_write(&out, content + 300000, sizeof content - 300001, &err),
                         PARE_OK);
        assert_int_equal(sink_commit(&out, &err), PARE_OK);
        sink_abandon(&out);
        assert_int_equal(stream_open(&s, path[i], NULL, &err), PARE_OK);
        assert_int_equal(s.can_rewind, i == 0);
        check_reads_content(&s, 100000);
        stream_close(&s);
        remove(path[i]);
    }
}

static void test_sink_leaves_nothing(void **state) {
    (void)state;
    pare_error err;
    sink out, second;
    write_file("keep.txt", "old", 3);
    assert_int_equal(sink_open(&out, "keep.txt", NULL, &err), PARE_OK);
    assert_int_equal(sink_open(&second, "keep.txt", NULL, &err), PARE_OK); /* another name */
    assert_string_not_equal(out.temporary, second.temporary);
    char temporary[2][64];
    snprintf(temporary[0], 64, "%s", out.temporary);
    snprintf(temporary[1], 64, "%s", second.temporary);
    assert_int_equal(sink_write(&out, "new", 3, &err), PARE_OK);
    sink_abandon(&out);
    sink_abandon(&second);
    assert_int_not_equal(access(temporary[0], F_OK), 0);
    assert_int_not_equal(access(temporary[1], F_OK), 0);
    FILE *file = fopen("keep.txt", "rb");
    char text[4] = "";
    assert_int_equal(fread(text, 1, 3, file), 3);
    fclose(file);
    assert_string_equal(text, "old");
    remove("keep.txt");
    assert_int_equal(sink_open(&out, "no-such-folder/x", NULL, &err), PARE_E_IO);
    assert_string_equal(err.message,
                        "no-such-folder/x: cannot be created: No such file or directory");
}

static pare_status write_much(sink *out, pare_error *err) {
    pare_status status = PARE_OK;
    for (int i = 0; i < 4 && status == PARE_OK; i++)
        status = sink_write(out, content, sizeof content - 1, err);
    return status == PARE_OK ? sink_commit(out, err) : status;
}

static void test_full_disk_and_closed_pipe(void **state) {
    (void)state;
    pare_error err;
    sink out;
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(sink_open(&out, "/dev/full", NULL, &err), PARE_OK);
        assert_null(out.temporary);
        assert_int_equal(sink_write(&out, "x", 1, &err), PARE_OK);
        assert_int_equal(sink_commit(&out, &err), PARE_E_IO); /* found at the flush */
        assert_string_equal(err.message, "/dev/full: cannot be written: No space left on device");
        sink_abandon(&out);
        assert_int_equal(sink_open(&out, "/dev/full", NULL, &err), PARE_OK);
        assert_int_equal(write_much(&out, &err), PARE_E_IO);
        sink_abandon(&out);
        assert_int_equal(access("/dev/full", W_OK), 0);
    }
    int saved = dup(STDOUT_FILENO), ends[2];
    signal(SIGPIPE, SIG_IGN);
    fflush(stdout);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[1]);
    pare_status opened = sink_open(&out, "-", NULL, &err);
    pare_status status = opened == PARE_OK ? write_much(&out, &err) : opened;
    sink_abandon(&out);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_int_equal(opened, PARE_OK);
    assert_int_equal(status, PARE_E_IO);
    assert_string_equal(err.message, "standard output: cannot be written: Broken pipe");
}

TEST_FILE(test_stream) {
    fill_content();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain_and_gzip),
                                       cmocka_unit_test(test_memory),
                                       cmocka_unit_test(test_damaged_gzip),
                                       cmocka_unit_test(test_cannot_open),
                                       cmocka_unit_test(test_standard_input),
                                       cmocka_unit_test(test_sink),
                                       cmocka_unit_test(test_sink_leaves_nothing),
                                       cmocka_unit_test(test_full_disk_and_closed_pipe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
