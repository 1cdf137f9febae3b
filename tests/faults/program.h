/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one of the programs under a limit, or under a tracer that lets one of its system calls fail. */
#ifndef TEST_PROGRAM_H
#define TEST_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PROGRAM_ARGUMENTS_MAX 16
#define PROGRAM_TEXT_MAX 4096
#define OTHER_USER 54321 /* who has no processes */

/* What happens to the k-th call that can fail, counted from the first one that names the folder of the test. */
enum fault_kind {
    FAULT_NONE,   /* calls are counted */
    FAULT_ERROR,  /* it fails with `number`, an errno */
    FAULT_SHORT,  /* read and write move one byte */
    FAULT_SIGNAL, /* signal `number` arrives while it is made */
};

struct fault {
    enum fault_kind kind;
    int number;
    int64_t at;
    bool is_named_only; /* files without a name do not exist here */
};

struct program {
    const char *arguments[PROGRAM_ARGUMENTS_MAX]; /* the name of the program first, NULL last */
    const char *input;                            /* file of standard input; NULL: /dev/null */
    uint64_t address_bytes, file_bytes;           /* limits; 0: none */
    int64_t tasks;                                /* limit + 1 of processes of another user; 0: none */
    int threads;                                  /* OMP_NUM_THREADS; 0: 1 */
    const char *folder;                           /* of the test, for the fault */
    const struct fault *fault;                    /* NULL: not traced */
};

struct program_end {
    int code, signal; /* exit code, or the signal that ended it */
    double seconds;
    long peak_kib;
    char output[PROGRAM_TEXT_MAX], error[PROGRAM_TEXT_MAX];
    /* traced: */
    int64_t calls;     /* that were counted */
    char call[32];     /* the one that the fault met; empty if there was none */
    int64_t call_file; /* its first argument */
};

pid_t program_start(const struct program *program, int output, int error);
void program_run(const struct program *program, struct program_end *end);

/* Fails the test unless the program ended by itself, with a documented exit code and a sentence for each failure. */
void program_check_end(const struct program *program, const struct program_end *end);

#endif
