/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of the devices that plans can be made for: the content of a profile file (docs/model.md describes
 * its keys). The profiles in inspector/profiles are built into the library. Others are read from a path. */
#ifndef SPMMI_DEVICE_PROFILE_H
#define SPMMI_DEVICE_PROFILE_H

#include "format/plan.h"

#define SPMMI_PROFILE_NAME_BYTES 32
#define SPMMI_PROFILE_LIST_MAX 16          /* maximum entries along one side of a table */
#define SPMMI_PROFILE_FILE_MAX (64 * 1024) /* bytes of a profile file */
#define SPMMI_PROFILE_DEVICES "any, cpu, a100, h100, h200"

/* A rate as a function of x. The points x ascend; between them, the rate is linear in the logarithm of x. */
struct spmmi_profile_curve {
    int count;
    double x[SPMMI_PROFILE_LIST_MAX], rate[SPMMI_PROFILE_LIST_MAX];
};

/* A rate as a function of the bytes of a row and the bytes of a working set, both ascending. */
struct spmmi_profile_table {
    int row_count, set_count;
    double row_bytes[SPMMI_PROFILE_LIST_MAX], set_bytes[SPMMI_PROFILE_LIST_MAX];
    double rate[SPMMI_PROFILE_LIST_MAX][SPMMI_PROFILE_LIST_MAX]; /* [set][row] */
};

/* The indices of constants and risks in a profile: first all families
 * and then all schedules of format/family_list.def (schedules with equal
 * names use the index of the first one), then the extras below. */
enum spmmi_profile_extra {
    SPMMI_PROFILE_SHARED,   /* a row split in which several lane groups share a row; it also has constants */
    SPMMI_RISK_PERMUTATION, /* permuted rows */
    SPMMI_RISK_LONG_ROWS,   /* a long-row split */
    SPMMI_RISK_CHART,       /* a choice that contradicts the decision chart */
    SPMMI_PROFILE_EXTRAS
};
enum {
    SPMMI_PROFILE_KERNELS = 0
#define FAMILY(...) +1
#define SCHEDULE(...) +1
#include "format/family_list.def"
#undef FAMILY
#undef SCHEDULE
    ,
    SPMMI_PROFILE_MODELS = SPMMI_PROFILE_KERNELS + SPMMI_PROFILE_SHARED + 1, /* indices with constants */
    SPMMI_PROFILE_NAMES = SPMMI_PROFILE_KERNELS + SPMMI_PROFILE_EXTRAS
};
/* The types that the cost model distinguishes: value types, and for f32 on tensor cores the compute type. */
enum spmmi_model_type {
    SPMMI_MODEL_F32, /* f32 without tensor cores */
    SPMMI_MODEL_F64, /* with and without tensor cores */
    SPMMI_MODEL_TF32,
    SPMMI_MODEL_3XTF32,
    SPMMI_MODEL_F16, /* f16 and bf16, with and without tensor cores */
    SPMMI_MODEL_TYPES
};
enum spmmi_model_term {
    SPMMI_TERM_DRAM,    /* bytes between DRAM and the last cache, divided by the copy rate */
    SPMMI_TERM_L2,      /* bytes between the last cache and the multiprocessors, divided by the gather rate */
    SPMMI_TERM_L1,      /* bytes read from the L1 cache or from shared memory */
    SPMMI_TERM_ALU,     /* multiplications and additions */
    SPMMI_TERM_ISSUE,   /* instructions that warps issue */
    SPMMI_TERM_WAVES,   /* steps of the longest group of each block, summed / resident blocks */
    SPMMI_TERM_LONGEST, /* steps of the longest sequential walk of the launch */
    SPMMI_TERM_CONVERT, /* bytes of layout conversions, divided by the copy rate */
    SPMMI_TERMS
};
struct spmmi_model_constants {
    double start_us;            /* of the first launch, in addition to the empty kernel of the profile */
    double launch_us;           /* of each further launch */
    double factor[SPMMI_TERMS]; /* each term is multiplied by its factor, the inverse of an efficiency */
    double norm;                /* 1 adds the terms, a large norm uses the largest; 0: SPMMI_MODEL_NORM */
};

/* Risks: predictions are multiplied by them before candidates are compared, because measured times can be
 * longer than predicted. The product determines which of the four risks applies. */
enum spmmi_risk_of {
    SPMMI_RISK_SINGLE,  /* one column, in either layout */
    SPMMI_RISK_NARROW,  /* row-major, 2 to SPMMI_NARROW columns */
    SPMMI_RISK_WIDE,    /* row-major, more columns */
    SPMMI_RISK_COLUMNS, /* column-major, more than one column */
    SPMMI_RISKS
};
#define SPMMI_NARROW 64

struct spmmi_device_profile {
    char name[SPMMI_PROFILE_NAME_BYTES];
    uint32_t target;     /* as in struct spmmi_variant: 0 any, 1 CPU, else 10 x compute capability */
    int multiprocessors; /* multiprocessors, or cores of a CPU; never 0 */
    double clock_hz;
    double l2_bytes;                                          /* size of the last cache */
    double l1_bytes;                                          /* per multiprocessor or core */
    double shared_sm_bytes, shared_block_bytes, registers_sm; /* 0 on a CPU */
    double launch_s;                                          /* time of an empty kernel, event to event */
    double copy_rate;                                         /* DRAM, bytes read and written per second */
    double peak_bandwidth;       /* beta of the roofline of paper 000: data sheet, or copy rate */
    double peak_flops;           /* FP32 peak of the roofline of paper 000 */
    double shared_rate, l1_rate; /* bytes per second of all multiprocessors together */
    double fma_f32, fma_f64;     /* floating-point operations per second */
    double mma_tf32, mma_f16, mma_f64;
    struct spmmi_profile_table gather;  /* gathers of rows of B that miss the L1 cache */
    struct spmmi_profile_curve scatter; /* stores of rows, as a function of the bytes of a row */
    struct spmmi_profile_curve
        strided; /* loads of single values of a column-major B, by bytes of a value; useful bytes */
    struct spmmi_model_constants model[SPMMI_PROFILE_MODELS][SPMMI_MODEL_TYPES];
    uint8_t is_fitted
        [SPMMI_PROFILE_MODELS]
        [SPMMI_MODEL_TYPES]; /* 0: the profile lacks these constants; start, launch and factors are then 1 */
    /* Risks for each type. The last row is for types without a risk of their own. 0: not given. */
    double risk[SPMMI_PROFILE_NAMES][SPMMI_MODEL_TYPES + 1][SPMMI_RISKS];
};

/* Opens the built-in profile with the name `device` (NULL means "any"), or else the file with this path.
 * Errors: ARGUMENT (no such name or file, or a mistake in the file: the message names file and line, and
 * diag->line is the line), IO, MEMORY. */
spmm_status_t spmmi_device_profile_open(const char *device, struct spmmi_device_profile *profile,
                                        spmm_diag_t *diag);

/* Parses the text of a profile. Messages call it `file`. Missing constants and risks of the cost model are
 * those of the built-in profile "h200" (or "cpu" for a CPU); any other missing key is an error. The built-in
 * profile may lack constants too, if none were fitted. */
spmm_status_t spmmi_device_profile_parse(const char *text, size_t size, const char *file,
                                         struct spmmi_device_profile *profile, spmm_diag_t *diag);

/* Return the name of an index (NULL if it is too large), and
 * the index of a name of length bytes (-1 if unknown). */
const char *spmmi_profile_name(int index);
int spmmi_profile_index(const char *name, size_t length);
/* Returns "f32", "f64", "tf32", "3xtf32" or "f16". type is an enum spmmi_model_type. */
const char *spmmi_profile_type_name(int type);

/* Returns the index of the constants of a kernel:
 * those of its schedule, if the profile has them, else of its family. */
int spmmi_profile_kernel(const struct spmmi_device_profile *profile, spmm_family_t family,
                         spmm_schedule_t schedule, enum spmmi_model_type type);
/* Copies the constants of f32 to kernels without constants for 16-bit values. The smaller number of bytes is
 * part of the terms. */
void spmmi_profile_fill_narrow(struct spmmi_device_profile *profile);

/* Return the risk of a kernel, which is the risk of its family times the risk of its schedule, and of an
 * extra. A risk that the profile lacks is 1. */
double spmmi_profile_risk(const struct spmmi_device_profile *profile, spmm_family_t family,
                          spmm_schedule_t schedule, enum spmmi_model_type type, enum spmmi_risk_of of);
double spmmi_profile_extra(const struct spmmi_device_profile *profile, enum spmmi_profile_extra extra,
                           enum spmmi_model_type type, enum spmmi_risk_of of);

/* Return an interpolated rate:
 * linear in the logarithm of each argument, constant outside the range of the points. */
double spmmi_profile_curve_at(const struct spmmi_profile_curve *curve, double x);
double spmmi_profile_table_at(const struct spmmi_profile_table *table, double row_bytes, double set_bytes);

#endif
