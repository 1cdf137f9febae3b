// SPDX-License-Identifier: Apache-2.0
// Reads one Matrix Market file with spmm_matrix_load and with fast_matrix_market, turn by turn in one process, and prints
// the best rate of each in MB of text a second. spmm makes CSR, fast_matrix_market triplets. tools/dev/bench_reader builds it.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include <fast_matrix_market/fast_matrix_market.hpp>
#include <sys/stat.h>

#include <spmm/inspector.h>

namespace {

double seconds_of(void (*read)(const char *, int), const char *path, int threads)
{
    const auto start = std::chrono::steady_clock::now();
    read(path, threads);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
    double best_spmm = 1e300;
    double best_peer = 1e300;
    for (int i = 0; i < repeats; i++) {
        const double spmm = seconds_of(read_spmm, path, threads);
        const double peer = seconds_of(read_peer, path, threads);
        best_spmm = spmm < best_spmm ? spmm : best_spmm;
        best_peer = peer < best_peer ? peer : best_peer;
    }
    const double megabytes = static_cast<double>(about.st_size) / 1e6;
    std::printf("threads %d  text %.1f MB  spmm %.0f MB/s  fast_matrix_market %.0f MB/s  ratio %.2f\n", threads, megabytes,
                megabytes / best_spmm, megabytes / best_peer, best_peer / best_spmm);
    return 0;
}
