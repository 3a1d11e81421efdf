#pragma once
// How samples read a stage.
#include <memory>

#include "mechane/importer/import_usd.h"
#include "sample.h"

namespace sample {

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

/// The first argument, or the end of the program.
inline const char* file_argument(int argc, char** argv)
{
    if (argc == 2) return argv[1];
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    std::exit(2);
}

}  // namespace sample
