/* SPDX-License-Identifier: Apache-2.0 */
/* Lets decisions of an op share a part, so that an executor for all of them stores A in fewer layouts. */
#ifndef SPMMI_SEARCH_SHARE_H
#define SPMMI_SEARCH_SHARE_H

#include "search.h"

/* A part may run in place of one that is faster by at most this fraction, because predictions do not tell
 * such parts apart. A part of the first family is never the replacement: parts of it that were predicted to
 * lose this little were measured to lose 12 %, while replacements of other families gain in the mean
 * (docs/decisions/0113). */
#define SPMMI_SHARE_LOSS 0.05

/* A decision and all candidates of its search. */
struct spmmi_considered {
    struct spmmi_search search; /* its list is owned */
    struct spmmi_decision *decision;
    double least; /* value of the fastest candidate */
};

/* Copies the candidates of a search that has decided. Errors: MEMORY. */
spmm_status_t spmmi_considered_keep(const struct spmmi_search *search, struct spmmi_decision *decision,
                                    struct spmmi_considered *considered, spmm_diag_t *diag);
void spmmi_considered_free(struct spmmi_considered *considered, int count);

/* Gives up parts, the least loss first, as long as no decision loses more than SPMMI_SHARE_LOSS. Parts of the
 * first family share an executor's memory; they are neither given up nor used as replacements. Measured
 * decisions stay. */
void spmmi_decisions_share(struct spmmi_considered *considered, int count);

/* Sets loss of each decision: what it loses if the winner of each of these decisions runs. */
void spmmi_decisions_losses(const struct spmmi_considered *considered, int count,
                            struct spmmi_decision *decisions, int decision_count);

#endif
