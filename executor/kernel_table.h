/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the catalogue of kernels of one side from format/family_list.def. It has no include guard: the
 * including file defines TARGET, the side's name as a string, KERNELS, the table's name, and
 * BACKEND(family), the family's backend. */
#define FAMILY(name, ...) extern const struct spmmi_backend BACKEND(name);
#define SCHEDULE(...)
#include "format/family_list.def"
#undef FAMILY
#undef SCHEDULE

enum {
#define FAMILY(name, id, number, ...) NUMBER_##name = (number),
#define SCHEDULE(...)
#include "format/family_list.def"
#undef FAMILY
#undef SCHEDULE
};

const struct spmmi_kernel KERNELS[] = {
#define FAMILY(...)
#define SCHEDULE(family, id, number, name, ...)                                              \
    {TARGET "/" #family "/" name, (spmm_family_t)NUMBER_##family, (spmm_schedule_t)(number), \
     &BACKEND(family)},
#include "format/family_list.def"
#undef FAMILY
#undef SCHEDULE
    {NULL, (spmm_family_t)0, (spmm_schedule_t)0, NULL},
};
