#include "mechane/usd/untrusted.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string_view>

#include "mechane/usd/dump.h"
#include "mechane/usd/stage.h"
#include "usd/crate_check.h"
#include "usd/zip_check.h"

namespace mechane::usd {
namespace {

std::string unchecked(std::string_view bytes, int packages)
{
    if (bytes.starts_with("PXR-USDC") && bytes.size() > 10) {
        const int major = static_cast<unsigned char>(bytes[8]), minor = static_cast<unsigned char>(bytes[9]);
        if (major != 0 || minor < kFirstCheckedMinor || minor > kLastCheckedMinor)
            return fmt::format("a crate of version {}.{}", major, minor);
    }
    std::string found;
    if (bytes.starts_with("PK\3\4") && packages < 16)
        (void)check_zip(bytes, [&](std::string_view, std::string_view content) {
            if (found.empty()) found = unchecked(content, packages + 1);
            return found;
        });
    return found;
}

}  // namespace

std::string unchecked_part(const std::string& source)
{
    std::ifstream stream(source, std::ios::binary);
    std::string   bytes(16, '\0');
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(stream.gcount()));
    if (bytes.starts_with("PK\3\4")) bytes.append(std::istreambuf_iterator<char>(stream), {});
    return unchecked(bytes, 0);
}

void read_everything(const std::string& source, const OpenOptions& options)
{
    const auto stage = Stage::open(source, options);
    if (!stage) return;
    (void)dump_stage(**stage);
    for (const Prim& prim : (*stage)->traverse({.all = true})) {
        (void)prim.metadata("kind");
        for (const Token& name : prim.authored_property_names()) {
            const Attribute attribute = prim.attribute(name);
            for (const double time : attribute.time_samples()) (void)attribute.value(time);
            (void)attribute.connections();
            (void)prim.relationship(name).targets();
        }
    }
}

}  // namespace mechane::usd
