/* SPDX-License-Identifier: Apache-2.0 */
/* The profiles of inspector/profiles as text; the table is written by CMake. */
#ifndef SPMMI_DEVICE_PROFILE_TEXTS_H
#define SPMMI_DEVICE_PROFILE_TEXTS_H

#include <stddef.h>

struct spmmi_profile_text {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};
extern const struct spmmi_profile_text spmmi_profile_texts[]; /* ends with name NULL */

#endif
