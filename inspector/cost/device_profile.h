/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that a plan can be made for: the content of a profile file (docs/model.md has its keys). The known
 * profiles are files of inspector/profiles, built into the library; any other is read from a path.          */
#ifndef SPMMI_DEVICE_PROFILE_H
#define SPMMI_DEVICE_PROFILE_H

#include "format/plan.h"

#define SPMMI_PROFILE_NAME_BYTES 32
#define SPMMI_PROFILE_LIST_MAX 16          /* entries along one side of a table */
#define SPMMI_PROFILE_FILE_MAX (64 * 1024) /* bytes of a profile file */
#define SPMMI_PROFILE_DEVICES "any, cpu, a100, h100, h200"

/* A rate over one value: ascending x, linear in the logarithm of x between, constant beyond. */
struct spmmi_profile_curve {
    int count;
    double x[SPMMI_PROFILE_LIST_MAX], rate[SPMMI_PROFILE_LIST_MAX];
};

/* A rate over bytes of a row and bytes of a working set, both ascending. */
struct spmmi_profile_table {
    int row_count, set_count;
    double row_bytes[SPMMI_PROFILE_LIST_MAX], set_bytes[SPMMI_PROFILE_LIST_MAX];
    double rate[SPMMI_PROFILE_LIST_MAX][SPMMI_PROFILE_LIST_MAX]; /* [set][row] */
};

/* The names of constants and risks in a profile: each family and each schedule of format/family_list.def, in
 * that order (the first of schedules of one name), then what any of them may have. */
enum spmmi_profile_extra {
    SPMMI_PROFILE_SHARED, /* a row split whose rows groups of lanes share: it has constants of its own, too */
    SPMMI_RISK_PERMUTATION, /* rows in another order than that of A */
    SPMMI_RISK_LONG_ROWS,   /* rows split off, as a part of their own */
    SPMMI_RISK_CHART,       /* the contrary of the decision chart */
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
    SPMMI_PROFILE_MODELS = SPMMI_PROFILE_KERNELS + SPMMI_PROFILE_SHARED + 1, /* that have constants */
    SPMMI_PROFILE_NAMES = SPMMI_PROFILE_KERNELS + SPMMI_PROFILE_EXTRAS
};
/* Compute types as the cost model distinguishes them: the first two on ordinary cores, where values of 2 bytes count as
 * f32. */
enum spmmi_model_type {
    SPMMI_MODEL_F32,
    SPMMI_MODEL_F64, /* of tensor cores too */
    SPMMI_MODEL_TF32,
    SPMMI_MODEL_3XTF32,
    SPMMI_MODEL_F16, /* and bf16 */
    SPMMI_MODEL_TYPES
};
enum spmmi_model_term {
    SPMMI_TERM_DRAM,    /* bytes past the last cache over the copy rate */
    SPMMI_TERM_L2,      /* bytes between that cache and the multiprocessors over the gather rate */
    SPMMI_TERM_L1,      /* bytes read from the L1 cache or from shared memory */
    SPMMI_TERM_ALU,     /* multiplications and additions */
    SPMMI_TERM_ISSUE,   /* instructions that warps issue */
    SPMMI_TERM_WAVES,   /* steps of the longest group of each block, over the blocks that run at a time */
    SPMMI_TERM_LONGEST, /* steps of the longest walk of the launch */
    SPMMI_TERM_CONVERT, /* bytes of layout conversions over the copy rate */
    SPMMI_TERMS
};
struct spmmi_model_constants {
    double start_us;            /* of the first launch, over the profile's empty one */
    double launch_us;           /* of each further launch */
    double factor[SPMMI_TERMS]; /* what a term is multiplied by: the inverse of an efficiency */
    double norm;                /* of the terms: 1 adds them, a large one takes the largest; 0: as usual */
};

/* Factors by which a prediction is multiplied before candidates are compared, as the measured time may be longer. The
 * product decides which of the four applies. */
enum spmmi_risk_of {
    SPMMI_RISK_SINGLE, /* one column, in either layout */
    SPMMI_RISK_NARROW, /* row-major operands of at most SPMMI_NARROW columns */
    SPMMI_RISK_WIDE,
    SPMMI_RISK_COLUMNS, /* column-major ones */
    SPMMI_RISKS
};
#define SPMMI_NARROW 64

struct spmmi_device_profile {
    char name[SPMMI_PROFILE_NAME_BYTES];
    uint32_t target;     /* as in struct spmmi_variant: 0 any, 1 CPU, else a compute capability */
    int multiprocessors; /* cores of a CPU; never 0 */
    double clock_hz;
    double l2_bytes;                                          /* of the last cache */
    double l1_bytes;                                          /* of a multiprocessor or core */
    double shared_sm_bytes, shared_block_bytes, registers_sm; /* 0 on a CPU */
    double launch_s;                                          /* of an empty kernel, event to event */
    double copy_rate;                                         /* DRAM, bytes read and written a second */
    double peak_bandwidth;       /* beta of the roofline of paper 000: the data sheet's, or the copy rate */
    double peak_flops;           /* FP32 peak of the roofline of paper 000 */
    double shared_rate, l1_rate; /* bytes a second, all multiprocessors */
    double fma_f32, fma_f64;     /* floating-point operations a second */
    double mma_tf32, mma_f16, mma_f64;
    struct spmmi_profile_table gather;  /* rows of B past the L1 cache */
    struct spmmi_profile_curve scatter; /* stores of rows, over bytes of a row */
    struct spmmi_profile_curve
        strided; /* single values of a column-major B, over bytes of a value: useful bytes */
    struct spmmi_model_constants model[SPMMI_PROFILE_MODELS][SPMMI_MODEL_TYPES];
    uint8_t is_fitted
        [SPMMI_PROFILE_MODELS]
        [SPMMI_MODEL_TYPES]; /* 0: the profile lacks these constants: start and launch are 1 us and factors 1 */
    /* Of each type, and last of those that have none of their own; 0: not given. */
    double risk[SPMMI_PROFILE_NAMES][SPMMI_MODEL_TYPES + 1][SPMMI_RISKS];
};

/* The profile of a known name (NULL means "any") or of a file. Errors: ARGUMENT (no such name or file, or a mistake
 * in it: the sentence names file and line, diag->line has it), IO, MEMORY. */
spmm_status_t spmmi_device_profile_open(const char *device, struct spmmi_device_profile *profile,
                                        spmm_diag_t *diag);

/* The same from text; file is what messages call it. A key that is missing is as in "h200" (or "cpu") if it belongs to
 * the cost model, else an error. That profile too may lack constants of tensor cores, where none were fitted. */
spmm_status_t spmmi_device_profile_parse(const char *text, size_t size, const char *file,
                                         struct spmmi_device_profile *profile, spmm_diag_t *diag);

/* The name of that index; the index of a name of length bytes, -1 for another one. */
const char *spmmi_profile_name(int index);
int spmmi_profile_index(const char *name, size_t length);
/* "f32", "f64", "tf32", "3xtf32", "f16". */
const char *spmmi_profile_type_name(int type);

/* Where the constants of a kernel are: those of its schedule where the profile has such, else those of its family. */
int spmmi_profile_kernel(const struct spmmi_device_profile *profile, spmm_family_t family,
                         spmm_schedule_t schedule, enum spmmi_model_type type);
/* Kernels without constants of their own for values of 16 bits go by those of f32: the bytes are counted separately. */
void spmmi_profile_fill_narrow(struct spmmi_device_profile *profile);

/* The product of what the profile says of a family and of its schedule; 1 where it has none. */
double spmmi_profile_risk(const struct spmmi_device_profile *profile, spmm_family_t family,
                          spmm_schedule_t schedule, enum spmmi_model_type type, enum spmmi_risk_of of);
double spmmi_profile_extra(const struct spmmi_device_profile *profile, enum spmmi_profile_extra extra,
                           enum spmmi_model_type type, enum spmmi_risk_of of);

double spmmi_profile_curve_at(const struct spmmi_profile_curve *curve, double x);
/* Linear in the logarithms of both metrics. */
double spmmi_profile_table_at(const struct spmmi_profile_table *table, double row_bytes, double set_bytes);

#endif
