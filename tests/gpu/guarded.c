/* SPDX-License-Identifier: Apache-2.0 */
/* See guarded.h. */
#include "guarded.h"

#include <cuda.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cuda_product.h"

#define ALIGN 256u
#define POISON 0xa5

/* Returns a function of the CUDA driver. It is looked up at run time, so that the program starts without a
 * driver. */
static void *driver_function(const char *name)
{
    void *function = NULL;
    TEST_CUDA(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, NULL));
    assert_non_null(function);
    return function;
}
#define CALL(name, ...) \
    assert_int_equal(((__typeof__(&name))driver_function(#name))(__VA_ARGS__), CUDA_SUCCESS)

static CUmemAllocationProp properties(void)
{
    CUmemAllocationProp of = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    of.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    return of;
}

/* Reserves address space and maps all of it except its first and its last page. */
static void map(struct test_guarded *memory, size_t bytes)
{
    const CUmemAllocationProp of = properties();
    const CUmemAccessDesc access = {.location = of.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    size_t page = 0;
    CUdeviceptr base = 0;
    CUmemGenericAllocationHandle handle = 0;
    CALL(cuMemGetAllocationGranularity, &page, &of, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    memory->mapped = (bytes + ALIGN + page - 1) / page * page;
    CALL(cuMemAddressReserve, &base, memory->mapped + 2 * page, 0, 0, 0);
    CALL(cuMemCreate, &handle, memory->mapped, &of, 0);
    CALL(cuMemMap, base + page, memory->mapped, 0, handle, 0);
    CALL(cuMemSetAccess, base + page, memory->mapped, &access, 1);
    memory->base = base;
    memory->handle = handle;
    memory->data = (char *)(uintptr_t)(base + page + memory->mapped - (bytes + ALIGN - 1) / ALIGN * ALIGN);
}

static char *first_of(const struct test_guarded *memory)
{
    const CUmemAllocationProp of = properties();
    size_t page = 0;
    CALL(cuMemGetAllocationGranularity, &page, &of, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    return (char *)(uintptr_t)(memory->base + page);
}

struct test_guarded test_guarded_make(size_t bytes, int is_plain)
{
    struct test_guarded memory = {.bytes = bytes};
    if (is_plain) {
        TEST_CUDA(cudaMalloc((void **)&memory.data, bytes + (bytes == 0)));
        TEST_CUDA(cudaMemset(memory.data, POISON, bytes));
        return memory;
    }
    map(&memory, bytes);
    TEST_CUDA(cudaMemset(first_of(&memory), POISON, memory.mapped));
    return memory;
}

size_t test_guarded_changed(const struct test_guarded *memory)
{
    size_t changed = 0;
    if (memory->mapped == 0)
        return 0;
    unsigned char *bytes = malloc(memory->mapped);
    assert_non_null(bytes);
    TEST_CUDA(cudaMemcpy(bytes, first_of(memory), memory->mapped, cudaMemcpyDeviceToHost));
    const size_t begin = (size_t)(memory->data - first_of(memory)), end = begin + memory->bytes;
    for (size_t i = 0; i < memory->mapped; i++)
        changed += (i < begin || i >= end) && bytes[i] != POISON;
    free(bytes);
    return changed;
}

void test_guarded_free(struct test_guarded *memory)
{
    if (memory->mapped == 0) {
        TEST_CUDA(cudaFree(memory->data));
        return;
    }
    const CUdeviceptr first = (CUdeviceptr)(uintptr_t)first_of(memory);
    CALL(cuMemUnmap, first, memory->mapped);
    CALL(cuMemRelease, memory->handle);
    CALL(cuMemAddressFree, memory->base, memory->mapped + 2 * (size_t)(first - memory->base));
}
