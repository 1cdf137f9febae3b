/* SPDX-License-Identifier: Apache-2.0 */
/* Writes indented JSON to a stream. Objects and arrays are opened and closed in order.
 *
 *     struct json j;
 *     json_start(&j, stdout);
 *     json_object(&j, NULL);          key NULL: the top, or an element of an array
 *     json_int(&j, "rows", 3);
 *     json_array(&j, "n"); json_int(&j, NULL, 8); json_end(&j);
 *     json_end(&j);
 *     ok = json_finish(&j);                                                                       */
#ifndef SPMM_TOOLS_JSON_H
#define SPMM_TOOLS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

struct json {
    FILE *out;
    int depth;
    bool is_array[JSON_DEPTH_MAX];
    bool has_members[JSON_DEPTH_MAX];
};

void json_start(struct json *j, FILE *out);
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_end(struct json *j); /* closes the innermost object or array */

/* Replaces bytes that are not UTF-8 by U+FFFD. Writes NULL as null. */
void json_text(struct json *j, const char *key, const char *text);
void json_int(struct json *j, const char *key, int64_t value);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
/* Write enough digits to read the same number back: 17 for a double, 9 for a float. NaN and infinities, which
 * JSON does not have, become null. */
void json_double(struct json *j, const char *key, double value);
void json_float(struct json *j, const char *key, double value);
/* Writes bytes as lower-case hexadecimal text. */
void json_hex(struct json *j, const char *key, const uint8_t *bytes, size_t count);

/* Writes the final newline and flushes. Returns false if any write failed. */
bool json_finish(struct json *j);

#endif
