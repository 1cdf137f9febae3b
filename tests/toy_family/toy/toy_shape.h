/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that identify the toy family and its schedule in plan files. */
#ifndef SPMMI_TOY_SHAPE_H
#define SPMMI_TOY_SHAPE_H

#define SPMMI_TOY ((spmm_family_t)63)
#define SPMMI_TOY_PLAIN ((spmm_schedule_t)63)

#endif
