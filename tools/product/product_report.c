/* SPDX-License-Identifier: Apache-2.0 */
/* See product_report.h. */
#include "product_report.h"

#include "tools/cli/print_text.h"

static spmm_product_plan_info_t info_of(const spmm_plan_t *plan)
{
    spmm_product_plan_info_t info = {.struct_size = sizeof info};
    (void)spmm_plan_product(plan, &info); /* fails only for NULL */
    return info;
}

int product_report_operands(const spmm_plan_t *plan)
{
    return info_of(plan).operand_count;
}

static int64_t nnz_of(const spmm_plan_t *plan)
{
    spmm_plan_info_t info = {.struct_size = sizeof info};
    (void)spmm_plan_info(plan, &info);
    return info.nnz;
}

static double ratio_of(uint64_t products, int64_t nnz)
{
    return nnz > 0 ? (double)products / (double)nnz : 0;
}

/* Prints the formula, such as "C = O0 D O1^T" or "C = O0 (O1 O2)". */
static void print_form(FILE *out, const spmm_product_plan_info_t *p)
{
    fputs("C = ", out);
    for (int f = 0; f < p->factor_count; f++)
        fprintf(out, "%s%sO%d%s",
                f == 0        ? ""
                : p->diagonal ? " D "
                              : " ",
                p->factor_count == 3 && f == 1 ? "(" : "", p->factor_operand[f],
                p->factor_op[f] == SPMM_OP_T ? "^T" : "");
    fprintf(out, "%s%s\n", p->factor_count == 3 ? ")" : "", p->lower ? ", lower triangle" : "");
}

static void print_operand(FILE *out, const spmm_plan_t *plan, int operand, int is_inner)
{
    char rows[PRINT_UNITS_BYTES], cols[PRINT_UNITS_BYTES], nnz[PRINT_UNITS_BYTES];
    uint8_t digest[16] = {0};
    spmm_csr_t a = {.rows = 0};
    (void)spmm_plan_operand(plan, operand, &a, digest);
    if (is_inner)
        fputs("inner product ", out);
    else
        fprintf(out, "O%d ", operand);
    fprintf(out, "%s x %s, %s, pattern ", print_count(rows, a.rows), print_count(cols, a.cols),
            print_plural(nnz, a.nnz, "nonzero"));
    for (int i = 0; i < 16; i++)
        fprintf(out, "%02x", digest[i]);
    fputc('\n', out);
}

void product_report_text(FILE *out, const spmm_plan_t *plan, int label)
{
    const spmm_product_plan_info_t p = info_of(plan);
    char products[PRINT_UNITS_BYTES], inner[PRINT_UNITS_BYTES];
    if (p.factor_count == 0)
        return;
    const int64_t nnz = nnz_of(plan);
    fprintf(out, "%-*s", label, "product");
    print_form(out, &p);
    for (int i = 0; i < p.operand_count + (p.factor_count == 3); i++) {
        fprintf(out, "%-*s", label, i == 0 ? "operands" : "");
        print_operand(out, plan, i, i == p.operand_count);
    }
    fprintf(out, "%-*s%s multiplications, %.2f an entry of C", label, "work",
            print_count(products, (int64_t)p.products), ratio_of(p.products, nnz));
    if (p.factor_count == 3)
        fprintf(out, "; before that %s, %.2f an entry", print_count(inner, (int64_t)p.inner_products),
                ratio_of(p.inner_products, p.inner_nnz));
    if (p.lower)
        fputs("; both triangles", out);
    fputc('\n', out);
}

static void json_operand(struct json *j, const spmm_plan_t *plan, int operand)
{
    uint8_t digest[16] = {0};
    spmm_csr_t a = {.rows = 0};
    (void)spmm_plan_operand(plan, operand, &a, digest);
    json_object(j, NULL);
    json_int(j, "rows", a.rows);
    json_int(j, "cols", a.cols);
    json_int(j, "nnz", a.nnz);
    json_hex(j, "pattern_digest", digest, sizeof digest);
    json_end(j);
}

void product_report_json(struct json *j, const spmm_plan_t *plan)
{
    const spmm_product_plan_info_t p = info_of(plan);
    if (p.factor_count == 0) {
        json_null(j, "product");
        return;
    }
    json_object(j, "product");
    json_array(j, "factors");
    for (int f = 0; f < p.factor_count; f++) {
        json_object(j, NULL);
        json_int(j, "operand", p.factor_operand[f]);
        json_text(j, "op", spmm_op_name(p.factor_op[f]));
        json_end(j);
    }
    json_end(j);
    json_array(j, "operands");
    for (int i = 0; i < p.operand_count; i++)
        json_operand(j, plan, i);
    json_end(j);
    json_bool(j, "lower", p.lower);
    json_bool(j, "diagonal", p.diagonal);
    json_int(j, "piece_products", p.piece_products);
    json_uint(j, "products", p.products);
    json_double(j, "compression_ratio", ratio_of(p.products, nnz_of(plan)));
    json_uint(j, "inner_products", p.inner_products);
    json_int(j, "inner_nnz", p.inner_nnz);
    json_end(j);
}
