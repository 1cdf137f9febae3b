/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads of long arrays to a GPU through pinned memory: threads fill slots, and each slot is copied while
 * others are filled. Copies from pageable memory take four times as long (docs/decisions/0070). */
#ifndef SPMMI_CUDA_UPLOAD_H
#define SPMMI_CUDA_UPLOAD_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "executor/backend.h"

/* Writes elements first .. first + count - 1 of an array to `to`. Several threads call it at the same time. */
typedef void (*spmmi_upload_fill)(const void *source, uint64_t first, uint64_t count, void *to);

/* An array of count elements of `size` bytes for device memory of the current device. */
struct spmmi_upload {
    const void *device;
    uint64_t count;
    size_t size;
    spmmi_upload_fill fill; /* NULL: source is the array itself, in host memory */
    const void *source;
};

/* Arrays that are uploaded together, so that threads start only once, and jobs that
 * the threads run before. */
#define SPMMI_UPLOADS_MAX 24
struct spmmi_uploads {
    struct spmmi_upload list[SPMMI_UPLOADS_MAX];
    int count;
    void (*job)(void *context, int index); /* several run at the same time; no array depends on them */
    void *context;
    int job_count;
};

#define SPMMI_UPLOAD_SLOT ((size_t)1 << 20) /* bytes */

/* Uploads all arrays after the work in the legacy stream. When it returns, all arrays are on the device, all
 * jobs are done, and the list is empty. Allocates one slot of host memory (spmmi_upload_scratch) if it cannot
 * use the pinned slots. Errors: DEVICE, MEMORY. */
spmm_status_t spmmi_cuda_upload_all(struct spmmi_uploads *uploads, spmm_diag_t *diag);
/* Returns the maximum bytes of that slot; `bytes` is the size of the longest array. */
static inline uint64_t spmmi_upload_scratch(uint64_t bytes)
{
    return bytes < SPMMI_UPLOAD_SLOT ? bytes : SPMMI_UPLOAD_SLOT;
}
/* Uploads one array. */
spmm_status_t spmmi_cuda_upload(const void *device, uint64_t count, size_t size, spmmi_upload_fill fill,
                                const void *source, spmm_diag_t *diag);
/* Uploads one array that is in host memory. */
spmm_status_t spmmi_cuda_copy_array(const void *device, const void *host, uint64_t count, size_t size,
                                    spmm_diag_t *diag);

/* Returns the arrays that wait to be sent with others (struct spmmi_part_source), and empties that list: the
 * caller has to send them. */
static inline struct spmmi_uploads spmmi_uploads_take(struct spmmi_uploads *waiting)
{
    struct spmmi_uploads uploads = {.count = 0};
    if (waiting != NULL) {
        uploads = *waiting;
        waiting->count = 0;
    }
    return uploads;
}

static inline void spmmi_upload_add(struct spmmi_uploads *uploads, const void *device, uint64_t count,
                                    size_t size, spmmi_upload_fill fill, const void *source)
{
    assert(uploads->count < SPMMI_UPLOADS_MAX);
    uploads->list[uploads->count++] = (struct spmmi_upload){device, count, size, fill, source};
}

#ifdef SPMM_TEST_HOOKS
extern int spmmi_cuda_upload_pins_hook; /* 0: behave as if no memory could be pinned */
/* Tests damage tables on the device after all checks. Every table is passed to this hook under the name of
 * its pointer. NULL: no hook. */
extern void (*spmmi_cuda_table_hook)(const char *name, const void *device, uint64_t count, size_t size);
static inline const void *spmmi_cuda_table(const char *name, const void *device, uint64_t count, size_t size)
{
    if (spmmi_cuda_table_hook != NULL)
        spmmi_cuda_table_hook(name, device, count, size);
    return device;
}
#define SPMMI_CUDA_TABLE(device, count, size) spmmi_cuda_table(#device, device, count, size)
#else
#define SPMMI_CUDA_TABLE(device, count, size) (device)
#endif

/* Copy count elements to a table of the device: at once from host memory, or later together with other
 * arrays. Layouts declare tables as pointers to const, as kernels see them. */
#define spmmi_cuda_copy_up(device, host, count, size, diag) \
    spmmi_cuda_copy_array(SPMMI_CUDA_TABLE(device, count, size), host, count, size, diag)
#define spmmi_cuda_table_add(uploads, device, count, fill, source)                                        \
    spmmi_upload_add(uploads, SPMMI_CUDA_TABLE(device, count, sizeof *(device)), count, sizeof *(device), \
                     fill, source)

#endif
