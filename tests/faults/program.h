/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one of the programs under resource limits, or under a tracer that makes one of its system calls
 * fail. */
#ifndef TEST_PROGRAM_H
#define TEST_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PROGRAM_ARGUMENTS_MAX 16
#define PROGRAM_TEXT_MAX 4096
#define OTHER_USER 54321 /* a user without processes */

/* What happens to the system call number fault.at. Only calls that can fail count, starting with the first
 * call that names the folder of the test. */
enum fault_kind {
    FAULT_NONE,   /* nothing; calls are only counted */
    FAULT_ERROR,  /* the call fails with errno `number` */
    FAULT_SHORT,  /* a read or write moves only one byte */
    FAULT_SIGNAL, /* signal `number` arrives during the call */
};

struct fault {
    enum fault_kind kind;
    int number;
    int64_t at;
    bool is_named_only; /* the file system supports no unnamed files (O_TMPFILE) */
};

struct program {
    const char *arguments[PROGRAM_ARGUMENTS_MAX]; /* starts with the name of the program, ends with NULL */
    const char *input;                            /* file for standard input; NULL: /dev/null */
    uint64_t address_bytes, file_bytes;           /* limits; 0: none */
    int64_t tasks;                                /* 1 + limit of processes (root: of OTHER_USER); 0: none */
    int threads;                                  /* value of OMP_NUM_THREADS; 0: 1 */
    const char *folder;                           /* folder of the test; its first use starts the count */
    const struct fault *fault;                    /* NULL: not traced */
};

struct program_end {
    int code, signal; /* exit code or -1; signal that ended the program or 0 */
    double seconds;
    long peak_kib;
    char output[PROGRAM_TEXT_MAX], error[PROGRAM_TEXT_MAX];
    /* only for traced programs; peak_kib is 0 then: */
    int64_t calls;     /* number of counted calls */
    char call[32];     /* name of the call that met the fault; empty if no call met it */
    int64_t call_file; /* first argument of that call */
};

/* Starts the program with these descriptors as standard output and standard error. Returns its process. */
pid_t program_start(const struct program *program, int output, int error);
/* Runs the program to its end. Keeps at most PROGRAM_TEXT_MAX - 1 bytes of what it prints. */
void program_run(const struct program *program, struct program_end *end);

/* Fails the test unless the program exited with a documented code (0 to 4) and, if the code is not 0, printed
 * a sentence that starts with its name. */
void program_check_end(const struct program *program, const struct program_end *end);

#endif
