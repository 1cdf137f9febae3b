/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, written as it comes: objects and arrays opened and closed in order, with indentation.
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

/* Bytes that are not UTF-8 become U+FFFD. NULL is written as null. */
void json_text(struct json *j, const char *key, const char *text);
void json_int(struct json *j, const char *key, int64_t value);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
/* 17 digits bring every double back, 9 every float. NaN and infinities become null: JSON has none. */
void json_double(struct json *j, const char *key, double value);
void json_float(struct json *j, const char *key, double value);
/* Bytes as lower-case hexadecimal text. */
void json_hex(struct json *j, const char *key, const uint8_t *bytes, size_t count);

/* Final newline and flush. False when writing failed at any point. */
bool json_finish(struct json *j);

#endif
