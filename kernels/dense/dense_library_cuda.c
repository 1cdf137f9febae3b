/* SPDX-License-Identifier: Apache-2.0 */
/* See dense_library_cuda.h. */
#include "dense_library_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "format/base/diag.h"

#ifdef SPMM_TEST_HOOKS
const char *const *spmmi_dense_library_files_hook;
#endif

#if SPMMI_HAVE_CUBLASLT

#define WHY_BYTES 200 /* the sentence of a diagnostic has little more space */

/* Major versions with the functions of the header, the newest first; last the name that
 * development packages install. */
static const char *const usual_files[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so", NULL};

static const char *const *files(void)
{
#ifdef SPMM_TEST_HOOKS
    if (spmmi_dense_library_files_hook != NULL)
        return spmmi_dense_library_files_hook;
#endif
    return usual_files;
}

/* Loads the library, which is never unloaded, since its kernels are registered with CUDA. Returns NULL and
 * the loader's message for each file on failure. */
static void *library_open(char why[WHY_BYTES])
{
    size_t used = 0;
    why[0] = '\0';
    for (const char *const *file = files(); *file != NULL; file++) {
        void *const library = dlopen(*file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (library != NULL)
            return library;
        const char *const text = dlerror();
        if (used < WHY_BYTES)
            used += (size_t)snprintf(why + used, WHY_BYTES - used, "%s%s", used > 0 ? "; " : "",
                                     text != NULL ? text : *file);
    }
    return NULL;
}

/* Looks up the functions. Returns the name of a missing function; NULL: all were found. */
static const char *functions_find(void *library, struct spmmi_dense_functions *call)
{
    void *symbol = NULL;
#define X(name)                                   \
    if ((symbol = dlsym(library, #name)) == NULL) \
        return #name;                             \
    memcpy(&call->name, &symbol, sizeof symbol);
    SPMMI_DENSE_FUNCTIONS(X)
#undef X
    return NULL;
}

spmm_status_t spmmi_dense_library_load(void **library, struct spmmi_dense_functions *call, spmm_diag_t *diag)
{
    spmm_status_t status = SPMM_OK;
    char why[WHY_BYTES];
    *library = library_open(why);
    SPMM_REQUIRE(*library != NULL, SPMM_ERR_UNSUPPORTED, diag,
                 "family dense needs cuBLASLt: install it or set LD_LIBRARY_PATH (%s)", why);
    const char *const missing = functions_find(*library, call);
    SPMM_REQUIRE(missing == NULL, SPMM_ERR_UNSUPPORTED, diag, "cuBLASLt has no function %s", missing);
cleanup:
    return status;
}

#endif
