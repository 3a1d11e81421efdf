#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "mechane/importer/import_usd.h"
#include "mechane/model/builder.h"
#include "mechane/model/model.h"
#include "support/support.h"

namespace mechane::importer::test {

/// A stage in metres and kilograms, z up, with one scene, and what the test writes below the root.
inline std::string stage_text(
    std::string_view body,
    std::string_view metadata = "metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"Z\"")
{ return "#usda 1.0\n(\n    " + std::string(metadata) + "\n)\ndef PhysicsScene \"scene\" { }\n" + std::string(body); }

/// usda wants a line end after the last statement of a prim; the tests write one-line prims.
inline std::string with_line_ends(const std::string& usda)
{
    std::string out;
    for (const char c : usda) out += c == '}' ? std::string("\n}") : std::string(1, c);
    return out;
}

/// Everything an import leaves behind. `result` is empty after a refusal, `error` then says why.
struct Imported {
    std::shared_ptr<const usd::Stage> stage;
    model::ModelBuilder               builder;
    std::optional<ImportResult>       result;
    std::string                       error;
    Diagnostics                       found;

    [[nodiscard]] std::size_t body(const std::string& path) const
    { return static_cast<std::size_t>(result->path_body_map.at(path)); }
    [[nodiscard]] std::size_t joint(const std::string& path) const
    { return static_cast<std::size_t>(result->path_joint_map.at(path)); }
    [[nodiscard]] std::size_t shape(const std::string& path) const
    { return static_cast<std::size_t>(result->path_shape_map.at(path)); }
    [[nodiscard]] const model::BuilderBody& body_at(const std::string& path) const
    { return builder.bodies[body(path)]; }
    [[nodiscard]] const model::BuilderJoint& joint_at(const std::string& path) const
    { return builder.joints[joint(path)]; }
    [[nodiscard]] const model::BuilderShape& shape_at(const std::string& path) const
    { return builder.shapes[shape(path)]; }
    [[nodiscard]] std::vector<std::string> body_labels() const
    {
        std::vector<std::string> labels;
        for (const auto& b : builder.bodies) labels.push_back(b.label);
        return labels;
    }
    [[nodiscard]] std::vector<std::string> joint_labels() const
    {
        std::vector<std::string> labels;
        for (const auto& j : builder.joints) labels.push_back(j.label);
        return labels;
    }
};

inline Imported import_text(const std::string& usda, const ImportOptions& options = {})
{
    Imported out;
    auto     stage = usd::Stage::open_text(with_line_ends(usda));
    REQUIRE(stage);
    out.stage   = *std::move(stage);
    auto result = import_usd(*out.stage, options, out.builder, out.found);
    if (result)
        out.result = *std::move(result);
    else
        out.error = result.error().id;
    return out;
}

inline ImportOptions newton_options()
{
    ImportOptions options;
    options.compat = Compat::newton_1_8;
    return options;
}

}  // namespace mechane::importer::test
