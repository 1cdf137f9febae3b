// SPDX-License-Identifier: Apache-2.0
// Reads one Matrix Market file with spmm_matrix_load and with fast_matrix_market, in turns in one process.
// Prints the best rate of each in MB of text per second, by wall-clock time and by the processor time of all
// threads; the latter is more reliable on a busy machine. spmm makes CSR, fast_matrix_market triplets.
// tools/dev/bench_reader builds the program.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

#include <fast_matrix_market/fast_matrix_market.hpp>
#include <sys/stat.h>

#include <spmm/inspector.h>

namespace {

struct times {
    double wall = 1e300, cpu = 1e300;
};

double cpu_now()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void keep_best(times &best, void (*read)(const char *, int), const char *path, int threads)
{
    const auto start = std::chrono::steady_clock::now();
    const double cpu_start = cpu_now();
    read(path, threads);
    const double cpu = cpu_now() - cpu_start;
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best.wall = wall < best.wall ? wall : best.wall;
    best.cpu = cpu < best.cpu ? cpu : best.cpu;
}

void read_spmm(const char *path, int threads)
{
    spmm_read_options_t options = SPMM_READ_OPTIONS_INIT;
    spmm_matrix_t *matrix = nullptr;
    spmm_diag_t diag;
    options.threads = threads;
    if (spmm_matrix_load(path, &options, &matrix, &diag) != SPMM_OK) {
        std::fprintf(stderr, "bench_reader: %s\n", diag.text);
        std::exit(1);
    }
    spmm_matrix_destroy(matrix);
}

void read_peer(const char *path, int threads)
{
    std::ifstream file(path, std::ios::binary);
    fast_matrix_market::matrix_market_header header;
    fast_matrix_market::read_options options;
    std::vector<int32_t> rows, cols;
    std::vector<double> values;
    options.num_threads = threads;
    options.parallel_ok = threads > 1;
    fast_matrix_market::read_matrix_market_triplet(file, header, rows, cols, values, options);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: bench_reader FILE THREADS REPEATS\n");
        return 2;
    }
    const char *path = argv[1];
    const int threads = std::atoi(argv[2]);
    const int repeats = std::atoi(argv[3]);
    struct stat about;
    if (stat(path, &about) != 0 || threads < 1 || repeats < 1) {
        std::fprintf(stderr, "bench_reader: bad arguments\n");
        return 2;
    }
    times spmm;
    times peer;
    for (int i = 0; i < repeats; i++) {
        keep_best(spmm, read_spmm, path, threads);
        keep_best(peer, read_peer, path, threads);
    }
    const double megabytes = static_cast<double>(about.st_size) / 1e6;
    std::printf("threads %d  text %.1f MB  spmm %.0f MB/s (%.0f a processor second)  "
                "fast_matrix_market %.0f MB/s (%.0f)  ratio %.2f (%.2f)\n",
                threads, megabytes, megabytes / spmm.wall, megabytes / spmm.cpu, megabytes / peer.wall,
                megabytes / peer.cpu, peer.wall / spmm.wall, peer.cpu / spmm.cpu);
    return 0;
}
