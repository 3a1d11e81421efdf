// Paint of visual meshes: picture, texture coordinates at triangle corners, and what of a material nobody draws. Equal
// paint is shared. Simulations never read any of it.

#include "paint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "mechane/core/hash.h"
#include "mechane/usd/primvar.h"
#include "mechane/usd/shading.h"
#include "mechane/usd/start_value.h"

namespace mechane::importer {
namespace {

template <class T>
std::vector<T> array(const usd::Prim& prim, const char* name)
{
    const usd::Attribute attribute = prim.attribute(name);
    return attribute ? attribute.get<std::vector<T>>(usd::start_of(attribute)).value_or(std::vector<T>{})
                     : std::vector<T>{};
}

bool holds_coordinates(const usd::Attribute& primvar)
{
    if (!primvar) return false;
    const auto values = primvar.get<std::vector<Vec2d>>(usd::start_of(primvar));
    return values && !values->empty();
}

/// The texture coordinates that a material asks for, else the usual ones, else the first that there are.
usd::Attribute coordinates(const usd::Prim& mesh, const std::string& asked)
{
    const std::array<std::string, 5> usual{asked, "st", "st0", "UVMap", "uv"};
    for (const std::string& name : usual) {
        if (name.empty()) continue;
        if (const usd::Attribute primvar = usd::find_primvar(mesh, name); holds_coordinates(primvar)) return primvar;
    }
    for (const usd::Token& name : mesh.authored_property_names()) {
        if (!name.text().starts_with("primvars:") || name.text().ends_with(":indices")) continue;
        if (const usd::Attribute primvar = mesh.attribute(name); holds_coordinates(primvar)) return primvar;
    }
    return {};
}

using Corners = std::vector<std::array<Vec2f, 3>>;

/// Coordinates at the corners of triangles; empty when there are none that fit.
Corners corners_of(const usd::Prim& mesh, const MeshData& data, const std::vector<bool>& faces,
                   const TextureLook& texture, Diagnostics& found)
{
    const usd::Attribute primvar = coordinates(mesh, texture.primvar);
    if (!primvar) return {};
    const std::vector<Vec2d> values        = usd::flattened_primvar<Vec2d>(primvar, found, usd::start_of(primvar));
    const std::string        interpolation = usd::primvar_interpolation(primvar);
    const std::vector<int>   counts        = array<int>(mesh, "faceVertexCounts"),
                             indices       = array<int>(mesh, "faceVertexIndices");
    std::vector<std::size_t> start(1, 0);
    for (const int n : counts) start.push_back(start.back() + static_cast<std::size_t>(std::max(n, 0)));
    // Interpolations of UsdGeomPrimvar: constant, uniform, vertex/varying, faceVarying.
    const bool        of_corners = interpolation == "faceVarying", of_faces = interpolation == "uniform";
    const bool        constant = interpolation == "constant";
    const std::size_t needed   = constant     ? 1
                                 : of_faces   ? counts.size()
                                 : of_corners ? start.back()
                                              : data.mesh->points.size();
    if (values.size() < needed || (!constant && values.size() != needed)) return {};

    Corners out;
    for (std::size_t t = 0; t < data.mesh->triangles.size(); ++t) {
        const auto face = static_cast<std::size_t>(data.triangle_face[t]);
        if (!faces.empty() && !faces[face]) continue;
        auto& row = out.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t point = data.mesh->triangles[t][k];
            std::size_t        at    = constant ? 0 : of_faces ? face : static_cast<std::size_t>(point);
            if (of_corners) {
                if (face + 1 >= start.size() || start[face + 1] > indices.size()) return {};
                const auto first = indices.begin() + static_cast<std::ptrdiff_t>(start[face]),
                           last  = indices.begin() + static_cast<std::ptrdiff_t>(start[face + 1]);
                // Triangulation keeps points, so the corner of a face is found by its point.
                at = static_cast<std::size_t>(std::find(first, last, point) - indices.begin());
            }
            const Vec2d  uv = at < values.size() ? values[at] : Vec2d{};
            const auto&  m  = texture.transform;
            const double u = m[0] * uv.x + m[1] * uv.y + m[2], v = m[3] * uv.x + m[4] * uv.y + m[5];
            const bool   finite = std::isfinite(u) && std::isfinite(v);
            row[k]              = finite ? Vec2f{static_cast<float>(u), static_cast<float>(v)} : Vec2f{};
        }
    }
    return out;
}

/// What a UsdPreviewSurface shows besides its colour, as far as a picture or a number of a texture gives it.
void note_preview_inputs(const usd::Prim& shader, std::set<std::string>& kinds)
{
    constexpr std::pair<const char*, const char*> kInputs[] = {
        {"inputs:normal", "normal maps"},       {"inputs:roughness", "roughness maps"},
        {"inputs:metallic", "metallic maps"},   {"inputs:occlusion", "occlusion maps"},
        {"inputs:opacity", "opacity maps"},     {"inputs:emissiveColor", "emission maps"},
        {"inputs:displacement", "displacement"}};
    for (const auto& [name, kind] : kInputs) {
        const usd::Attribute input = shader.attribute(name);
        if (!input) continue;
        const usd::ShadingSource source = usd::shading_source(input);
        if (source.computed && source.attribute.prim() != shader) kinds.insert(kind);
    }
}

/// Pictures of an MDL or MaterialX shader besides the one that is drawn.
void note_other_pictures(const usd::Prim& shader, const usd::Attribute& drawn, std::set<std::string>& kinds)
{
    for (const usd::Token& name : shader.authored_property_names()) {
        if (!name.text().starts_with("inputs:")) continue;
        const usd::Attribute input = shader.attribute(name);
        if (drawn && input.name() == drawn.name()) continue;
        const auto asset = input.get<usd::AssetPath>();
        if (asset && !asset->authored.empty()) kinds.insert("further pictures of MDL materials");
    }
}

std::string shortened(const std::set<std::string>& names)
{
    constexpr std::size_t    kMost = 3;
    std::vector<std::string> shown;
    for (const std::string& name : names) {
        if (shown.size() == kMost) break;
        shown.push_back(name);
    }
    return fmt::format("{}{}", fmt::join(shown, ", "),
                       names.size() > kMost ? fmt::format(" and {} more", names.size() - kMost) : "");
}

/// What of a material nobody draws, looked up once.
const std::vector<std::string>& undrawn_of(Import& run, const Appearance& look)
{
    const auto [place, fresh] = run.paint.undrawn.try_emplace(look.material.index());
    if (!fresh) return place->second;
    std::set<std::string> kinds;
    if (const usd::Prim shader = usd::surface_shader(look.material)) {
        if (shader.attribute("info:id").get_or<std::string>({}) == "UsdPreviewSurface")
            note_preview_inputs(shader, kinds);
        else
            note_other_pictures(shader, look.texture_input, kinds);
    }
    place->second.assign(kinds.begin(), kinds.end());
    return place->second;
}

}  // namespace

std::shared_ptr<const model::Paint> paint_of(Import& run, const Appearance& look, const usd::Prim& mesh,
                                             const MeshData& data, const std::vector<bool>& faces)
{
    if (!look.material) return nullptr;
    auto paint      = std::make_shared<model::Paint>();
    paint->material = look.material.path().text();
    paint->undrawn  = undrawn_of(run, look);
    if (const auto texture = look.textured ? run.texture_of(look) : nullptr) {
        Diagnostics unreadable;  // indices of what only looks are not worth a finding of their own
        if (texture->tiles)
            paint->undrawn.emplace_back("pictures in tiles (<UDIM>)");
        else if (texture->picture != nullptr)
            paint->uvs = corners_of(mesh, data, faces, *texture, unreadable);
        if (!paint->uvs.empty()) {
            paint->picture = texture->picture;
            paint->wrap_s  = texture->wrap_s;
            paint->wrap_t  = texture->wrap_t;
        } else if (texture->picture != nullptr) {
            paint->undrawn.emplace_back("pictures on meshes without texture coordinates that fit");
        }
    } else if (look.textured) {
        paint->undrawn.emplace_back("textures of materials that are no UsdPreviewSurface");
    }
    if (paint->picture == nullptr && paint->undrawn.empty()) return nullptr;
    // Instances of one prototype share what they look like, so that a page holds it once.
    const std::uint64_t key = hash_bytes(paint->uvs.data(), paint->uvs.size() * sizeof(paint->uvs[0]));
    const auto [from, to]   = run.paint.known.equal_range(key);
    for (auto it = from; it != to; ++it)
        if (it->second->picture == paint->picture && it->second->wrap_s == paint->wrap_s &&
            it->second->wrap_t == paint->wrap_t && it->second->material == paint->material &&
            it->second->undrawn == paint->undrawn && it->second->uvs == paint->uvs)
            return it->second;
    return run.paint.known.emplace(key, std::move(paint))->second;
}

void report_missing_pictures(Import& run)
{
    if (const std::size_t n = run.paint.unplaced; n > 0)
        run.found.add(codes::kTextureUnplaced, {.layer = run.stage.source(), .prim = run.paint.first_unplaced},
                      fmt::format("{} under a picture that {}: {}", n == 1 ? "a shape" : fmt::format("{} shapes", n),
                                  n == 1 ? "it cannot show" : "they cannot show", run.paint.unplaced_file));
    std::set<std::string> missing;
    Site                  first;
    for (const auto& [key, texture] : run.textures) {
        if (!texture->missing || texture->file.empty()) continue;
        if (missing.empty()) first = texture->site;
        missing.insert(texture->file);
    }
    if (missing.empty()) return;
    run.found.add(codes::kTextureMissing, first,
                  fmt::format("{} not found: {}",
                              missing.size() == 1 ? "a picture is" : fmt::format("{} pictures are", missing.size()),
                              shortened(missing)));
}

}  // namespace mechane::importer
