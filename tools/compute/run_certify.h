/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate of a product of spmm-run. */
#ifndef SPMM_TOOLS_RUN_CERTIFY_H
#define SPMM_TOOLS_RUN_CERTIFY_H

#include "run_product.h"

struct run_certificate {
    spmm_certificate_t found;
    double ms; /* time of a second check without creating the certifier; 0: not timed */
};

/* Certifies the C that run_product_once computed. A wrong product is not a failure of this function: see
 * found. */
spmm_status_t run_product_certify(const struct run_product *product, const spmm_plan_t *plan, uint64_t seed,
                                  int is_timed, struct run_certificate *certificate, spmm_diag_t *diag);

#endif
