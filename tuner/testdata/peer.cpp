// Times the gradient of texel-tuner on the set that bench_test.go writes. Compiled against
// a folder that holds its sources:
//   g++ -std=c++20 -O3 -march=native -ffast-math -pthread -DTAPERED=1 -I FOLDER/src peer.cpp FOLDER/src/threadpool.cpp
#define CONFIG_H 1 // this file takes the place of its configuration
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include "base.h"
#include "external/chess.hpp"

struct TuneEval {
    constexpr static bool includes_additional_score = false, supports_external_chess_eval = false, retune_from_zero = false;
    constexpr static bool enable_qsearch = false, filter_in_check = false, adam_bias_correction = false;
    constexpr static tune_t preferred_k = 2.4, initial_learning_rate = 1, learning_rate_drop_ratio = 1;
    constexpr static int32_t max_epoch = 1, learning_rate_drop_interval = 1, data_load_print_interval = 1000000;
    static parameters_t get_initial_parameters() { return {}; }
    static EvalResult get_fen_eval_result(const std::string&) { return {}; }
    static EvalResult get_external_eval_result(const chess::Board&) { return {}; }
    static void print_parameters(const parameters_t&) {}
};
constexpr int32_t data_load_thread_count = 1, thread_count = 1, data_load_print_interval = 1000000;
constexpr static bool print_data_entries = false;
#include "tuner.cpp"

template <typename T> static T get(FILE* f) {
    T v;
    if (fread(&v, sizeof v, 1, f) != 1) { fprintf(stderr, "the set is cut off\n"); exit(1); }
    return v;
}

int main(int argc, char** argv) {
    FILE* f = argc > 2 ? fopen(argv[1], "rb") : nullptr;
    if (!f) { fprintf(stderr, "usage: peer SET PASSES\n"); return 1; }
    const auto n = get<uint32_t>(f), features = get<uint32_t>(f);
    parameters_t params(features), gradient(features, pair_t{});
    for (auto& p : params) { p[0] = get<double>(f); p[1] = get<double>(f); }
    std::vector<Entry> entries;
    std::vector<CoefficientEntry> all;
    for (uint32_t i = 0; i < n; i++) {
        Entry e{};
        e.wdl = get<uint16_t>(f) / 2.0;
        e.phase = get<uint16_t>(f);
        e.endgame_scale = 1;
        e.coeff_count = get<uint16_t>(f);
        e.coeff_offset = all.size();
        for (int c = 0; c < e.coeff_count; c++) { const auto index = get<int16_t>(f); all.push_back({get<int16_t>(f), index}); }
        entries.push_back(e);
    }
    ThreadPool pool;
    pool.start(1);
    std::array<parameters_t, thread_count> parts;
    parts[0] = parameters_t(features, pair_t{});
    for (int pass = 0; pass < atoi(argv[2]); pass++) {
        timespec a, b;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        std::fill(gradient.begin(), gradient.end(), pair_t{});
        compute_gradient(pool, gradient, parts, entries, all.data(), params, 2.4);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        const double seconds = (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) * 1e-9;
        // the derivative of the mean squared error by the first weight, to compare
        printf("%.6f %.12g\n", seconds, -2 * 2.4 / 400 * gradient[0][0] / n);
    }
    pool.stop();
}
