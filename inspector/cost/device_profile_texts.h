/* SPDX-License-Identifier: Apache-2.0 */
/* The files of inspector/profiles as texts. CMake generates the table. */
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
