/// Opens one stage, visits every prim, and reads every transform and physics attribute. Prints one line of CSV:
/// prims, values, open [ms], reads [ms], peak memory [MiB]. bench/usd_open.py runs it beside OpenUSD.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "mechane/tasks/parallel.h"
#include "mechane/usd/stage.h"

namespace {

double milliseconds(std::chrono::steady_clock::duration d)
{ return std::chrono::duration<double, std::milli>(d).count(); }

bool wanted(const std::string& name)
{ return name.starts_with("xformOp") || name.starts_with("physics:") || name == "size"; }

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 2 || argc > 4) {
        std::fprintf(stderr, "usage: bench_usd_open STAGE [THREADS [FIRST-STAGE]]\n");
        return 2;
    }
    using namespace mechane;
    usd::OpenOptions options;
    options.threads = argc >= 3 ? std::atoi(argv[2]) : 0;
    // The libraries set themselves up with the first stage of a process: threads, symbols, schemas.
    if (argc == 4 && !usd::Stage::open(argv[3], options)) return 3;
    const auto begin = std::chrono::steady_clock::now();
    auto       stage = usd::Stage::open(argv[1], options);
    if (!stage) {
        std::fprintf(stderr, "%s\n", stage.error().message.c_str());
        return 3;
    }
    const auto opened = std::chrono::steady_clock::now();
    // A stage may be read from many threads; its physics is read so too.
    const auto               all    = stage.value()->traverse();
    constexpr std::size_t    kGrain = 512;
    std::vector<std::size_t> counts(tasks::chunk_count(all.size(), kGrain));
    tasks::Pool(options.threads)
        .for_chunks(all.size(), kGrain, [&](std::size_t first, std::size_t last, std::size_t chunk) {
            for (std::size_t i = first; i < last; ++i)
                for (const usd::Token& name : all[i].unordered_property_names())
                    if (wanted(name.text())) counts[chunk] += all[i].attribute(name).value().empty() ? 0U : 1U;
        });
    const std::size_t prims = all.size(), values = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    const auto        end = std::chrono::steady_clock::now();
    rusage            used{};
    getrusage(RUSAGE_SELF, &used);
    std::printf("%zu,%zu,%.2f,%.2f,%.1f\n", prims, values, milliseconds(opened - begin), milliseconds(end - opened),
                static_cast<double>(used.ru_maxrss) / 1024);
    std::fflush(stdout);
    std::_Exit(0);  // the layers' destruction is not what is measured
}
