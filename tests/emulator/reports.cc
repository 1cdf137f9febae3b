// SPDX-License-Identifier: Apache-2.0
// Error reports with the name of the kernel.
#include <cxxabi.h>
#include <elf.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fstream>
#include <iterator>
#include <string>

#include "emulator_state.h"

namespace emulator {

namespace {

// Stores the address at which the program was loaded. The first object is the program.
int set_base(dl_phdr_info *info, size_t, void *base)
{
    *static_cast<uintptr_t *>(base) = info->dlpi_addr;
    return 1;
}

// Returns the name in the program's own symbol table, which includes static functions, or an empty string.
std::string symbol_at(uintptr_t address)
{
    std::ifstream file("/proc/self/exe", std::ios::binary);
    const std::string image((std::istreambuf_iterator<char>(file)), {});
    const char *const start = image.data();
    uintptr_t base = 0;
    (void)dl_iterate_phdr(set_base, &base);
    const auto *header = reinterpret_cast<const Elf64_Ehdr *>(start);
    const auto *sections = reinterpret_cast<const Elf64_Shdr *>(start + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const auto *symbols = reinterpret_cast<const Elf64_Sym *>(start + sections[i].sh_offset);
        for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++)
            if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC && base + symbols[k].st_value == address)
                return start + sections[sections[i].sh_link].sh_offset + symbols[k].st_name;
    }
    return "";
}

std::string kernel_name()
{
    const std::string symbol = symbol_at((uintptr_t)kernel_address);
    char *const name = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
    const std::string found = name != nullptr ? name : symbol.empty() ? "a kernel without a name" : symbol;
    free(name);
    return found;
}

} // namespace

void report_deadlock()
{
    fprintf(stderr, "emulator: deadlock in %s\n", kernel_name().c_str());
    for (const BlockState &block : cluster.blocks)
        for (unsigned i = 0; i < blockDim.x * blockDim.y * blockDim.z; i++) {
            const Fiber &fiber = fibers[block.first_fiber + i];
            if (fiber.waits_for != nullptr && strcmp(fiber.waits_for, "the next block") != 0)
                fprintf(stderr, "block %u %u thread %u waits at %s\n", block.index.x, block.index.y, i,
                        fiber.waits_for);
        }
    abort();
}

void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "emulator: %s", kernel_address != nullptr ? kernel_name().c_str() : "no kernel");
    if (running != nullptr)
        fprintf(stderr, ", block %u %u, thread %u", running->block->index.x, running->block->index.y,
                running->number);
    fputs(": ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    abort();
}

} // namespace emulator
