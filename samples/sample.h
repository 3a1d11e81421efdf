#pragma once
// What every sample does alike: open a stage or leave with the reason.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "mechane/importer/import_usd.h"
#include "mechane/model/model.h"

namespace sample {

[[noreturn]] inline void leave(const mechane::Diagnostic& why)
{
    std::fprintf(stderr, "%s\n", mechane::to_text(why).c_str());
    std::exit(1);
}

/// The value, or the end of the program.
template <class T>
T get(mechane::Result<T> result)
{
    if (!result) leave(result.error());
    return *std::move(result);
}

/// A stage on its way to a model.
struct Imported {
    std::shared_ptr<const mechane::usd::Stage> stage;
    mechane::model::ModelBuilder               builder;
    mechane::importer::ImportResult            result;
};

inline Imported import_file(const char* file, const mechane::importer::ImportOptions& options = {})
{
    Imported             out{get(mechane::usd::Stage::open(file)), {}, {}};
    mechane::Diagnostics found;
    out.result = get(mechane::importer::import_usd(*out.stage, options, out.builder, found));
    return out;
}

inline mechane::model::Model finalize(const mechane::model::ModelBuilder& builder)
{
    mechane::Diagnostics found;
    return get(builder.finalize({}, found));
}

/// The first argument, or the end of the program.
inline const char* file_argument(int argc, char** argv)
{
    if (argc == 2) return argv[1];
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    std::exit(2);
}

}  // namespace sample
