/* SPDX-License-Identifier: Apache-2.0 */
/* See api_calls.h. The declarations of CUPTI are copied here, so that builds do not need its headers. */
#include "api_calls.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "tools/cli/fail.h"

enum { SITE_ENTER = 0, DOMAIN_DRIVER = 1 };

/* The first fields of CUpti_CallbackData. */
struct call_data {
    int site;
    const char *name;
};

typedef void (*callback_fn)(void *context, int domain, uint32_t id, const void *data);

static struct {
    int (*subscribe)(void **subscriber, callback_fn callback, void *context);
    int (*unsubscribe)(void *subscriber);
    int (*enable_domain)(uint32_t is_on, void *subscriber, int domain);
} cupti;

static void *subscriber;
/* Atomic because libraries call from their own threads. */
static atomic_int_least64_t all, memory, copies, launches;

static int begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static void count(void *context, int domain, uint32_t id, const void *data)
{
    const struct call_data *call = data;
    (void)context;
    (void)id;
    if (domain != DOMAIN_DRIVER || call->site != SITE_ENTER)
        return;
    atomic_fetch_add(&all, 1);
    if (begins(call->name, "cuMemcpy") || begins(call->name, "cuMemset"))
        atomic_fetch_add(&copies, 1);
    else if (begins(call->name, "cuMem"))
        atomic_fetch_add(&memory, 1);
    else if (begins(call->name, "cuLaunch"))
        atomic_fetch_add(&launches, 1);
}

/* Finds a function. memcpy converts the data pointer of dlsym to a function pointer, as POSIX allows. */
static int find(void *library, const char *name, void *function)
{
    void *const symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

spmm_status_t api_calls_open(const char *path, spmm_diag_t *diag)
{
    const char *const name = path != NULL ? path : "libcupti.so";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL); /* never closed: the driver keeps the callback */
    if (library == NULL && path == NULL)
        library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return fail(diag, SPMM_ERR_DEVICE, "%s, which counts calls, is not found", name);
    if (!find(library, "cuptiSubscribe", &cupti.subscribe) ||
        !find(library, "cuptiUnsubscribe", &cupti.unsubscribe) ||
        !find(library, "cuptiEnableDomain", &cupti.enable_domain))
        return fail(diag, SPMM_ERR_DEVICE, "%s lacks a function", name);
    int error = cupti.subscribe(&subscriber, count, NULL);
    if (error == 0)
        error = cupti.enable_domain(1, subscriber, DOMAIN_DRIVER);
    return error == 0 ? SPMM_OK : fail(diag, SPMM_ERR_DEVICE, "CUPTI does not count calls (error %d)", error);
}

void api_calls_close(void)
{
    if (subscriber != NULL)
        (void)cupti.unsubscribe(subscriber);
    subscriber = NULL;
}

void api_calls_start(void)
{
    atomic_store(&all, 0);
    atomic_store(&memory, 0);
    atomic_store(&copies, 0);
    atomic_store(&launches, 0);
}

struct api_calls api_calls_now(void)
{
    return (struct api_calls){atomic_load(&all), atomic_load(&memory), atomic_load(&copies),
                              atomic_load(&launches)};
}
