/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the elements of a NumPy array, block by block. See npy_array.h. */
#include <string.h>

#include "format/base/diag.h"
#include "format/base/half.h"
#include "npy_array.h"

/* Returns the bits of an element as an integer. */
static uint64_t load_bits(const unsigned char *p, const struct spmmi_npy *npy)
{
    uint64_t bits = 0;
    for (int i = 0; i < npy->bytes; i++)
        bits |= (uint64_t)p[npy->big_endian ? npy->bytes - 1 - i : i] << (8 * i);
    return bits;
}

/* Converts the bits of an i1 to i8. */
static int64_t as_signed(uint64_t bits, int bytes)
{
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((bits ^ sign) - sign);
}

static double as_real(uint64_t bits, int bytes)
{
    double number = 0;
    float single = 0;
    const uint32_t low = (uint32_t)bits;
    if (bytes == 2)
        return (double)spmmi_f32_from_f16((uint16_t)bits);
    if (bytes == 4) {
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Rounds an integer to a double. Increments *inexact if the double is not exact. */
static double rounded(uint64_t magnitude, bool negative, int64_t *inexact)
{
    const double number = (double)magnitude;
    *inexact += number >= 18446744073709551616.0 || (uint64_t)number != magnitude;
    return negative ? -number : number;
}

static double number_of(uint64_t bits, const struct spmmi_npy *npy, int64_t *inexact)
{
    if (npy->kind == 'f')
        return as_real(bits, npy->bytes);
    if (npy->kind == 'b')
        return bits != 0;
    const bool negative = npy->kind == 'i' && as_signed(bits, npy->bytes) < 0;
    return rounded(negative ? 0 - (uint64_t)as_signed(bits, npy->bytes) : bits, negative, inexact);
}

/* The output arrays; each caller sets only those that it needs. */
struct target {
    double *reals;
    int64_t *inexact; /* used with reals */
    int64_t *integers;
    int32_t *indices;
    int64_t limit; /* used with indices */
};

/* Converts the bytes of the elements done .. done + count - 1. */
typedef spmm_status_t take(struct spmmi_npy *npy, const unsigned char *bytes, int64_t done, int64_t count,
                           const struct target *to);

/* Calls take_block for all elements, block by block. */
static spmm_status_t each_block(struct spmmi_npy *npy, int64_t count, take *take_block,
                                const struct target *to)
{
    spmm_status_t status = SPMM_OK;
    const int64_t most = SPMMI_ZIP_BLOCK / (unsigned)npy->bytes;
    int64_t some = 0;
    for (int64_t done = 0; done < count; done += some) {
        const unsigned char *bytes = NULL;
        some = count - done < most ? count - done : most;
        SPMM_TRY(spmmi_zip_next(npy->zip, (unsigned)(some * npy->bytes), &bytes));
        SPMM_TRY(take_block(npy, bytes, done, some, to));
    }
cleanup:
    return status;
}

static spmm_status_t take_reals(struct spmmi_npy *npy, const unsigned char *bytes, int64_t done,
                                int64_t count, const struct target *to)
{
    for (int64_t i = 0; i < count; i++)
        to->reals[done + i] = number_of(load_bits(bytes + i * npy->bytes, npy), npy, to->inexact);
    return SPMM_OK;
}

spmm_status_t spmmi_npy_reals(struct spmmi_npy *npy, double *to, int64_t count, int64_t *inexact)
{
    return each_block(npy, count, take_reals, &(struct target){.reals = to, .inexact = inexact});
}

static spmm_status_t integer_of(struct spmmi_npy *npy, uint64_t bits, int64_t *number)
{
    if (npy->kind != 'i' && bits > INT64_MAX)
        return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_TOO_LARGE, "expected numbers below 2^63, found %llu",
                              (unsigned long long)bits);
    *number = npy->kind == 'i' ? as_signed(bits, npy->bytes) : (int64_t)bits;
    return SPMM_OK;
}

static spmm_status_t take_integers(struct spmmi_npy *npy, const unsigned char *bytes, int64_t done,
                                   int64_t count, const struct target *to)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t i = 0; i < count; i++)
        SPMM_TRY(integer_of(npy, load_bits(bytes + i * npy->bytes, npy), &to->integers[done + i]));
cleanup:
    return status;
}

spmm_status_t spmmi_npy_integers(struct spmmi_npy *npy, int64_t *to, int64_t count)
{
    return each_block(npy, count, take_integers, &(struct target){.integers = to});
}

static spmm_status_t take_indices(struct spmmi_npy *npy, const unsigned char *bytes, int64_t done,
                                  int64_t count, const struct target *to)
{
    spmm_status_t status = SPMM_OK;
    for (int64_t i = 0; i < count; i++) {
        int64_t index = 0;
        SPMM_TRY(integer_of(npy, load_bits(bytes + i * npy->bytes, npy), &index));
        if (index < 0 || index >= to->limit)
            return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_SYNTAX,
                                  "expected an index from 0 to %lld, found %lld as number %lld",
                                  (long long)to->limit - 1, (long long)index, (long long)(done + i));
        to->indices[done + i] = (int32_t)index;
    }
cleanup:
    return status;
}

spmm_status_t spmmi_npy_indices(struct spmmi_npy *npy, int32_t *to, int64_t count, int64_t limit)
{
    return each_block(npy, count, take_indices, &(struct target){.indices = to, .limit = limit});
}

spmm_status_t spmmi_npy_text(struct spmmi_npy *npy, char *text, size_t capacity)
{
    spmm_status_t status = SPMM_OK;
    const unsigned char *bytes = NULL;
    const int step = npy->kind == 'U' ? 4 : 1;
    memset(text, 0, capacity);
    if ((npy->kind != 'S' && npy->kind != 'U') || npy->count != 1)
        return spmmi_zip_fail(npy->zip, SPMM_ERR_MATRIX_SYNTAX, "expected one text, found %lld of type %c%d",
                              (long long)npy->count, npy->kind, npy->bytes);
    SPMM_TRY(spmmi_zip_next(npy->zip, (unsigned)npy->bytes, &bytes));
    for (int i = 0; i * step < npy->bytes && (size_t)i + 1 < capacity; i++)
        text[i] = (char)bytes[i * step + (npy->big_endian ? step - 1 : 0)];
cleanup:
    return status;
}
