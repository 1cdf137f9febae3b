/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the header of a NumPy array: magic, version 1.0 to 3.0, length, and a Python dictionary with three
 * keys:
 *   {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 * It is parsed as text of exactly this form; nothing is evaluated. See npy_array.h. */
#include <string.h>

#include "digits.h"
#include "format/base/checked.h"
#include "format/base/diag.h"
#include "format/plan.h"
#include "npy_array.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6u
#define HEADER_MAX 16384u /* bytes of the dictionary; NumPy writes 118 */
#define DESCR_MAX 16

struct header {
    const char *p, *end;
    char descr[DESCR_MAX];
    bool has_descr, has_permutation, has_shape, fortran_order;
};

static void skip_blanks(struct header *h)
{
    while (h->p < h->end && (*h->p == ' ' || *h->p == '\n' || *h->p == '\t'))
        h->p++;
}

static bool take(struct header *h, const char *token)
{
    const size_t length = strlen(token);
    skip_blanks(h);
    if ((size_t)(h->end - h->p) < length || memcmp(h->p, token, length) != 0)
        return false;
    h->p += length;
    return true;
}

/* Reads a quoted text without escapes. */
static bool take_text(struct header *h, char *text, size_t capacity)
{
    size_t length = 0;
    skip_blanks(h);
    const char quote = h->p < h->end ? *h->p : '\0';
    if (quote != '\'' && quote != '"')
        return false;
    for (h->p++; h->p < h->end && *h->p != quote && *h->p != '\\'; h->p++) {
        if (length + 1 >= capacity)
            return false;
        text[length++] = *h->p;
    }
    text[length] = '\0';
    return h->p < h->end && *h->p++ == quote;
}

/* Reads a shape: (), (3,), (3, 4), ... */
static bool take_shape(struct header *h, struct spmmi_npy *npy)
{
    npy->dims = 0;
    if (!take(h, "("))
        return false;
    while (!take(h, ")")) {
        uint64_t size = 0;
        skip_blanks(h);
        const char *next = spmmi_count_read(h->p, h->end, &size);
        if (next == NULL || npy->dims == SPMMI_NPY_DIMS)
            return false;
        h->p = next;
        npy->shape[npy->dims++] = (int64_t)size;
        if (!take(h, ",") && !(npy->dims > 1 && take(h, ")")))
            return false;
        if (h->p[-1] == ')')
            break;
    }
    return true;
}

/* Reads one key and its value. Each key must occur once. */
static bool take_item(struct header *h, struct spmmi_npy *npy)
{
    char key[DESCR_MAX];
    if (!take_text(h, key, sizeof key) || !take(h, ":"))
        return false;
    if (strcmp(key, "descr") == 0 && !h->has_descr)
        return (h->has_descr = take_text(h, h->descr, sizeof h->descr));
    if (strcmp(key, "shape") == 0 && !h->has_shape)
        return (h->has_shape = take_shape(h, npy));
    if (strcmp(key, "fortran_order") != 0 || h->has_permutation)
        return false;
    h->fortran_order = take(h, "True");
    return (h->has_permutation = h->fortran_order || take(h, "False"));
}

static bool take_header(struct header *h, struct spmmi_npy *npy)
{
    if (!take(h, "{"))
        return false;
    while (!take(h, "}")) {
        if (!take_item(h, npy))
            return false;
        if (!take(h, ",") && !take(h, "}"))
            return false;
        if (h->p[-1] == '}')
            break;
    }
    skip_blanks(h);
    return h->p == h->end && h->has_descr && h->has_permutation && h->has_shape;
}

static spmm_status_t not_a_header(struct spmmi_npy *npy, const struct header *h)
{
    char found[SPMMI_TOKEN_BYTES];
    return spmmi_zip_fail(
        npy->zip, SPMM_ERR_MATRIX_SYNTAX,
        "expected a header with descr, fortran_order and shape of at most %d dimensions, found %s",
        SPMMI_NPY_DIMS, spmmi_token(h->p, h->end, found));
}

/* Reads a type such as '<f8': byte order, kind, bytes. */
static spmm_status_t set_type(struct spmmi_npy *npy, const char *descr)
{
    uint64_t bytes = 0;
    char shown[SPMMI_TOKEN_BYTES];
    const char *end = descr + strlen(descr);
    if (strchr(descr, 'O') != NULL)
        return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_UNSUPPORTED,
                              "Python objects are not read, found the type \"|O\"");
    /* Also true at the terminating zero of an empty or short descr; it then has no bytes and is refused. */
    const bool is_text = strchr("SU", descr[1]) != NULL;
    const bool ordered = descr[0] != '\0' && strchr("<>|=", descr[0]) != NULL;
    if (!ordered || spmmi_count_read(descr + 2 < end ? descr + 2 : end, end, &bytes) != end)
        bytes = 0;
    npy->kind = ordered ? descr[1] : '\0';
    npy->big_endian = descr[0] == '>';
    const bool known = is_text            ? bytes >= 1 && bytes <= 64
                       : npy->kind == 'b' ? bytes == 1
                       : npy->kind == 'f' ? bytes == 2 || bytes == 4 || bytes == 8
                       : npy->kind == 'i' || npy->kind == 'u'
                           ? bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8
                           : false;
    npy->bytes = (int)(npy->kind == 'U' ? 4 * bytes : bytes);
    if (known)
        return SPMM_OK;
    spmmi_escape(descr, strlen(descr), shown, sizeof shown);
    return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_UNSUPPORTED,
                          "expected numbers of type b1, i1 to i8, u1 to u8, f2, f4 or f8, found \"%s\"%s",
                          shown,
                          npy->kind == 'c'   ? ", complex numbers"
                          : npy->kind == 'V' ? ", such as bfloat16"
                                             : "");
}

/* Computes the number of elements, which must fill the rest of the member. */
static spmm_status_t set_count(struct spmmi_npy *npy)
{
    uint64_t count = 1;
    uint64_t bytes = 0;
    bool exact = true;
    for (int i = 0; i < npy->dims; i++)
        exact = exact && spmmi_mul_u64(count, (uint64_t)npy->shape[i], &count);
    exact = exact && spmmi_mul_u64(count, (uint64_t)npy->bytes, &bytes);
    if (!exact || bytes != npy->zip->left)
        return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_SYNTAX,
                              "expected %llu bytes of numbers, as its shape says, found %llu",
                              exact ? (unsigned long long)bytes : ~0ULL, (unsigned long long)npy->zip->left);
    if (count > (uint64_t)SPMMI_NNZ_MAX)
        return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_TOO_LARGE,
                              "expected at most %lld numbers, found %llu", (long long)SPMMI_NNZ_MAX,
                              (unsigned long long)count);
    npy->count = (int64_t)count;
    return SPMM_OK;
}

/* Reads magic and version, and sets *length to the length of the dictionary. */
static spmm_status_t sniff(struct spmmi_npy *npy, uint32_t *length)
{
    spmm_status_t status = SPMM_OK;
    const unsigned char *b = NULL;
    SPMM_TRY(spmmi_zip_next(npy->zip, MAGIC_BYTES + 2, &b));
    if (memcmp(b, MAGIC, MAGIC_BYTES) != 0) {
        status =
            spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_SYNTAX, "expected a NumPy array, found other bytes");
        goto cleanup;
    }
    const unsigned version = b[MAGIC_BYTES];
    if (version < 1 || version > 3 || b[MAGIC_BYTES + 1] != 0) {
        status = spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_UNSUPPORTED,
                                "expected version 1.0, 2.0 or 3.0 of the NumPy format, found %u.%u", version,
                                (unsigned)b[MAGIC_BYTES + 1]);
        goto cleanup;
    }
    SPMM_TRY(spmmi_zip_next(npy->zip, version == 1 ? 2 : 4, &b));
    *length = (uint32_t)b[0] | (uint32_t)b[1] << 8;
    if (version > 1)
        *length |= (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    if (*length > HEADER_MAX)
        status = spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_SYNTAX,
                                "expected a header of at most %u bytes, found a length of %lu", HEADER_MAX,
                                (unsigned long)*length);
cleanup:
    return status;
}

spmm_status_t spmmi_npy_open(struct spmmi_zip *zip, const char *member, struct spmmi_npy *npy)
{
    spmm_status_t status = SPMM_OK;
    uint32_t length = 0;
    const unsigned char *bytes = NULL;
    struct header h;
    memset(&h, 0, sizeof h);
    memset(npy, 0, sizeof *npy);
    npy->zip = zip;
    SPMM_TRY(spmmi_zip_enter(zip, member));
    SPMM_TRY(sniff(npy, &length));
    SPMM_TRY(spmmi_zip_next(zip, length, &bytes));
    h.p = (const char *)bytes;
    h.end = h.p + length;
    if (!take_header(&h, npy)) {
        status = not_a_header(npy, &h);
        goto cleanup;
    }
    SPMM_TRY(set_type(npy, h.descr));
    SPMM_TRY(set_count(npy));
    if (h.fortran_order && npy->dims > 1)
        status = spmmi_zip_fail(zip, SPMM_ERR_MATRIX_UNSUPPORTED,
                                "expected numbers row by row, found fortran_order: True");
cleanup:
    return status;
}

spmm_status_t spmmi_npy_close(struct spmmi_npy *npy)
{
    return spmmi_zip_leave(npy->zip);
}

spmm_status_t spmmi_npy_expect(struct spmmi_npy *npy, bool whole, int dims)
{
    if (npy->dims != dims)
        return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_SYNTAX,
                              "expected an array of %d dimensions, found %d", dims, npy->dims);
    if (npy->kind == 'S' || npy->kind == 'U' || (whole && npy->kind != 'i' && npy->kind != 'u'))
        return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_SYNTAX, "expected %s, found type %c%d",
                              whole ? "integers" : "numbers", npy->kind, npy->bytes);
    return SPMM_OK;
}
