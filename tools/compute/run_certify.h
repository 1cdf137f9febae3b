/* SPDX-License-Identifier: Apache-2.0 */
/* The certificate of spmm-run's product. */
#ifndef SPMM_TOOLS_RUN_CERTIFY_H
#define SPMM_TOOLS_RUN_CERTIFY_H

#include "run_product.h"

struct run_certificate {
    spmm_certificate_t found;
    double ms; /* of a second check, without making the certifier; 0: not timed */
};

/* Certify the C of run_product_once. A wrong product is no error: found says it. */
spmm_status_t run_product_certify(const struct run_product *product, const spmm_plan_t *plan, uint64_t seed,
                                  int is_timed, struct run_certificate *certificate, spmm_diag_t *diag);

#endif
