/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata from a command line: --meta KEY=VALUE, --meta-file FILE, and the SHA-256 of the matrix file. */
#ifndef SPMM_TOOLS_METADATA_INPUT_H
#define SPMM_TOOLS_METADATA_INPUT_H

#include <spmm/metadata.h>
#include <stdbool.h>

#include "cli_option.h"
#include "file_digest.h"

#define METADATA_INPUT_PAIRS 256 /* maximum of a plan */

struct metadata_input {
    const char *given[METADATA_INPUT_PAIRS]; /* KEY=VALUE */
    size_t given_count;
    const char *file; /* NULL if not given */
    /* The members below are filled by metadata_input_read. */
    /* Can hold one pair more than a plan may have, so that the library refuses it with a sentence, plus the
     * pairs of a plan. */
    spmm_metadata_t pairs[2 * METADATA_INPUT_PAIRS + 1];
    int64_t count;
    char *texts[2]; /* keys and values from the options [0] and from the file [1], cut into strings; owned */
    char digest[FILE_DIGEST_TEXT];
};

/* clang-format off */
#define METADATA_INPUT_HELP \
    "keep a fact about the matrix in the plan, such as\nlicense=CC-BY-4.0; may be repeated"
#define METADATA_INPUT_OPTIONS(target, meta_help) \
    {0, "meta", CLI_TEXT_LIST, (target)->given, .value = "KEY=VALUE", .count = &(target)->given_count, \
     .capacity = METADATA_INPUT_PAIRS, .help = meta_help}, \
    {0, "meta-file", CLI_TEXT, &(target)->file, .value = "FILE", \
     .help = "the same from the lines of FILE, but for keys that\n--meta gives; # begins a comment"}
/* clang-format on */

/* Fills pairs and count. *what becomes the name of the file that a failure is about, or NULL if it is an
 * option. The caller always calls metadata_input_free afterwards. ARGUMENT, IO, MEMORY. */
spmm_status_t metadata_input_read(struct metadata_input *input, const char **what, spmm_diag_t *diag);
/* Like metadata_input_read. If there are pairs and matrix is a regular file, also adds its SHA-256, unless
 * the user gave it. */
spmm_status_t metadata_input_read_of(struct metadata_input *input, const char *matrix, const char **what,
                                     spmm_diag_t *diag);
/* Returns true if the key is among the first count pairs. */
bool metadata_input_has(const struct metadata_input *input, int64_t count, const char *key);
spmm_status_t metadata_input_add(struct metadata_input *input, spmm_metadata_t pair, spmm_diag_t *diag);
void metadata_input_free(struct metadata_input *input);

#endif
