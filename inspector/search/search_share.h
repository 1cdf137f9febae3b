/* SPDX-License-Identifier: Apache-2.0 */
/* Which decisions of an op share a part, so that an executor for all of them holds fewer forms of A. */
#ifndef SPMMI_SEARCH_SHARE_H
#define SPMMI_SEARCH_SHARE_H

#include "search.h"

/* A part that runs where another is faster by so much at most: predictions do not tell such parts apart. Those of the
 * first family do not run instead: where they are predicted to lose so little they were measured to lose 12 %, others
 * gain in the mean (docs/decisions/0113). */
#define SPMMI_SHARE_LOSS 0.05

/* What a decision chose from. */
struct spmmi_considered {
    struct spmmi_search search; /* its list is owned */
    struct spmmi_decision *decision;
    double least; /* the value of what was fastest */
};

/* Copies the list of a search that decided. Errors: MEMORY. */
spmm_status_t spmmi_considered_keep(const struct spmmi_search *search, struct spmmi_decision *decision,
                                    struct spmmi_considered *considered, spmm_diag_t *diag);
void spmmi_considered_free(struct spmmi_considered *considered, int count);

/* Gives up parts, the least loss first, as long as no decision loses more than that. Parts of the first family share an
 * executor's memory and are not given up, nor do they run instead. Measured decisions stay. */
void spmmi_decisions_share(struct spmmi_considered *considered, int count);

/* What each of these decisions loses by the winners of all of them. */
void spmmi_decisions_losses(const struct spmmi_considered *considered, int count,
                            struct spmmi_decision *decisions, int decision_count);

#endif
