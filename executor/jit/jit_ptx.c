/* SPDX-License-Identifier: Apache-2.0 */
/* See jit_ptx.h. */
#include "jit_ptx.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/base/alloc.h"
#include "format/base/stored_value.h"
#include "format/plan.h"
#include "jit_stored.h"

/* Text in a buffer of SPMMI_JIT_PTX_MAX bytes. */
struct text {
    char *at;
    uint32_t used;
    bool is_full; /* something did not fit */
};

struct program {
    struct text text;
    const struct spmmi_jit_matrix *a;
    const char *type, *zero, *one; /* PTX type of sums and factors, and its constants 0 and 1 */
    const struct spmmi_jit_stored *b, *c;
    unsigned labels; /* number of labels written so far */
};

static __attribute__((format(printf, 2, 3))) void put(struct program *p, const char *format, ...)
{
    struct text *const text = &p->text;
    const uint32_t room = SPMMI_JIT_PTX_MAX - text->used;
    va_list arguments;
    if (text->is_full)
        return;
    va_start(arguments, format);
    const int length = vsnprintf(text->at + text->used, room, format, arguments);
    va_end(arguments);
    text->is_full = (uint32_t)length >= room; /* also if length is negative */
    if (!text->is_full)
        text->used += (uint32_t)length;
}

static bool is_double(const struct spmmi_jit_matrix *a)
{
    return a->types.sum == SPMM_F64;
}

/* Returns the number of 32-bit registers of a value. */
static unsigned registers_of(const struct spmmi_jit_matrix *a)
{
    return is_double(a) ? 2 : 1;
}

static bool fits_registers(const struct spmmi_jit_matrix *a, int64_t values)
{
    return values * registers_of(a) <= SPMMI_JIT_REGISTERS_MAX;
}

static bool is_empty_row(const struct spmmi_jit_matrix *a, int64_t row)
{
    return a->row_ptr[row] == a->row_ptr[row + 1];
}

static int64_t count_filled_rows(const struct spmmi_jit_matrix *a)
{
    int64_t count = 0;
    for (int64_t i = 0; i < a->rows; i++)
        count += !is_empty_row(a, i);
    return count;
}

/* Marks the columns that have an entry and counts them. */
static int64_t used_columns(const struct spmmi_jit_matrix *a, bool is_used[SPMMI_JIT_DIMENSION_MAX])
{
    int64_t count = 0;
    memset(is_used, 0, SPMMI_JIT_DIMENSION_MAX * sizeof *is_used);
    for (int64_t q = 0; q < a->row_ptr[a->rows]; q++) {
        count += !is_used[a->col_ind[q]];
        is_used[a->col_ind[q]] = true;
    }
    return count;
}

const char *spmmi_jit_ptx_refuse(const struct spmmi_jit_matrix *a)
{
    bool is_used[SPMMI_JIT_DIMENSION_MAX];
    if (spmmi_types_find(a->types) == NULL || spmmi_jit_stored_of(a->types.b) == NULL ||
        spmmi_jit_stored_of(a->types.c) == NULL)
        return "no operator has values of these types";
    if (a->rows > SPMMI_JIT_DIMENSION_MAX || a->cols > SPMMI_JIT_DIMENSION_MAX)
        return "it has more than 8192 rows or columns";
    if (a->row_ptr[a->rows] * registers_of(a) > SPMMI_JIT_NNZ_MAX)
        return is_double(a) ? "it has more than 2048 nonzeros of f64" : "it has more than 4096 nonzeros";
    if (a->row_ptr[a->rows] == 0)
        return "it has no nonzeros";
    if (!fits_registers(a, used_columns(a, is_used)) && !fits_registers(a, count_filled_rows(a)))
        return "both its rows and its columns need more than 190 registers";
    return NULL;
}

/* ---- instructions ---- */

static void put_head(struct program *p)
{
    put(p,
        ".version 7.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry " SPMMI_JIT_ENTRY_POINT "(.param .u64 b, .param .u64 c, .param .u64 b_column, "
        ".param .u64 c_column, .param .u32 b_row, .param .u32 c_row, .param .u32 n, .param .%s alpha, "
        ".param .%s beta)\n.maxntid %u, 1, 1\n{\n",
        p->type, p->type, SPMMI_JIT_THREADS);
    put(p, ".reg .pred %%p<3>;\n.reg .u32 %%r<6>;\n.reg .u64 %%d<6>;\n.reg .u64 %%a<%u>;\n", SPMMI_JIT_GROUP);
    put(p, ".reg .%s %%alpha, %%beta;\n.reg .%s %%c<%u>, %%o<%u>;\n", p->type, p->type, SPMMI_JIT_GROUP,
        SPMMI_JIT_GROUP);
    put(p, ".reg .%s %%b<%lld>;\n.reg .%s %%s<%lld>;\n", p->type, (long long)p->a->cols, p->type,
        (long long)p->a->rows);
    if (p->b->widen != NULL)
        put(p, ".reg .%s %%h<%lld>;\n", p->b->word, (long long)p->a->cols);
    if (p->c->widen != NULL)
        put(p, ".reg .%s %%g<%u>;\n.reg .%s %%w;\n", p->c->word, SPMMI_JIT_GROUP, p->c->word);
    put(p, "ld.param.u64 %%d0, [b];\nld.param.u64 %%d1, [c];\nld.param.u64 %%d2, [b_column];\n"
           "ld.param.u64 %%d3, [c_column];\nld.param.u32 %%r0, [b_row];\nld.param.u32 %%r1, [c_row];\n"
           "ld.param.u32 %%r2, [n];\n");
    put(p, "ld.param.%s %%alpha, [alpha];\nld.param.%s %%beta, [beta];\n", p->type, p->type);
}

/* Emits the thread's column: %d0 and %d1 are its addresses in row 0 of B and C; %p1: beta
 * is 0; %p2: beta is not 1. */
static void put_column(struct program *p)
{
    put(p,
        "mov.u32 %%r3, %%ctaid.x;\nmov.u32 %%r4, %%tid.x;\nmad.lo.u32 %%r5, %%r3, %u, %%r4;\n"
        "setp.ge.u32 %%p0, %%r5, %%r2;\n@%%p0 ret;\ncvt.u64.u32 %%d4, %%r5;\n"
        "mad.lo.u64 %%d0, %%d4, %%d2, %%d0;\nmad.lo.u64 %%d1, %%d4, %%d3, %%d1;\n",
        SPMMI_JIT_THREADS);
    put(p, "setp.eq.%s %%p1, %%beta, %s;\nsetp.neu.%s %%p2, %%beta, %s;\n", p->type, p->zero, p->type,
        p->one);
}

/* Emits value q of A as an immediate operand, bit by bit. */
static void put_value(struct program *p, int64_t q)
{
    const double value = spmmi_value_load(p->a->values, p->a->types.a, q);
    if (is_double(p->a)) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        put(p, "0d%016llX", (unsigned long long)bits);
    } else {
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        put(p, "0f%08X", bits);
    }
}

static void put_zero(struct program *p, const char *name, int64_t number)
{
    put(p, "mov.%s %%%s%lld, %s;\n", p->type, name, (long long)number, p->zero);
}

/* Emits the conversion from a loaded register to register `to` of this number;
 * nothing if they are the same. */
static void put_widened(struct program *p, const struct spmmi_jit_stored *stored, char to, char from,
                        int64_t number)
{
    if (stored->widen != NULL)
        put(p, "%s %%%c%lld, %s%%%c%lld%s;\n", stored->widen, to, (long long)number, stored->before, from,
            (long long)number, stored->behind);
}

/* Emits loads of the elements of B for the used columns of op(A) from first to last - 1. All loads are issued
 * before the first value is widened. */
static void put_load_b(struct program *p, const bool *is_used, int64_t first, int64_t last)
{
    for (int64_t j = first; j < last; j++)
        if (is_used[j])
            put(p, "mad.wide.u32 %%d5, %%r0, %lld, %%d0;\nld.global.nc.%s %%%c%lld, [%%d5];\n", (long long)j,
                p->b->word, p->b->widen != NULL ? 'h' : 'b', (long long)j);
    for (int64_t j = first; j < last; j++)
        if (is_used[j])
            put_widened(p, p->b, 'b', 'h', j);
}

/* Emits the addition of nonzero q times its element of B to the sum of row `sum`. */
static void put_product(struct program *p, int64_t sum, int64_t q, int64_t column)
{
    put(p, "fma.rn.%s %%s%lld, ", p->type, (long long)sum);
    put_value(p, q);
    put(p, ", %%b%lld, %%s%lld;\n", (long long)column, (long long)sum);
}

/* put_if_beta and put_end_if_beta enclose code that is skipped if beta is 0, the usual case. They use
 * one branch per group of rows: a predicated instruction takes as long as an executed one, even if
 * its predicate is false. */
static void put_if_beta(struct program *p)
{
    put(p, "@%%p1 bra L%u;\n", p->labels);
}

static void put_end_if_beta(struct program *p)
{
    put(p, "L%u:\n", p->labels++);
}

/* Emits the addresses of a group of rows of C, and loads of their elements if beta is not 0. */
static void put_load_c(struct program *p, int64_t first, int64_t count)
{
    for (long long slot = 0; slot < count; slot++)
        put(p, "mad.wide.u32 %%a%lld, %%r1, %lld, %%d1;\n", slot, (long long)first + slot);
    put_if_beta(p);
    for (long long slot = 0; slot < count; slot++)
        put(p, "ld.global.%s %%%c%lld, [%%a%lld];\n", p->c->word, p->c->widen != NULL ? 'g' : 'c', slot,
            slot);
    put_end_if_beta(p);
}

/* Emits %o of a row for beta != 0: alpha times its sum plus beta times the old element of C. */
static void put_added(struct program *p, int64_t row, int64_t slot)
{
    const long long at = slot;
    put_widened(p, p->c, 'c', 'g', slot);
    put(p, "mul.rn.%s %%c%lld, %%beta, %%c%lld;\n", p->type, at, at);
    if (is_empty_row(p->a, row))
        put(p, "add.rn.%s %%o%lld, %%c%lld, %s;\n", p->type, at, at, p->zero);
    else
        put(p, "fma.rn.%s %%o%lld, %%alpha, %%s%lld, %%c%lld;\n", p->type, at, (long long)row, at);
}

/* Emits %o of a group of rows from their sums. */
static void put_scaled(struct program *p, int64_t first, int64_t count)
{
    for (int64_t slot = 0; slot < count; slot++)
        if (is_empty_row(p->a, first + slot))
            put_zero(p, "o", slot);
        else
            put(p, "mul.rn.%s %%o%lld, %%alpha, %%s%lld;\n", p->type, (long long)slot,
                (long long)(first + slot));
    put_if_beta(p);
    for (int64_t slot = 0; slot < count; slot++)
        put_added(p, first + slot, slot);
    put_end_if_beta(p);
}

/* Emits stores of %o of a group of rows to C, rounded once. With beta = 1 an empty row
 * stays as it is, to the bit. */
static void put_store_c(struct program *p, int64_t first, int64_t count)
{
    for (long long slot = 0; slot < count; slot++) {
        const char *const predicate = is_empty_row(p->a, first + slot) ? "@%p2 " : "";
        if (p->c->narrow != NULL)
            put(p, "%s %%w, %%o%lld;\n%sst.global.%s [%%a%lld], %%w;\n", p->c->narrow, slot, predicate,
                p->c->word, slot);
        else
            put(p, "%sst.global.%s [%%a%lld], %%o%lld;\n", predicate, p->c->word, slot, slot);
    }
}

/* ---- the two forms ---- */

static void put_row_sum(struct program *p, int64_t row)
{
    const struct spmmi_jit_matrix *const a = p->a;
    if (is_empty_row(a, row))
        return;
    put_zero(p, "s", row);
    for (int64_t q = a->row_ptr[row]; q < a->row_ptr[row + 1]; q++)
        put_product(p, row, q, a->col_ind[q]);
}

/* Emits all rows of C, in groups; sums_now: also their sums, which are not computed yet. */
static void put_rows(struct program *p, bool sums_now)
{
    for (int64_t first = 0; first < p->a->rows && !p->text.is_full; first += SPMMI_JIT_GROUP) {
        const int64_t left = p->a->rows - first, count = left < SPMMI_JIT_GROUP ? left : SPMMI_JIT_GROUP;
        put_load_c(p, first, count);
        for (int64_t row = first; row < first + count && sums_now; row++)
            put_row_sum(p, row);
        put_scaled(p, first, count);
        put_store_c(p, first, count);
    }
}

/* Emits the form that keeps the column of B in registers. */
static void put_by_rows(struct program *p, const bool is_used[SPMMI_JIT_DIMENSION_MAX])
{
    put_load_b(p, is_used, 0, p->a->cols);
    put_rows(p, true);
}

/* Emits the form that keeps the sums of all rows in registers and loads rows of B in groups. */
static bool put_by_columns(struct program *p, const bool is_used[SPMMI_JIT_DIMENSION_MAX])
{
    const struct spmmi_jit_matrix *const a = p->a;
    const int64_t nnz = a->row_ptr[a->rows];
    int64_t *starts = spmmi_alloc((uint64_t)a->cols + 1, sizeof *starts);
    int64_t *map = spmmi_alloc((uint64_t)nnz, sizeof *map);
    int32_t *rows = spmmi_alloc((uint64_t)nnz, sizeof *rows);
    bool is_done = starts != NULL && map != NULL && rows != NULL;
    is_done =
        is_done && spmmi_transpose(a->rows, a->cols, a->row_ptr, a->col_ind, starts, rows, map) == SPMM_OK;
    for (int64_t i = 0; is_done && i < a->rows; i++)
        if (!is_empty_row(a, i))
            put_zero(p, "s", i);
    for (int64_t first = 0; is_done && first < a->cols; first += SPMMI_JIT_GROUP) {
        const int64_t last = first + SPMMI_JIT_GROUP < a->cols ? first + SPMMI_JIT_GROUP : a->cols;
        put_load_b(p, is_used, first, last);
        for (int64_t j = first; j < last; j++)
            for (int64_t q = starts[j]; q < starts[j + 1]; q++)
                put_product(p, rows[q], map[q], j);
    }
    if (is_done)
        put_rows(p, false);
    spmmi_free(rows);
    spmmi_free(map);
    spmmi_free(starts);
    return is_done;
}

char *spmmi_jit_ptx_emit(const struct spmmi_jit_matrix *a, uint32_t *bytes, const char **why)
{
    bool is_used[SPMMI_JIT_DIMENSION_MAX], is_done = true;
    struct program p = {.a = a,
                        .type = is_double(a) ? "f64" : "f32",
                        .zero = is_double(a) ? "0d0000000000000000" : "0f00000000",
                        .one = is_double(a) ? "0d3FF0000000000000" : "0f3F800000",
                        .b = spmmi_jit_stored_of(a->types.b),
                        .c = spmmi_jit_stored_of(a->types.c)};
    *why = spmmi_jit_ptx_refuse(a);
    if (*why != NULL)
        return NULL;
    *why = "out of memory";
    p.text.at = spmmi_alloc(SPMMI_JIT_PTX_MAX, 1);
    if (p.text.at == NULL)
        return NULL;
    put_head(&p);
    put_column(&p);
    if (fits_registers(a, used_columns(a, is_used)))
        put_by_rows(&p, is_used);
    else
        is_done = put_by_columns(&p, is_used);
    put(&p, "ret;\n}\n");
    if (is_done && p.text.is_full)
        *why = "its program is longer than 1 MiB";
    if (!is_done || p.text.is_full) {
        spmmi_free(p.text.at);
        return NULL;
    }
    *why = NULL;
    *bytes = p.text.used;
    return p.text.at;
}
