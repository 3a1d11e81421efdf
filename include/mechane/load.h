#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechane/model.h"
#include "mechane/result.h"
#include "mechane/schema.h"

namespace mechane {

/// Gains that hold every joint at its start.
/// A robot whose stage authors no drives falls together; this stands it up. It takes the place of the drives of all
/// dofs with a coordinate of their own. Starts beyond a limit move onto it.
struct HoldGains {
    /// Finite and not negative. `mechane sim --hold 60,2` does the same with 60 and 2.
    double stiffness = 0, damping = 0;  ///< [N/m, N s/m] or [N m/rad, N m s/rad]
};

/// How a stage becomes a model. Defaults are those of `mechane sim FILE`.
/// Everything that is left at its default is what the stage says.
struct LoadOptions {
    bool ground = false;  ///< adds an infinite ground, unless the stage has one
    /// A height asks for a ground by itself.
    std::optional<double> ground_height{};  ///< along the up axis [m]; just below the lowest collider when unset
    /// Unset: drives are those of the stage.
    std::optional<HoldGains> hold{};
    int                      worlds = 1;  ///< copies of the whole scene, each a world of its own; 1..1048576
    std::optional<bool>      floating{};  ///< bases move freely, or are fixed; unset: as the stage says
    /// "/Prim{set}" or "set", and the variant that is selected.
    std::vector<std::pair<std::string, std::string>> variants{};
    /// Whose attributes count, by priority: "newton", "physx", "mjc", "auto" (those that the stage uses), tables below.
    /// A vendor earlier in the list wins where two say the same; a vendor that is not in it is not read at all.
    std::vector<std::string>           resolvers{"auto"};
    std::vector<Resolver>              tables{};    ///< of one's own; one that `resolvers` does not name comes first
    std::map<std::string, std::string> packages{};  ///< package://NAME/... -> folder
    std::vector<std::string>           search_paths{};         ///< for layers
    bool                               allow_missing = false;  ///< missing references and payloads are warnings
    /// 0..4096.
    int threads = 0;  ///< 0: all cores; the model does not depend on it
    /// Import options as `--option NAME=VALUE` of the command line has them, by name: {"nested_bodies", "schema"}.
    /// `mechane schema options` lists them.
    std::vector<std::pair<std::string, std::string>> options{};
};

/// Opens a stage of OpenUSD (.usda, .usdc, .usd, .usdz) and makes a model of it; `mechane convert` makes a stage of
/// URDF, MJCF and SDFormat. Labels are prim paths; what the stage animates, a simulation of the model follows.
/// @param notes  gets what could not be used, with file, line, prim and remedy
/// @error STAGE_FORMAT_UNKNOWN, STAGE_OPEN_FAILED, STAGE_LIMIT, ASSET_PACKAGE_UNKNOWN, IMPORT_STAGE_COMPOSITION,
/// STAGE_VARIANT_UNKNOWN, RESOLVER_UNKNOWN, IMPORT_ARG_OPTION; SIM_OPTION  a number is out of its range; RUN_ARGUMENT
/// copies are asked for of a stage that has several worlds itself; and those of importer::import_usd and
/// ModelBuilder::finalize
/// Everything arrives in SI units and radians, with Z up: a stage of another up axis is turned. A fault of
/// the asset costs the one body, joint or collider that it concerns, which is left out with a note; a load that gives a
/// model may therefore have notes of severity error.
Result<std::shared_ptr<const Model>> load(const std::string& file, const LoadOptions& options, Diagnostics& notes);
/// For programs that do not look at the notes.
Result<std::shared_ptr<const Model>> load(const std::string& file, const LoadOptions& options = {});

}  // namespace mechane
