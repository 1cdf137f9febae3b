/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the reader of a file. It is chosen from the first 64 KiB and the name of the file, so that endless
 * streams and wrong files are refused immediately. See reader.h. */
#include <stdio.h>
#include <string.h>

#include "format/base/diag.h"
#include "reader.h"

#define SPMMI_READER(name) extern const struct spmmi_reader_ops spmmi_reader_##name;
#include "reader_list.def"
#undef SPMMI_READER

#define SPMMI_READER(name) &spmmi_reader_##name,
static const struct spmmi_reader_ops *const readers[] = {
#include "reader_list.def"
};
#undef SPMMI_READER
#define READERS (sizeof readers / sizeof *readers)

/* Returns the first reader whose probe returns `answer`; NULL if there is none. */
static const struct spmmi_reader_ops *who_says(enum spmmi_probe answer, const struct spmmi_head *head)
{
    for (size_t i = 0; i < READERS; i++)
        if (readers[i]->probe(head) == answer)
            return readers[i];
    return NULL;
}

/* Reports that a reader refuses a file. If ops is NULL, uses the message of the first reader, followed by the
 * names of the other formats. */
static spmm_status_t refuse(struct spmmi_reader *reader, const struct spmmi_reader_ops *ops,
                            const struct spmmi_head *head)
{
    char sentence[sizeof((spmm_diag_t *)0)->text];
    char others[128] = "";
    size_t used = 0;
    if (ops == NULL) {
        ops = readers[0];
        for (size_t i = 1; i < READERS && used < sizeof others; i++) {
            if (strncmp(readers[i]->name, readers[i - 1]->name, strlen(readers[i - 1]->name)) == 0)
                continue; /* a version of the previous format */
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                     used == 0 ? "; other formats: " : ", ", readers[i]->name);
        }
    }
    ops->refuse(head, sentence, sizeof sentence);
    return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "%s%s", sentence, others);
}

spmm_status_t spmmi_reader_find(struct spmmi_reader *reader, const char *bytes, uint64_t size, bool is_all,
                                const struct spmmi_reader_ops **ops)
{
    const struct spmmi_head head = {bytes, size, is_all, reader->file};
    if (size == 0)
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1,
                                 "expected a matrix file, found an empty file");
    *ops = who_says(SPMMI_PROBE_CONTENT, &head);
    if (*ops != NULL)
        return SPMM_OK;
    const char *unsupported = spmmi_unsupported_format(&head);
    if (unsupported != NULL)
        return spmmi_reader_fail(reader, SPMM_ERR_MATRIX_SYNTAX, 1, "expected a matrix file, found %s",
                                 unsupported);
    return refuse(reader, who_says(SPMMI_PROBE_NAME, &head), &head);
}
