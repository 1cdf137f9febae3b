/* SPDX-License-Identifier: Apache-2.0 */
/* Malformed files: each must be refused with a fixed status, at a fixed line, with a message that says what
 * was expected and what was found. The tables fix every decision of the reader about what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spmm/inspector.h>

#include "format/base/alloc.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define BANNER(kind) "%%MatrixMarket matrix " kind "\n"
#define REAL BANNER("coordinate real general")
#define INTEGER BANNER("coordinate integer general")
#define PATTERN BANNER("coordinate pattern general")
#define SYMMETRIC BANNER("coordinate real symmetric")
#define SKEW BANNER("coordinate real skew-symmetric")
#define ARRAY BANNER("array real general")
#define SYNTAX SPMM_ERR_MATRIX_SYNTAX
#define UNSUPPORTED SPMM_ERR_MATRIX_UNSUPPORTED
#define TOO_LARGE SPMM_ERR_MATRIX_TOO_LARGE

struct malformed {
    const char *name;
    const char *text;
    size_t size; /* 0 = strlen(text) */
    spmm_status_t status;
    uint64_t line;
    const char *excerpt; /* part of the message */
};
#define TEXT(text) text, sizeof(text) - 1

static const struct malformed banners[] = {
    {"empty", "", 0, SYNTAX, 1, "found an empty file"},
    {"only a newline", "\n", 0, SYNTAX, 1, "expected %%MatrixMarket at the start"},
    {"byte order mark", "\xef\xbb\xbf" REAL "1 1 1\n1 1 1\n", 0, SYNTAX, 1, "UTF-8 byte order mark"},
    {"one percent sign", "%MatrixMarket matrix coordinate real general\n1 1 0\n", 0, SYNTAX, 1,
     "two percent signs"},
    {"blanks before the banner", "  " REAL "1 1 0\n", 0, SYNTAX, 1, "behind blanks"},
    {"a line before the banner", "% hello\n" REAL "1 1 0\n", 0, SYNTAX, 1, "the banner is the first line"},
    {"no banner", "3 3 1\n1 1 1\n", 0, SYNTAX, 1, "the file has no banner"},
    {"banner of one word", "%%MatrixMarket", 0, SYNTAX, 1, "the object matrix, found the end of the file"},
    {"longer banner word", "%%MatrixMarkets matrix coordinate real general\n", 0, SYNTAX, 1,
     "%%MatrixMarkets"},
    {"wrong object", "%%MatrixMarket tensor coordinate real general\n1 1 0\n", 0, SYNTAX, 1,
     "found \"tensor\""},
    {"vector", "%%MatrixMarket vector coordinate real general\n1 0\n", 0, UNSUPPORTED, 1, "found \"vector\""},
    {"wrong format", BANNER("csr real general") "1 1 0\n", 0, SYNTAX, 1,
     "coordinate or array, found \"csr\""},
    {"wrong field", BANNER("coordinate float general") "1 1 0\n", 0, SYNTAX, 1, "found \"float\""},
    {"complex", BANNER("coordinate complex general") "1 1 1\n1 1 1 0\n", 0, UNSUPPORTED, 1,
     "the field is complex"},
    {"complex array", BANNER("array Complex hermitian") "1 1\n1 0\n", 0, UNSUPPORTED, 1,
     "the field is complex"},
    {"wrong symmetry", BANNER("coordinate real lower") "1 1 0\n", 0, SYNTAX, 1, "found \"lower\""},
    {"four words", "%%MatrixMarket matrix coordinate real\n1 1 0\n", 0, SYNTAX, 1,
     "found the end of the line"},
    {"six words", BANNER("coordinate real general row") "1 1 0\n", 0, SYNTAX, 1,
     "the end of the banner, found \"row\""},
    {"pattern array", BANNER("array pattern general") "1 1\n", 0, SYNTAX, 1,
     "found the field pattern for an array"},
    {"pattern skew", BANNER("coordinate pattern skew-symmetric") "2 2 0\n", 0, SYNTAX, 1,
     "for a skew-symmetric matrix"},
    {"carriage returns only", "%%MatrixMarket matrix coordinate real general\r1 1 0\r", 0, SYNTAX, 1,
     "a carriage return without line feed"},
    {"control character", "%%MatrixMarket matrix coor\001dinate real general\n", 0, SYNTAX, 1,
     "\"coor\\x01dinate\""},
    {"long word", BANNER("coordinate aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa general"),
     0, SYNTAX, 1, "\"aaaaaaaaaaaaaaaaaaaaaaaa...\""},
    {"git-lfs pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", 0,
     SYNTAX, 1, "a git-lfs pointer"},
    {"web page", "\n<!DOCTYPE html>\n<html></html>\n", 0, SYNTAX, 1, "an HTML or XML page"},
    {"bzip2", "BZh91AY&SY", 0, SPMM_ERR_MATRIX_CONTAINER, 0, "the bzip2 data is cut off after 0 bytes"},
    {"xz",
     TEXT("\xfd"
          "7zXZ\0"),
     SPMM_ERR_MATRIX_CONTAINER, 0, "the xz data is damaged or cut off after 0 bytes"},
    {"zip", "PK\x03\x04zip", 0, SPMM_ERR_MATRIX_CONTAINER, 0, "a zip archive"},
    {"plan", "\xd3SPM\r\n\x1a\n", 0, SYNTAX, 1, "found a spmm plan"},
    {"PETSc", TEXT("\0\x12\x7b\x50\0\0\0\1"), SYNTAX, 0, "expected 16 bytes of a PETSc header, found 8"},
    {"list of edges", "1 2\n2 3\n", 0, SYNTAX, 1, "a list of edges"},
    {"list of edges with commas", "0,2\r\n1,3\r\n", 0, SYNTAX, 1, "a list of edges"},
    {"list of edges behind a comment", "% sym unweighted\n1 2\n2 3\n", 0, SYNTAX, 1, "a list of edges"},
    {"SNAP's list of edges", "# Nodes: 4 Edges: 3\n0\t2\t-1.5\n2\t3\t1\n", 0, SYNTAX, 1, "a list of edges"},
    {"one edge", "1 2\n", 0, SYNTAX, 1, "the file has no banner"},
    {"lines of two and three", "1 2\n1 2 3\n", 0, SYNTAX, 1, "the file has no banner"},
    {"words behind numbers", "1 2\n1 b\n", 0, SYNTAX, 1, "the file has no banner"},
    {"a comment alone", "# 1 2", 0, SYNTAX, 1, "at the start of the file, found \"#\""},
    {"HDF5", "\x89HDF\r\n\x1a\n", 0, SYNTAX, 1, "an HDF5 file"},
    {"MATLAB", "MATLAB 5.0 MAT-file, Platform: GLNXA64", 0, SYNTAX, 0,
     "expected a MATLAB header of 128 bytes"},
    {"NumPy", "\x93NUMPY", 0, SYNTAX, 1, "a NumPy array"},
    {"blanks only", "  \t", 0, SYNTAX, 1, "found the end of the file; the banner is the first line"},
    {"blanks before a word", "  hello\n", 0, SYNTAX, 1, "found \"hello\""},
    {"an empty line of DOS", "\r\n" REAL "1 1 0\n", 0, SYNTAX, 1, "the banner is the first line"},
    {"edges up to the end", "1 2\n3 4", 0, SYNTAX, 1, "a list of edges"},
    {"edges and a zero byte", TEXT("1 2\n3 4\0"), SYNTAX, 1, "the file has no banner"},
    {"a number alone", "2", 0, SYNTAX, 1, "the file has no banner"},
    {"sizes without numbers", "2, x\n", 0, SYNTAX, 1, "the file has no banner"},
    {"zero bytes", TEXT("\0\0\0\0\0\0\0\0"), SYNTAX, 1, "found \"\\x00\\x00"},
};

static const struct malformed size_lines[] = {
    {"no size line", REAL, 0, SYNTAX, 2, "the number of rows, found the end of the file"},
    {"comments only", REAL "% a\n%b\n\n", 0, SYNTAX, 5, "the number of rows, found the end of the file"},
    {"one number", REAL "3\n1 1 1\n", 0, SYNTAX, 2, "the number of columns, found the end of the line"},
    {"two numbers", REAL "3 3\n1 1 1\n", 0, SYNTAX, 2, "the number of entries, found the end of the line"},
    {"four numbers", REAL "3 3 1 1\n1 1 1\n", 0, SYNTAX, 2, "the end of the size line, found \"1\""},
    {"three for an array", ARRAY "1 1 1\n1\n", 0, SYNTAX, 2, "the end of the size line"},
    {"one for an array", ARRAY "1\n1\n", 0, SYNTAX, 2, "the number of columns"},
    {"negative rows", REAL "-3 3 1\n1 1 1\n", 0, SYNTAX, 2, "found \"-3\""},
    {"negative columns", REAL "3 -3 1\n1 1 1\n", 0, SYNTAX, 2, "found \"-3\""},
    {"negative entries", REAL "3 3 -1\n1 1 1\n", 0, SYNTAX, 2, "found \"-1\""},
    {"plus sign", REAL "+3 3 1\n1 1 1\n", 0, SYNTAX, 2, "without a sign"},
    {"exponent", REAL "1e3 3 1\n1 1 1\n", 0, SYNTAX, 2, "found \"1e3\""},
    {"hexadecimal", REAL "0x10 3 1\n1 1 1\n", 0, SYNTAX, 2, "found \"0x10\""},
    {"point", REAL "3.0 3 1\n1 1 1\n", 0, SYNTAX, 2, "found \"3.0\""},
    {"letters", REAL "three 3 1\n1 1 1\n", 0, SYNTAX, 2, "found \"three\""},
    {"comma between", REAL "3,3,1\n1 1 1\n", 0, SYNTAX, 2, "found \"3,3,1\""},
    {"rows 2^31 - 1", REAL "2147483647 3 0\n", 0, TOO_LARGE, 2, "of at most 2147483646"},
    {"rows 2^31", REAL "2147483648 3 0\n", 0, TOO_LARGE, 2, "found \"2147483648\""},
    {"columns 2^32", REAL "3 4294967296 0\n", 0, TOO_LARGE, 2, "found \"4294967296\""},
    {"rows 2^32 + 1", REAL "4294967297 3 0\n", 0, TOO_LARGE, 2, "found \"4294967297\""},
    {"rows 2^53 + 1", REAL "9007199254740993 3 0\n", 0, TOO_LARGE, 2, "the number of rows"},
    {"entries 2^63 - 1", REAL "3 3 9223372036854775807\n", 0, TOO_LARGE, 2, "the number of entries"},
    {"entries 2^63", REAL "3 3 9223372036854775808\n", 0, TOO_LARGE, 2, "the number of entries"},
    {"entries 2^64 - 1", REAL "3 3 18446744073709551615\n", 0, TOO_LARGE, 2, "the number of entries"},
    {"entries 2^64 + 1", REAL "3 3 18446744073709551617\n", 0, TOO_LARGE, 2, "the number of entries"},
    {"30 digits", REAL "3 3 100000000000000000000000000000\n", 0, TOO_LARGE, 2,
     "\"100000000000000000000000..."},
    {"more than fit in the file", REAL "3 3 1000000000\n1 1 1\n", 0, SYNTAX, 4,
     "found the end of the file after 1"},
    {"array too large", ARRAY "2000000 2000000\n1\n", 0, TOO_LARGE, 2, "an array of 2000000 x 2000000"},
    {"array larger than the file", ARRAY "200000 200000\n1\n", 0, SYNTAX, 4, "expected 40000000000 entries"},
    {"entries without rows", REAL "0 5 1\n1 1 1\n", 0, SYNTAX, 2, "no entries in a matrix of 0 x 5"},
    {"entries without columns", REAL "5 0 1\n1 1 1\n", 0, SYNTAX, 2, "no entries in a matrix of 5 x 0"},
    {"symmetric, not square", SYMMETRIC "3 4 1\n1 1 1\n", 0, SYNTAX, 2, "found 3 and 4"},
    {"skew array, not square", BANNER("array real skew-symmetric") "3 4\n1\n1\n1\n", 0, SYNTAX, 2,
     "found 3 and 4"},
    {"size line with a comment", REAL "3 3 1 % size\n1 1 1\n", 0, SYNTAX, 2,
     "the end of the size line, found \"%\""},
};

static const struct malformed entries[] = {
    {"too few", REAL "3 3 3\n1 1 1\n2 2 1\n", 0, SYNTAX, 5,
     "expected 3 entries, found the end of the file after 2"},
    {"too few, long lines", REAL "3 3 2\n1 1 1.000000000000000000\n", 0, SYNTAX, 4, "after 1"},
    {"too many", REAL "3 3 1\n1 1 1\n2 2 1\n", 0, SYNTAX, 4,
     "the end of the file after 1 entry, found \"2\""},
    {"entries when there are none", REAL "3 3 0\n1 1 1\n", 0, SYNTAX, 3, "after 0 entries"},
    {"trailing text", REAL "3 3 1\n1 1 1\n\nthe end\n", 0, SYNTAX, 5, "found \"the\""},
    {"row 0", REAL "3 3 1\n0 1 1\n", 0, SYNTAX, 3,
     "row index from 1 to 3, found \"0\"; indices of Matrix Market count"},
    {"column 0", REAL "3 3 1\n1 0 1\n", 0, SYNTAX, 3, "column index from 1 to 3, found \"0\"; indices"},
    {"pattern column 0", PATTERN "3 3 1\n1 0\n", 0, SYNTAX, 3,
     "column index from 1 to 3, found \"0\"; indices"},
    {"negative row", REAL "3 3 1\n-1 1 1\n", 0, SYNTAX, 3, "found \"-1\""},
    {"negative column", REAL "3 3 1\n1 -1 1\n", 0, SYNTAX, 3, "found \"-1\""},
    {"row beyond", REAL "3 3 2\n1 1 1\n4 1 1\n", 0, SYNTAX, 4, "found \"4\""},
    {"column beyond", REAL "3 3 2\n1 1 1\n1 4 1\n", 0, SYNTAX, 4, "found \"4\""},
    {"row 2^32 + 1", REAL "3 3 1\n4294967297 1 1\n", 0, SYNTAX, 3, "found \"4294967297\""},
    {"column 2^64 + 1", REAL "3 3 1\n1 18446744073709551617 1\n", 0, SYNTAX, 3, "\"18446744073709551617\""},
    {"row of 30 digits", REAL "3 3 1\n100000000000000000000000000001 1 1\n", 0, SYNTAX, 3, "\"1000000000"},
    {"row with a point", REAL "3 3 1\n1.0 1 1\n", 0, SYNTAX, 3, "found \"1.0\""},
    {"row with a plus sign", REAL "3 3 1\n+1 1 1\n", 0, SYNTAX, 3, "found \"+1\""},
    {"letters for a row", REAL "3 3 1\na 1 1\n", 0, SYNTAX, 3, "found \"a\""},
    {"letters behind a column", REAL "3 3 1\n1 1a 1\n", 0, SYNTAX, 3, "found \"1a\""},
    {"row only", REAL "3 3 1\n1\n", 0, SYNTAX, 3, "a column index from 1 to 3, found the end of the line"},
    {"row only, end of file", REAL "3 3 1\n1", 0, SYNTAX, 3, "found the end of the file"},
    {"value missing", REAL "3 3 1\n1 1\n", 0, SYNTAX, 3, "expected a number, found the end of the line"},
    {"value missing, end of file", REAL "3 3 1\n1 1", 0, SYNTAX, 3,
     "expected a number, found the end of the file"},
    {"value behind a pattern", PATTERN "3 3 1\n1 1 1\n", 0, SYNTAX, 3, "the end of the line, found \"1\""},
    {"extra token", REAL "3 3 1\n1 1 1 1\n", 0, SYNTAX, 3, "the end of the line, found \"1\""},
    {"two entries on a line", REAL "3 3 2\n1 1 1 2 2 1\n", 0, SYNTAX, 3, "the end of the line, found \"2\""},
    {"comment behind data", REAL "3 3 1\n1 1 1 % one\n", 0, SYNTAX, 3, "a comment needs a line of its own"},
    {"comment for a column", REAL "3 3 1\n1 % one\n", 0, SYNTAX, 3, "a comment needs a line of its own"},
    {"other comment sign", REAL "3 3 1\n# one\n1 1 1\n", 0, SYNTAX, 3, "found \"#\""},
    {"zero byte", TEXT(REAL "3 3 1\n1 1 \0001\n"), SYNTAX, 3, "found \"\\x001\""},
    {"zero byte behind the value", TEXT(REAL "3 3 1\n1 1 1\0\n"), SYNTAX, 3, "found \"1\\x00\""},
    {"DOS end of file", REAL "3 3 1\n1 1 1\n\x1a", 0, SYNTAX, 4, "found \"\\x1a\""},
    {"form feed", REAL "3 3 1\n1 1 1\n\f\n", 0, SYNTAX, 4, "found \"\\x0c\""},
    {"vertical tab", REAL "3 3 1\n1\v1 1\n", 0, SYNTAX, 3, "found \"1\\x0b1\""},
    {"lone carriage return", REAL "3 3 2\n1 1 1\r2 2 1\n", 0, SYNTAX, 3,
     "a carriage return without line feed"},
    {"digits of another script", REAL "3 3 1\n\xd9\xa1 1 1\n", 0, SYNTAX, 3, "found \"\\xd9\\xa1\""},
    {"row with a letter behind zero", REAL "3 3 1\n0x 1 1\n", 0, SYNTAX, 3, "found \"0x\""},
    {"row of 24 zeros", REAL "3 3 1\n000000000000000000000000 1 1\n", 0, SYNTAX, 3, "count from 1"},
    {"letters for a column of symmetric", SYMMETRIC "3 3 1\n3 x 1\n", 0, SYNTAX, 3, "found \"x\""},
    {"blanks for an entry at the end", REAL "3 3 2\n1 1 1\n  ", 0, SYNTAX, 4, "after 1"},
    {"comment for an entry at the end", REAL "3 3 2\n1 1 1\n% two", 0, SYNTAX, 4, "after 1"},
    {"value missing before CR LF", REAL "3 3 1\n1 1\r\n", 0, SYNTAX, 3, "found the end of the line"},
    {"comma between", REAL "3 3 1\n1,1,1\n", 0, SYNTAX, 3, "found \"1,1,1\""},
};

static const struct malformed values[] = {
    {"letters", REAL "3 3 1\n1 1 one\n", 0, SYNTAX, 3, "expected a number, found \"one\""},
    {"hexadecimal", REAL "3 3 1\n1 1 0x1p3\n", 0, SYNTAX, 3, "hexadecimal numbers are not read"},
    {"large hexadecimal", REAL "3 3 1\n1 1 0X1P3\n", 0, SYNTAX, 3, "hexadecimal numbers are not read"},
    {"letters and a blank", REAL "3 3 1\n1 1 x 1\n", 0, SYNTAX, 3, "found \"x\""},
    {"letters and a tab", REAL "3 3 1\n1 1 x\t\n", 0, SYNTAX, 3, "found \"x\""},
    {"letters and CR LF", REAL "3 3 1\n1 1 x\r\n", 0, SYNTAX, 3, "found \"x\""},
    {"large exponent in an integer", INTEGER "3 3 1\n1 1 1E3\n", 0, SYNTAX, 3, "the banner says integer"},
    {"integer missing, end of file", INTEGER "3 3 1\n1 1", 0, SYNTAX, 3,
     "an integer, found the end of the file"},
    {"Fortran exponent", REAL "3 3 1\n1 1 1.5D+03\n", 0, SYNTAX, 3, "write the exponent with E"},
    {"small Fortran exponent", REAL "3 3 1\n1 1 1.5d3\n", 0, SYNTAX, 3, "write the exponent with E"},
    {"decimal comma", REAL "3 3 1\n1 1 1,5\n", 0, SYNTAX, 3, "the decimal sign is a point"},
    {"two points", REAL "3 3 1\n1 1 1.5.5\n", 0, SYNTAX, 3, "found \"1.5.5\""},
    {"exponent missing", REAL "3 3 1\n1 1 1e\n", 0, SYNTAX, 3, "found \"1e\""},
    {"point only", REAL "3 3 1\n1 1 .\n", 0, SYNTAX, 3, "found \".\""},
    {"sign only", REAL "3 3 1\n1 1 -\n", 0, SYNTAX, 3, "found \"-\""},
    {"two signs", REAL "3 3 1\n1 1 --1\n", 0, SYNTAX, 3, "found \"--1\""},
    {"NaN with payload", REAL "3 3 1\n1 1 nan(5)\n", 0, SYNTAX, 3, "found \"nan(5)\""},
    {"infinity cut short", REAL "3 3 1\n1 1 infin\n", 0, SYNTAX, 3, "found \"infin\""},
    {"suffix", REAL "3 3 1\n1 1 1.5f\n", 0, SYNTAX, 3, "found \"1.5f\""},
    {"point in an integer", INTEGER "3 3 1\n1 1 1.5\n", 0, SYNTAX, 3,
     "an integer, found \"1.5\"; the banner says"},
    {"exponent in an integer", INTEGER "3 3 1\n1 1 1e3\n", 0, SYNTAX, 3, "the banner says integer"},
    {"integer missing", INTEGER "3 3 1\n1 1\n", 0, SYNTAX, 3,
     "expected an integer, found the end of the line"},
    {"first error of two", REAL "3 3 3\n1 1 1\n1 1 x\n9 1 1\n", 0, SYNTAX, 4, "found \"x\""},
    {"upper entry of symmetric", SYMMETRIC "3 3 1\n1 2 1\n", 0, SYNTAX, 3, "found row 1, column 2"},
    {"both halves of symmetric", SYMMETRIC "3 3 2\n2 1 1\n1 2 1\n", 0, SYNTAX, 4, "the lower triangle"},
    {"upper entry of a pattern", BANNER("coordinate pattern symmetric") "3 3 1\n1 3\n", 0, SYNTAX, 3,
     "column 3"},
    {"upper entry of hermitian", BANNER("coordinate real hermitian") "3 3 1\n1 2 1\n", 0, SYNTAX, 3,
     "column 2"},
    {"diagonal of skew", SKEW "3 3 1\n2 2 5\n", 0, SYNTAX, 3,
     "0 on the diagonal of a skew-symmetric matrix, found \"5\""},
    {"NaN on the diagonal of skew", SKEW "3 3 1\n2 2 nan\n", 0, SYNTAX, 3, "found \"nan\""},
    {"upper entry of skew", SKEW "3 3 1\n1 2 5\n", 0, SYNTAX, 3, "the lower triangle"},
    {"array too short", ARRAY "2 2\n1\n2\n3\n", 0, SYNTAX, 6,
     "expected 4 entries, found the end of the file after 3"},
    {"array too long", ARRAY "2 1\n1\n2\n3\n", 0, SYNTAX, 5,
     "the end of the file after 2 entries, found \"3\""},
    {"two values on an array line", ARRAY "2 2\n1 2\n3 4\n", 0, SYNTAX, 3, "one value a line, found \"2\""},
    {"letters in an array", ARRAY "2 1\n1\nx\n", 0, SYNTAX, 4, "expected a number, found \"x\""},
    {"point in an integer array", BANNER("array integer general") "1 1\n1.5\n", 0, SYNTAX, 3,
     "the banner says integer"},
    {"symmetric array in full", BANNER("array real symmetric") "2 2\n1\n2\n2\n1\n", 0, SYNTAX, 6,
     "after 3 entries"},
    {"skew array with a diagonal", BANNER("array real skew-symmetric") "2 2\n0\n1\n0\n", 0, SYNTAX, 4,
     "after 1 entry"},
};

static const struct malformed smtx[] = {
    {"letters", "rows, cols, nnz\n", 0, SYNTAX, 1, "\"rows, columns, nonzeros\""},
    {"blanks between the sizes", "2 2 1\n0 1 1\n0\n", 0, SYNTAX, 1, "expected a comma"},
    {"sizes missing", "2, 2\n0 1 1\n0\n", 0, SYNTAX, 1, "expected a comma"},
    {"one number", "2", 0, SYNTAX, 1, "expected a comma"},
    {"letter behind a size", "2x, 2, 1\n0 1 1\n0\n", 0, SYNTAX, 1, "found \"2x,\""},
    {"negative size", "2, -2, 1\n0 1 1\n0\n", 0, SYNTAX, 1, "found \"-2,\""},
    {"too many rows", "2147483647, 2, 1\n0 1 1\n0\n", 0, SYNTAX, 1, "a number of rows from 0 to 2147483646"},
    {"rows beyond the file", "1000000, 2, 1\n0 1 1\n0\n", 0, SYNTAX, 1, "only 6 numbers fit"},
    {"nonzeros beyond the file", "2, 2, 1000\n0 1 1\n0\n", 0, SYNTAX, 1, "that fits in the file"},
    {"first offset not 0", "2, 2, 1\n1 1 1\n0\n", 0, SYNTAX, 2, "a row offset from 0 to 0, found \"1\""},
    {"offsets descend", "3, 2, 2\n0 2 1 2\n0 1\n", 0, SYNTAX, 2, "a row offset from 2 to 2, found \"1\""},
    {"last offset not nnz", "2, 2, 2\n0 1 1\n0 1\n", 0, SYNTAX, 2, "a row offset from 2 to 2, found \"1\""},
    {"offset beyond nnz", "2, 2, 1\n0 2 1\n0\n", 0, SYNTAX, 2, "a row offset from 0 to 1, found \"2\""},
    {"column beyond", "2, 2, 1\n0 1 1\n2\n", 0, SYNTAX, 3, "a column index from 0 to 1, found \"2\""},
    {"column missing", "2, 2, 2\n0 1 2\n0\n", 0, SYNTAX, 4, "found the end of the file"},
    {"column not closed", "2, 2, 1\n0 1 1\n0,\n", 0, SYNTAX, 3, "found \"0,\""},
    {"text behind the columns", "2, 2, 1\n0 1 1\n0 1\n", 0, SYNTAX, 3, "after 1 column indices, found \"1\""},
    {"nonzeros without columns", "1, 0, 1\n0 1\n0\n", 0, SYNTAX, 1, "no nonzeros without columns"},
    {"nonzeros without rows", "0, 4, 3\n3\n0 0 0\n", 0, SYNTAX, 1, "no nonzeros without rows"},
    {"web page", "<html>\n", 0, SYNTAX, 1, "an HTML or XML page"},
};

/* Errors that one reader refuses, in files of the other kinds. */
static const struct malformed kinds[] = {
    {"row 0 of a pattern", PATTERN "3 3 1\n0 1\n", 0, SYNTAX, 3, "count from 1"},
    {"row beyond of a pattern", PATTERN "3 3 1\n4 1\n", 0, SYNTAX, 3, "found \"4\""},
    {"column beyond of a pattern", PATTERN "3 3 1\n1 4\n", 0, SYNTAX, 3, "found \"4\""},
    {"row only of a pattern", PATTERN "3 3 1\n1\n", 0, SYNTAX, 3, "found the end of the line"},
    {"too few of a pattern", PATTERN "3 3 2\n1 1\n", 0, SYNTAX, 4, "after 1"},
    {"too many of a pattern", PATTERN "3 3 1\n1 1\n2 2\n", 0, SYNTAX, 4, "after 1 entry"},
    {"row 0 of integers", INTEGER "3 3 1\n0 1 1\n", 0, SYNTAX, 3, "count from 1"},
    {"letters for an integer", INTEGER "3 3 1\n1 1 x\n", 0, SYNTAX, 3, "an integer, found \"x\""},
    {"hexadecimal integer", INTEGER "3 3 1\n1 1 0x1\n", 0, SYNTAX, 3, "hexadecimal numbers are not read"},
    {"too few integers", INTEGER "3 3 2\n1 1 1\n", 0, SYNTAX, 4, "after 1"},
    {"row beyond of symmetric", SYMMETRIC "3 3 1\n4 1 1\n", 0, SYNTAX, 3, "found \"4\""},
    {"column beyond of symmetric", SYMMETRIC "3 3 1\n3 4 1\n", 0, SYNTAX, 3, "found \"4\""},
    {"value missing of symmetric", SYMMETRIC "3 3 1\n3 1\n", 0, SYNTAX, 3, "expected a number"},
    {"too few of symmetric", SYMMETRIC "3 3 2\n3 1 1\n", 0, SYNTAX, 4, "after 1"},
    {"too many of skew", SKEW "3 3 1\n2 1 1\n3 1 1\n", 0, SYNTAX, 4, "after 1 entry"},
    {"letters in skew", SKEW "3 3 1\n2 1 x\n", 0, SYNTAX, 3, "found \"x\""},
    {"two signs in an array", ARRAY "1 1\n+-1\n", 0, SYNTAX, 3, "found \"+-1\""},
    {"comma in an array", ARRAY "1 1\n1,5\n", 0, SYNTAX, 3, "the decimal sign is a point"},
    {"zero byte in an array", TEXT(ARRAY "1 1\n\0001\n"), SYNTAX, 3, "found \"\\x001\""},
    {"comment behind a value of an array", ARRAY "1 1\n1 % one\n", 0, SYNTAX, 3, "one value a line"},
    {"negative rows of an array", ARRAY "-1 1\n1\n", 0, SYNTAX, 2, "found \"-1\""},
};

/* Limits for each file: CPU seconds of all threads together, and peak memory in bytes. */
#define SECONDS_MAX 1
#define PEAK_BYTES(size) (4 * (uint64_t)(size) + (UINT64_C(16) << 20))

static void check_sentence(const char *name, const char *text)
{
    for (const char *p = text; *p != '\0'; p++)
        if (!isprint((unsigned char)*p))
            fail_msg("%s: the sentence holds the byte 0x%02x", name, (unsigned)(unsigned char)*p);
}

static void check_refused(const struct malformed *file, const char *source, int threads)
{
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_diag_t diag;
    spmm_matrix_t *matrix = (spmm_matrix_t *)&diag; /* the read must set it to NULL */
    const size_t size = file->size != 0 ? file->size : strlen(file->text);
    char *copy = malloc(size > 0 ? size : 1); /* sanitizers see a read past its end */
    memcpy(copy, file->text, size);
    options.threads = threads;
    spmmi_alloc_peak_reset();
    const clock_t start = clock();
    const spmm_status_t status = spmm_matrix_read(copy, size, source, &options, &matrix, &diag);
    assert_true((clock() - start) / CLOCKS_PER_SEC < SECONDS_MAX);
    assert_true(spmmi_alloc_peak_bytes() <= PEAK_BYTES(size));
    free(copy);
    assert_null(matrix);
    if (status != file->status || diag.status != status || diag.line != file->line ||
        strstr(diag.text, file->excerpt) == NULL || strncmp(diag.text, source, strlen(source)) != 0)
        fail_msg("%s: expected %s at line %llu with \"%s\", found %s at line %llu: %s", file->name,
                 spmm_status_name(file->status), (unsigned long long)file->line, file->excerpt,
                 spmm_status_name(status), (unsigned long long)diag.line, diag.text);
    check_sentence(file->name, diag.text);
    assert_int_equal(spmmi_alloc_live(), 0);
}

static size_t refused; /* number of files in tables that passed */

static void check_table(const struct malformed *table, size_t count, const char *source)
{
    for (size_t i = 0; i < count; i++) {
        check_refused(&table[i], source, 1);
        check_refused(&table[i], source, 3);
    }
    refused += count;
}

static void malformed_banners_are_refused(void **state)
{
    (void)state;
    check_table(banners, COUNT(banners), "/some/folder/bad.mtx");
}

/* A message names the path as it was given. If the path leaves no room for the sentence, it names only the
 * file. */
static void a_long_path_is_named_by_its_file(void **state)
{
    char path[200] = "";
    spmm_diag_t diag;
    spmm_matrix_t *matrix = NULL;
    (void)state;
    for (int i = 0; i < 12; i++)
        strcat(path, "/some/folder");
    strcat(path, "/bad.mtx");
    assert_int_equal(spmm_matrix_read("", 0, path, NULL, &matrix, &diag), SPMM_ERR_MATRIX_SYNTAX);
    assert_string_equal(diag.text, "bad.mtx, line 1: expected a matrix file, found an empty file");
    assert_int_equal(spmm_matrix_read("", 0, strrchr(path, '/') - 40, NULL, &matrix, &diag),
                     SPMM_ERR_MATRIX_SYNTAX);
    assert_memory_equal(diag.text, strrchr(path, '/') - 40, 48);
}

static void malformed_size_lines_are_refused(void **state)
{
    (void)state;
    check_table(size_lines, COUNT(size_lines), "bad.mtx");
}

static void malformed_entries_are_refused(void **state)
{
    (void)state;
    check_table(entries, COUNT(entries), "bad.mtx");
}

static void malformed_values_are_refused(void **state)
{
    (void)state;
    check_table(values, COUNT(values), "bad.mtx.gz");
}

static void malformed_smtx_files_are_refused(void **state)
{
    (void)state;
    check_table(smtx, COUNT(smtx), "bad.smtx");
}

static void malformed_files_of_every_kind_are_refused(void **state)
{
    (void)state;
    check_table(kinds, COUNT(kinds), "bad.mtx.zst");
}

/* Runs after the tables. */
static void there_are_two_hundred_malformed_files(void **state)
{
    (void)state;
    assert_true(refused >= 200);
    printf("scorecard: E13 %zu malformed matrix files with fixed verdicts, none takes 1 s or more than 4 x "
           "file + 16 MiB\n",
           refused);
}

static void an_endless_banner_is_refused(void **state)
{
    const size_t size = 200000;
    char *text = malloc(size);
    spmm_diag_t diag;
    spmm_matrix_t *matrix = NULL;
    (void)state;
    memset(text, ' ', size);
    memcpy(text, "%%MatrixMarket matrix", 21);
    assert_int_equal(spmm_matrix_read(text, size, "long", NULL, &matrix, &diag), SYNTAX);
    assert_non_null(strstr(diag.text, "at most 1024 characters"));
    assert_null(matrix);
    free(text);
}

/* One bad entry is far inside a file that many threads read. The message must name the first error, whichever
 * thread finds it. */
static void the_first_error_of_a_long_file_is_named(void **state)
{
    static const char *const bad_lines[] = {"7 7 x\n", "0 7 1\n", "7 1000001 1\n", "7 7 1 1\n", "7\n"};
    const int lines = 60000;
    char *text = malloc((size_t)lines * 24 + 200);
    (void)state;
    for (size_t b = 0; b < COUNT(bad_lines); b++) {
        char *p = text + sprintf(text, "%s1000000 1000000 %d\n", REAL, lines);
        for (int i = 0; i < lines; i++) {
            if (i == 41000)
                p += sprintf(p, "%s", bad_lines[b]);
            else if (i == 59000) /* a later error, which already the first pass finds */
                p += sprintf(p, "9999999 1 1\n");
            else
                p += sprintf(p, "%d %d 0.5\n", i + 1, i + 7);
        }
        for (int threads = 1; threads <= 8; threads *= 2) {
            spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
            spmm_diag_t diag;
            spmm_matrix_t *matrix = NULL;
            options.threads = threads;
            assert_int_equal(spmm_matrix_read(text, (size_t)(p - text), "long", &options, &matrix, &diag),
                             SYNTAX);
            assert_int_equal(diag.line, 41003);
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_banners_are_refused),
        cmocka_unit_test(a_long_path_is_named_by_its_file),
        cmocka_unit_test(malformed_size_lines_are_refused),
        cmocka_unit_test(malformed_entries_are_refused),
        cmocka_unit_test(malformed_values_are_refused),
        cmocka_unit_test(malformed_smtx_files_are_refused),
        cmocka_unit_test(malformed_files_of_every_kind_are_refused),
        cmocka_unit_test(an_endless_banner_is_refused),
        cmocka_unit_test(the_first_error_of_a_long_file_is_named),
        cmocka_unit_test(there_are_two_hundred_malformed_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
