/* SPDX-License-Identifier: Apache-2.0 */
/* Digests, and the checks that a load has made, see plan_report.h. */
#include "plan_report.h"

#include <stdio.h>

#include "tools/cli/print_text.h"
#include "tools/product/product_report.h"

void plan_text_digest(FILE *out, const char *name, const uint8_t digest[16])
{
    fprintf(out, "%-*s", PLAN_REPORT_LABEL, name);
    for (int i = 0; i < 16; i++)
        fprintf(out, "%02x", digest[i]);
    fputc('\n', out);
}

void plan_text_checks(const spmm_plan_t *plan, const spmm_plan_info_t *info)
{
    char variants[PRINT_UNITS_BYTES], parts[PRINT_UNITS_BYTES], sections[PRINT_UNITS_BYTES];
    char candidates[PRINT_UNITS_BYTES];
    printf("\nVerified\n");
    printf("  container   header, section table, %s without gap or overlap, every checksum, every frame\n",
           print_plural(sections, info->section_count, "section"));
    printf("  matrix      row pointers ascend, columns ascend in each row and are in range, digest of the "
           "pattern%s\n",
           info->has_values ? ",\n              digest of the values" : "");
    printf("  metrics     recomputed from the matrix and equal\n");
    printf("  work        %s, %s; the items of each part cover every nonzero once\n",
           print_plural(variants, info->variant_count, "variant"),
           print_plural(parts, info->part_count, "part"));
    printf("  text        trace of %s, names of source and writer, metadata\n",
           print_plural(candidates, info->trace_count, "candidate"));
    if (product_report_operands(plan) > 0)
        printf(
            "  product     patterns and digests of the operands, number of multiplications; the pattern of C "
            "is that\n              of the product\n");
}
