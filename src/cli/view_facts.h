#pragma once
#include <cstdint>
#include <string>

#include "mechane/importer/explain.h"

namespace mechane::cli {

/// What the viewer says of a shape that was picked, as JSON: the shape, its body and the joint that carries it, each with
/// the numbers of the model and where they come from, and the ledger of what is authored on its prim.
std::string picked_facts(const importer::ExplainInput& input, std::int32_t shape);

/// What `check` finds, as the viewer shows it beside the model: JSON list of {id, severity, message, prim, place, hint}.
/// A check that cannot be made is a finding of its own.
std::string view_findings(const usd::Stage& stage, int threads);

}  // namespace mechane::cli
