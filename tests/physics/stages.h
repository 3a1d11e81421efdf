#pragma once
#include <doctest/doctest.h>

#include <string>

#include "mechane/physics/mass.h"
#include "mechane/physics/parse.h"
#include "support/support.h"

namespace mechane::test {

/// usda wants a line for each statement; in the texts of tests two spaces or a closing brace end one too.
inline std::string one_statement_a_line(const std::string& text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '}') out += '\n';
        if (text[i] == ' ' && i + 1 < text.size() && text[i + 1] == ' ') out += '\n';
        out += text[i];
        if (text[i] == '}') out += '\n';
    }
    return out;
}

/// A stage from the text of its prims: metres, kilograms and Z up unless `metadata` says otherwise.
inline std::shared_ptr<const usd::Stage> stage_from(
    const std::string& prims, const std::string& metadata = "metersPerUnit = 1 kilogramsPerUnit = 1 upAxis = \"Z\"")
{
    std::string header = "#usda 1.0\n(\n";
    // One metadatum a line: split before each name that follows a value.
    std::size_t start = 0;
    while (start < metadata.size()) {
        const std::size_t equals = metadata.find(" = ", start);
        if (equals == std::string::npos) break;
        std::size_t end = metadata.find(' ', equals + 3);
        if (end == std::string::npos) end = metadata.size();
        header += "    " + metadata.substr(start, end - start) + "\n";
        start = end + 1;
    }
    auto stage = usd::Stage::open_text(header + ")\n" + one_statement_a_line(prims));
    REQUIRE_MESSAGE(stage.has_value(), (stage ? std::string() : to_text(stage.error())));
    return *stage;
}

/// A parsed stage that keeps its stage alive.
struct Parsed {
    std::shared_ptr<const usd::Stage> stage;
    Diagnostics                       found;
    physics::PhysicsModel             model;

    explicit Parsed(const std::string& prims, const physics::ParseOptions& options = {})
        : stage(stage_from(prims)), model(physics::parse(*stage, options, found))
    {
    }
    Parsed(const std::string& prims, const char* metadata, const physics::ParseOptions& options = {})
        : stage(stage_from(prims, metadata)), model(physics::parse(*stage, options, found))
    {
    }

    const physics::Body& body(const std::string& path) const
    {
        const auto i = model.body_at(usd::Path(path));
        REQUIRE_MESSAGE(i != physics::kNone, path);
        return model.bodies[static_cast<std::size_t>(i)];
    }
    const physics::Collider& collider(const std::string& path) const
    {
        const auto i = model.collider_at(usd::Path(path));
        REQUIRE_MESSAGE(i != physics::kNone, path);
        return model.colliders[static_cast<std::size_t>(i)];
    }
    const physics::Joint& joint(const std::string& path) const
    {
        const auto i = model.joint_at(usd::Path(path));
        REQUIRE_MESSAGE(i != physics::kNone, path);
        return model.joints[static_cast<std::size_t>(i)];
    }
    const physics::Articulation& articulation(const std::string& path) const
    {
        const auto i = model.articulation_at(usd::Path(path));
        REQUIRE_MESSAGE(i != physics::kNone, path);
        return model.articulations[static_cast<std::size_t>(i)];
    }
    /// Path of the body that owns a collider, empty for static.
    std::string owner(const std::string& path) const
    {
        const auto body_index = collider(path).body;
        return body_index == physics::kNone ? "" : model.bodies[static_cast<std::size_t>(body_index)].path.text();
    }
};

inline physics::ParseOptions strict()
{
    physics::ParseOptions options;
    options.conventions = physics::kOpenUsd26;
    return options;
}

#define CHECK_VEC(actual, expected, tolerance)                         \
    do {                                                               \
        const ::mechane::Vec3d mch_a = (actual), mch_b = (expected);   \
        CAPTURE(mch_a.x);                                              \
        CAPTURE(mch_a.y);                                              \
        CAPTURE(mch_a.z);                                              \
        CHECK(::mechane::test::distance(mch_a, mch_b) <= (tolerance)); \
    } while (false)

}  // namespace mechane::test
