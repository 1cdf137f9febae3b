/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of a command line: --meta KEY=VALUE, --meta-file FILE, and the SHA-256 of the matrix file beside them. */
#ifndef SPMM_TOOLS_METADATA_INPUT_H
#define SPMM_TOOLS_METADATA_INPUT_H

#include <spmm/metadata.h>
#include <stdbool.h>

#include "cli_option.h"
#include "file_digest.h"

#define METADATA_INPUT_PAIRS 256 /* as many as a plan may have */

struct metadata_input {
    const char *given[METADATA_INPUT_PAIRS]; /* KEY=VALUE */
    size_t given_count;
    const char *file; /* NULL: none */
    /* What metadata_input_read makes: */
    /* One more than a plan takes, which is refused with a sentence; and room for those of a plan beside them. */
    spmm_metadata_t pairs[2 * METADATA_INPUT_PAIRS + 1];
    int64_t count;
    char *texts[2]; /* of the options and of the file, cut into keys and values; owned */
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

/* Fills pairs and count. *what becomes the name of the file that is at fault, NULL: an option. metadata_input_free
 * always follows. ARGUMENT, IO, MEMORY. */
spmm_status_t metadata_input_read(struct metadata_input *input, const char **what, spmm_diag_t *diag);
/* The same; where there are pairs and matrix is a regular file, its SHA-256 is one more unless it was given. */
spmm_status_t metadata_input_read_of(struct metadata_input *input, const char *matrix, const char **what,
                                     spmm_diag_t *diag);
/* Is the key among the first count pairs? */
bool metadata_input_has(const struct metadata_input *input, int64_t count, const char *key);
spmm_status_t metadata_input_add(struct metadata_input *input, spmm_metadata_t pair, spmm_diag_t *diag);
void metadata_input_free(struct metadata_input *input);

#endif
