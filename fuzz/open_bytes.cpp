#include "open_bytes.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "mechane/usd/dump.h"

namespace mechane::fuzz {

usd::OpenOptions small()
{
    usd::OpenOptions options;
    options.threads                = 1;
    options.limits.max_prims       = 2000;
    options.limits.max_graph_nodes = 20'000;
    options.limits.max_sublayers   = 50;
    return options;
}

void read_all(const usd::Stage& stage)
{
    (void)usd::dump_stage(stage);
    for (const usd::Prim& prim : stage.traverse({.all = true}))
        for (const usd::Token& name : prim.authored_property_names()) {
            (void)prim.attribute(name).value(1.5);
            (void)prim.attribute(name).connections();
            (void)prim.relationship(name).targets();
        }
}

void open_bytes(const std::uint8_t* data, std::size_t size, const char* suffix)
{
    // One file a process: several may run side by side.
    static const std::string file =
        (std::filesystem::temp_directory_path() / ("mechane_fuzz_" + std::to_string(getpid()) + suffix)).string();
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    if (const auto stage = usd::Stage::open(file, small())) read_all(**stage);
}

}  // namespace mechane::fuzz
