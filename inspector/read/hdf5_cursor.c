/* SPDX-License-Identifier: Apache-2.0 */
/* See hdf5_file.h: reads consecutive bytes at an address. */
#include "hdf5_file.h"

uint64_t spmmi_hdf5_take(struct spmmi_hdf5_cursor *c, unsigned bytes)
{
    uint64_t value = 0;
    const char *p = spmmi_hdf5_skip(c, bytes);
    for (unsigned i = 0; p != NULL && i < bytes; i++)
        value |= (uint64_t)(unsigned char)p[i] << 8 * i;
    return value;
}

const char *spmmi_hdf5_skip(struct spmmi_hdf5_cursor *c, uint64_t bytes)
{
    const char *p = c->p;
    if ((uint64_t)(c->end - c->p) < bytes) {
        c->is_cut = true;
        c->p = c->end;
        return NULL;
    }
    c->p += bytes;
    return p;
}

bool spmmi_hdf5_from(const struct spmmi_hdf5 *file, uint64_t address, struct spmmi_hdf5_cursor *c)
{
    /* spmmi_hdf5_open has checked that the base is in the file. */
    const uint64_t room = file->mat->size - file->base;
    *c = (struct spmmi_hdf5_cursor){NULL, NULL, true};
    if (address > room)
        return false;
    *c = (struct spmmi_hdf5_cursor){file->mat->bytes + file->base + address,
                                    file->mat->bytes + file->mat->size, false};
    return true;
}

bool spmmi_hdf5_at(const struct spmmi_hdf5 *file, uint64_t address, uint64_t bytes,
                   struct spmmi_hdf5_cursor *c)
{
    if (!spmmi_hdf5_from(file, address, c) || (uint64_t)(c->end - c->p) < bytes)
        return false;
    c->end = c->p + bytes;
    return true;
}

spmm_status_t spmmi_hdf5_expected(const struct spmmi_hdf5 *file, uint64_t address, const char *what)
{
    const uint64_t room = file->mat->size - file->base;
    return spmmi_reader_fail_at(file->mat->reader, SPMM_ERR_MATRIX_SYNTAX,
                                file->base + (address < room ? address : room), "expected %s", what);
}
