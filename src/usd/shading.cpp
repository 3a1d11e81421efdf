// Shading networks as far as physics and drawing need them: where an input's value comes from, colour spaces, the
// surface shader.
// Connections are followed to an attribute with a value or to a shader's output; circles and broken ends are told.

#include "mechane/usd/shading.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "mechane/usd/codes.h"

namespace mechane::usd {
namespace {
const Token kShader("Shader"), kColorSpace("colorSpace"), kColorSpaceApi("ColorSpaceAPI"),
    kColorSpaceName("colorSpace:name"), kSourceColorSpace("inputs:sourceColorSpace"), kFile("inputs:file");
}

ShadingSource shading_source(const Attribute& input, Diagnostics* found)
{
    if (!input) return {};
    const Stage&      stage = input.prim().stage();
    std::vector<Path> seen;
    Attribute         at = input;
    for (;;) {
        const Path path = at.path();
        if (std::find(seen.begin(), seen.end(), path) != seen.end()) {
            if (found != nullptr)
                found->add(kShadeCycle, input.site(),
                           fmt::format("<{}> depends on itself through <{}>", input.path().text(), path.text()));
            return {input, false};
        }
        seen.push_back(path);
        // What a shader puts out is computed; connections beyond it are the shader's business.
        if (at.prim().is_a(kShader) && at.name().text().starts_with("outputs:")) return {at, true};
        const std::vector<Path> connections = at.connections();
        if (connections.empty()) return {at, false};
        const auto exists = [&](const Path& source) {
            const Prim prim = stage.prim_at(source.prim());
            return prim && prim.attribute(source.name());
        };
        const auto next = std::find_if(connections.begin(), connections.end(), exists);
        if (next == connections.end()) {
            if (found != nullptr)
                found->add(kShadeBroken, at.site(),
                           fmt::format("<{}> is connected to <{}>, which does not exist", path.text(),
                                       connections.front().text()));
            return {at, false};
        }
        at = stage.prim_at(next->prim()).attribute(next->name());
    }
}

std::string color_space(const Attribute& attribute)
{
    if (const auto own = attribute.metadata(kColorSpace).get<std::string>(); own && !own->empty()) return *own;
    for (Prim prim = attribute.prim(); prim && !prim.path().is_root(); prim = prim.parent()) {
        if (!prim.has_api(kColorSpaceApi)) continue;
        if (const auto name = prim.attribute(kColorSpaceName).authored_as<std::string>(); name && !name->empty())
            return *name;
    }
    return {};
}

std::string texture_color_space(const Prim& texture)
{
    const Attribute own = shading_source(texture.attribute(kSourceColorSpace)).attribute;
    if (const auto name = own.authored_as<std::string>(); name && !name->empty() && *name != "auto") return *name;
    const Attribute file = texture.attribute(kFile);
    if (!file) return "sRGB";
    // The asset may be an input of the material: the space is said where the path is written.
    const ShadingSource source = shading_source(file);
    if (const std::string name = color_space(source.attribute); !name.empty()) return name;
    if (const std::string name = color_space(file); !name.empty()) return name;
    return "sRGB";
}

Prim surface_shader(const Prim& material, Diagnostics* found)
{
    for (const char* output : {"outputs:surface", "outputs:mdl:surface"}) {
        const Attribute terminal = material.attribute(output);
        if (!terminal) continue;
        const ShadingSource source = shading_source(terminal, found);
        if (source.computed) return source.attribute.prim();
    }
    return {};
}

}  // namespace mechane::usd
