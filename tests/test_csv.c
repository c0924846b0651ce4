/* SPDX-License-Identifier: MIT */
/* The CSV reader of examples/sensor_replay: what it takes, and how it refuses ragged rows, text and empty files. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "csv.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char message[300];

static int read_bytes(const char *bytes, size_t n, readings *out) {
    char path[] = "/tmp/tvgp-test-csv-XXXXXX";
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    FILE *file = fdopen(descriptor, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    fclose(file);
    message[0] = 0;
    int status = csv_read(path, out, message, sizeof message);
    unlink(path);
    return status;
}

static int read_text(const char *text, readings *out) {
    return read_bytes(text, strlen(text), out);
}

static void assert_reads(const char *text, size_t n_times, size_t n_arms, const double *value) {
    readings r;
    static const char *const names[] = {"a", "b", "c"};
    ck_assert_msg(read_text(text, &r) == 0, "%s", message);
    ck_assert_uint_eq(r.n_times, n_times);
    ck_assert_uint_eq(r.n_arms, n_arms);
    for (size_t i = 0; i < n_times * n_arms; i++)
        ck_assert(isnan(value[i]) ? isnan(r.value[i]) : r.value[i] == value[i]);
    for (size_t i = 0; i < n_arms; i++)
        ck_assert_str_eq(r.names[i], names[i]);
    readings_free(&r);
}

TEST(good_files) {
    const double plain[] = {1, 2.5, -3e2, 4}, blanks[] = {1, NAN, 3, NAN, NAN, 6};
    assert_reads("a,b\n1,2.5\n-3e2,4\n", 2, 2, plain);
    assert_reads("a,b\r\n1,2.5\r\n\r\n-3e2,4", 2, 2, plain); /* other line ends, an empty line, none at the end */
    assert_reads("\xEF\xBB\xBF"
                 "a, b\n 1 ,2.5\n-3e2 , 4\n",
                 2, 2, plain);
    assert_reads("time,a,b\n1,1,2.5\n2,-3e2,4\n", 2, 2, plain);
    assert_reads("when,a,b\n2004-03-01 10:00,1,2.5\nlater,-3e2,4\n", 2, 2, plain);
    assert_reads("a,b,c\n1,,3\n, ,6\n", 2, 3, blanks);
}

/* Quotes as in RFC 4180, and thousands in them. */
TEST(quotes) {
    const double plain[] = {1, 2.5, -3e2, 4}, large[] = {1202.81, -1234567, 100, 12}, blanks[] = {1, NAN, 3, 4};
    assert_reads("\"a\",\"b\"\n\"1\", \"2.5\" \n-3e2,\"4\"\n", 2, 2, plain);
    assert_reads("a,b\n\"1,202.81\",\"-1,234,567\"\n\"100\",\"12\"\n", 2, 2, large);
    assert_reads("a,b\n1,\"\"\n3,4\n", 2, 2, blanks);
    assert_reads("when,a,b\n\"first, of\r\nall\",1,2.5\n\"the \"\"2nd\"\"\",-3e2,4\n", 2, 2, plain);
    csv_table table;
    char path[] = "/tmp/tvgp-test-csv-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    fputs(
        "t,\"b \"\"x\"\", y\"\n\"2026-01-31\",\"line\none\"\n2026-02-01T12:30,5\" pipe\n1970-01-01 01:00:00.5+02:00,x\n7,\n",
        file);
    fclose(file);
    ck_assert_msg(csv_table_read(path, &table) == 0, "%s", table.error);
    ck_assert_str_eq(table.name[1], "b \"x\", y");
    ck_assert_str_eq(table.cell[1], "line\none");
    ck_assert_str_eq(table.cell[3], "5\" pipe");
    const double want[] = {1769817600, 1769949000, -3599.5, 7};
    for (size_t i = 0; i < 4; i++) {
        double t;
        int is_date;
        ck_assert_int_eq(csv_table_time(&table, i, 0, &t, &is_date), 0);
        ck_assert_double_eq(t, want[i]);
        ck_assert_int_eq(is_date, i < 3);
    }
    ck_assert_uint_eq(table.line[1], 4); /* a line end in quotes is counted */
    csv_table_free(&table);
    unlink(path);
}

/* Dates that the calendar lacks, and texts that begin as dates do. */
TEST(dates_refused) {
    static const char *const bad[] = {
        "2026-02-29",       "2026-13-01",        "2026-1-1",           "31.01.2026",           "01/31/2026", "2026-01-31T",
        "2026-01-31 25:00", "2026-01-31T12:30x", "2026-01-31T12:30+2", "2026-01-31T12:30:15.", "monday"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[] = "/tmp/tvgp-test-csv-XXXXXX";
        csv_table table;
        double t;
        int is_date;
        FILE *file = fdopen(mkstemp(path), "w");
        fprintf(file, "t,y\n%s,1\n", bad[i]);
        fclose(file);
        ck_assert_int_eq(csv_table_read(path, &table), 0);
        ck_assert_msg(csv_table_time(&table, 0, 0, &t, &is_date) == -1, "'%s' is a time", bad[i]);
        ck_assert_ptr_nonnull(strstr(table.error, "line 2, column 1 (t)"));
        csv_table_free(&table);
        unlink(path);
    }
}

/* A first column of row numbers or times is no arm, whatever its name; one that only rises is. */
TEST(counted_rows) {
    const double two[] = {1, 2.5, -3e2, 4}, four[] = {5, 6, 5, 7, 4, 6, 3, 8}, rising[] = {1, 5, 2, 5, 4, 4, 8, 3};
    assert_reads("hour,a,b\n7,1,2.5\n3,-3e2,4\n", 2, 2, two);
    assert_reads(",a,b\n7,1,2.5\n3,-3e2,4\n", 2, 2, two);
    assert_reads("n,a,b\n10,5,6\n11,5,7\n12,4,6\n13,3,8\n", 4, 2, four);
    assert_reads("epoch,a,b\n1.5e9,5,6\n1500000600,5,7\n1500001200,4,6\n1500001800,3,8\n", 4, 2, four);
    assert_reads("a,b\n1,5\n2,5\n4,4\n8,3\n", 4, 2, rising);
}

TEST(bad_files) {
    static const struct {
        const char *text, *says[4];
    } bad[] = {
        {"", {"empty"}},
        {"a,b\n", {"no rows"}},
        {"1,2.5\n3,4\n", {"line 1", "header"}},
        {"time\n1\n", {"only column"}},
        {"a,b\n1,2\n3\n", {"line 3", "column 1", "3", "2 columns"}},
        {"a,b\n1,2\n3,4,5\n", {"line 3", "column 3", "\"5\"", "has 2"}},
        {"time,a\n1,2\n3,4,5\n", {"line 3", "column 3", "\"5\"", "has 2"}},
        {"a,b\n1,2\n3,warm\n", {"line 3", "column 2", "b", "\"warm\""}},
        {"a,b\n1,2\n3,4x\n", {"line 3", "column 2", "\"4x\""}},
        {"a,b\n1,inf\n", {"line 2", "column 2", "\"inf\""}},
        {"a,b\n1,nan\n", {"line 2", "column 2", "\"nan\""}},
        {"a,b\n1,1e999\n", {"line 2", "column 2", "\"1e999\""}},
        {"a,b\n1;2\n", {"line 2"}},
        {"a;b\n1;2\n", {"line 1", "no comma in the header; is ';' the separator?"}},
        {"a\tb\n1\t2\n", {"line 1", "no comma in the header; is a tab the separator?"}},
        {"a,b\n1,\"2\n3,4\n", {"line 2", "column 2", "a quote is not closed"}},
        {"a,\"b\n1,2\n", {"line 1", "column 2", "a quote is not closed"}},
        {"a,b\n1,\"2\"x\n", {"line 2", "column 2", "\"x\"", "closing quote"}},
        {"a,b\n1,\"12,34\"\n", {"line 2", "column 2", "\"12,34\""}},
        {"a,b\n1,\"1,2345\"\n", {"line 2", "column 2", "\"1,2345\""}},
        {"a,b,a\n1,2,3\n", {"line 1", "column 3", "\"a\"", "column 1"}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        readings r;
        ck_assert_msg(read_text(bad[i].text, &r) == -1, "file %zu was taken", i);
        for (size_t k = 0; k < 4 && bad[i].says[k] != NULL; k++)
            ck_assert_msg(strstr(message, bad[i].says[k]) != NULL, "\"%s\" lacks \"%s\"", message, bad[i].says[k]);
        ck_assert(r.n_times == 0 && r.value == NULL && r.names == NULL);
    }
    readings r;
    ck_assert_int_eq(csv_read("/nonexistent/file.csv", &r, message, sizeof message), -1);
    ck_assert_ptr_nonnull(strstr(message, "/nonexistent/file.csv"));
    static const char nul[] = "a,b\n1,2\n3,4\0z\n";
    ck_assert_int_eq(read_bytes(nul, sizeof nul - 1, &r), -1);
    ck_assert_ptr_nonnull(strstr(message, "line 3, column 2: a NUL byte"));
    char huge[5000] = "a,b\n1,";
    memset(huge + 6, 'z', sizeof huge - 7); /* a message has an end */
    ck_assert_int_eq(read_text(huge, &r), -1);
    char tiny[8];
    ck_assert_int_eq(csv_read("/nonexistent/file.csv", &r, tiny, sizeof tiny), -1);
    ck_assert_uint_lt(strlen(tiny), sizeof tiny);
}

/* Columns that turn in a circle of P rows: their correlation at lag k is cos(2 pi k / P), whatever the row and the column have in
 * common; one half lies at P / 6, and for P = 3 a third of the way to the next row, where it is -1/2. */
TEST(lasting) {
    enum { ROWS = 2400, COLUMNS = 6 };
    const double circle = 8 * atan(1), period[] = {60, 3};
    for (int i = 0; i < 2; i++) {
        readings r = {.n_times = ROWS, .n_arms = COLUMNS, .value = malloc(ROWS * COLUMNS * sizeof(double))};
        ck_assert_ptr_nonnull(r.value);
        for (int t = 0; t < ROWS; t++)
            for (int a = 0; a < COLUMNS; a++)
                r.value[t * COLUMNS + a] = cos(circle * (t / period[i] + a / 6.0)) + 40 * a + 7 * sin(0.9 * t);
        const double lasts = readings_lasting(&r, ROWS);
        ck_assert_double_eq_tol(lasts, i ? 1.0 / 3 : 10, 0.01);
        r.value[5] = NAN;
        ck_assert_double_eq_tol(readings_lasting(&r, ROWS), lasts, 0.02);
        for (int t = 0; t < ROWS * COLUMNS; t++)
            r.value[t] = t % COLUMNS;
        ck_assert(isinf(readings_lasting(&r, ROWS)));
        readings_free(&r);
    }
}

HARNESS_MAIN("csv")
