// Values of shapes that several keys and prims decide together: contact response, margin and gap, distance fields, hull
// limits.
// Results are in the units of the model. What is not usable becomes a finding and the default.
// The importer calls it for each collider.

#include "mechane/resolve/shape_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/core/letters.h"
#include "mechane/resolve/codes.h"

namespace mechane::resolve {

namespace {

// The authored number; fallbacks and what is not finite count as nothing.
std::optional<double> finite(const Resolved& answer)
{
    const auto value = answer.number();
    return answer.authored() && value && std::isfinite(*value) ? value : std::nullopt;
}

std::size_t rank_of(const ResolverList& resolvers, std::string_view name)
{
    const auto& list = resolvers.resolvers();
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].name == name) return i;
    // A resolver that is not in use ranks last.
    return list.size();
}

// The material's value, then the shape's older spelling; mjc:solref on the shape goes first where MuJoCo ranks before
// Newton.
double response(const ResolverList& resolvers, const usd::Prim& collider, const usd::Prim& material, Key of_material,
                Key of_shape, const Context& context, double otherwise, Diagnostics& found)
{
    const Resolved on_shape = resolvers.get(collider, of_shape, context, {}, &found);
    if (on_shape.resolver == "mjc" && rank_of(resolvers, "mjc") < rank_of(resolvers, "newton"))
        if (const auto value = finite(on_shape)) {
            resolvers.note_lost(material, of_material, context, on_shape.attribute + " of the shape");
            return *value;
        }
    if (material) {
        const Resolved on_material = resolvers.get(material, of_material, context, {}, &found);
        if (const auto value = finite(on_material)) {
            resolvers.note_lost(collider, of_shape, context, on_material.attribute + " of the material", true);
            return *value;
        }
    }
    return finite(on_shape).value_or(otherwise);
}

// A value that only materials have.
double on_material(const ResolverList& resolvers, const usd::Prim& material, Key key, const Context& context,
                   double otherwise, Diagnostics& found)
{
    if (!material) return otherwise;
    return finite(resolvers.get(material, key, context, {}, &found)).value_or(otherwise);
}

/// One of the rules by which coefficients combine; nothing, with a finding, where another word is authored.
/// The rules are those of USD's and PhysX's combine modes.
std::string combine_rule(const ResolverList& resolvers, const usd::Prim& material, Key key, const Context& context,
                         Diagnostics& found)
{
    if (!material || context.rules.conventions.no_combine_rules) return {};
    const Resolved answer = resolvers.get(material, key, context, {}, &found);
    if (!answer.authored()) return {};
    const std::string text = lower_case(answer.text().value_or(""));
    for (const char* known : {"average", "min", "multiply", "max"})
        if (text == known) return text;
    found.add(
        kMaterialCombine, answer.site,
        fmt::format("{} of <{}> is \"{}\"", answer.attribute, material.path().text(), answer.text().value_or("")));
    if (context.log != nullptr)
        context.log->correct(material, answer.attribute, physics::Use::ignored,
                             "it is none of average, min, multiply, max");
    return {};
}

// Schemas that this build of USD does not know are found among the authored names.
bool applies(const usd::Prim& prim, std::string_view api)
{
    const usd::Token token(api);
    if (prim.has_api(token)) return true;
    const auto authored = prim.authored_apis();
    return std::find(authored.begin(), authored.end(), token) != authored.end();
}

}  // namespace

ContactValues contact_values(const ResolverList& resolvers, const usd::Prim& collider, const usd::Prim& material,
                             const Context& context, const ContactValues& defaults, Diagnostics& found)
{
    // Starts from the defaults, so that a value without any answer keeps its own.
    ContactValues v = defaults;
    v.ke = response(resolvers, collider, material, Key::material_ke, Key::shape_ke, context, defaults.ke, found);
    v.kd = response(resolvers, collider, material, Key::material_kd, Key::shape_kd, context, defaults.kd, found);
    v.kf = response(resolvers, collider, material, Key::material_kf, Key::shape_kf, context, defaults.kf, found);
    v.ka = response(resolvers, collider, material, Key::material_ka, Key::shape_ka, context, defaults.ka, found);
    v.mu_torsional =
        on_material(resolvers, material, Key::material_mu_torsional, context, defaults.mu_torsional, found);
    v.mu_rolling = on_material(resolvers, material, Key::material_mu_rolling, context, defaults.mu_rolling, found);
    v.priority   = on_material(resolvers, material, Key::material_priority, context, defaults.priority, found);
    v.weight     = on_material(resolvers, material, Key::material_weight, context, defaults.weight, found);

    v.friction_combine    = combine_rule(resolvers, material, Key::material_friction_combine, context, found);
    v.restitution_combine = combine_rule(resolvers, material, Key::material_restitution_combine, context, found);

    v.margin_source = resolvers.get(collider, Key::shape_margin, context, defaults.margin, &found);
    v.margin        = v.margin_source.number_or(defaults.margin);
    if (!std::isfinite(v.margin)) v.margin = defaults.margin;
    // A negative margin is reported and kept.
    if (v.margin < 0)
        found.add(kNegMargin, v.margin_source.site,
                  fmt::format("the contact margin of <{}> is {} m", collider.path().text(), v.margin));

    // Newton 1.8 lets a schema's default of the gap win over its own (0 where MuJoCo ranks first).
    const std::optional<Value> gap_default =
        context.rules.conventions.schema_defaults_of_gap ? std::optional<Value>() : std::optional<Value>(defaults.gap);
    v.gap_source = resolvers.get(collider, Key::shape_gap, context, gap_default, &found);
    v.gap        = v.gap_source.number_or(defaults.gap);
    if (!std::isfinite(v.gap)) v.gap = defaults.gap;
    return v;
}

SdfSettings sdf_settings(const ResolverList& resolvers, const physics::Collider& collider, const Context& context,
                         bool default_hydroelastic, Diagnostics& found)
{
    SdfSettings      s;
    const usd::Prim& prim = collider.prim;
    const auto       get  = [&](Key key) { return resolvers.get(prim, key, context, {}, &found); };
    // Corrects what the log says of a value that was read and then not used.
    const auto drop = [&](const Resolved& answer, const std::string& reason) {
        if (context.log != nullptr && answer.authored())
            context.log->correct(prim, answer.attribute, physics::Use::ignored, reason);
    };
    s.has_sdf = !resolvers.empty() && applies(prim, "NewtonSDFCollisionAPI");

    // Minus infinity counts as not set.
    if (const Resolved voxel = get(Key::shape_sdf_target_voxel_size);
        voxel.authored() && voxel.number_or(-kInfinity) > -kInfinity) {
        const double size = voxel.number_or(0);
        if (size > 0 && std::isfinite(size))
            s.target_voxel_size = size;
        else {
            found.add(kSdfVoxel, voxel.site, fmt::format("the voxel size of <{}> is {} m", collider.path.text(), size));
            drop(voxel, "a voxel size must be positive");
        }
    }
    if (const Resolved res = get(Key::shape_sdf_max_resolution);
        res.authored() && res.number_or(-kInfinity) > -kInfinity) {
        const double n = res.number_or(0);
        // 65536 cells along an axis would be far beyond any memory.
        if (!(n > 0) || !(n < 65536))
            found.add(kSdfRes, res.site, fmt::format("the SDF resolution of <{}> is {}", collider.path.text(), n));
        else if (std::fmod(n, 8) != 0)
            found.add(kSdfRes8, res.site, fmt::format("the SDF resolution of <{}> is {}", collider.path.text(), n));
        else
            s.max_resolution = static_cast<int>(n);
        if (!s.max_resolution) drop(res, "a resolution must be a positive multiple of 8");
        if (s.max_resolution && s.target_voxel_size) {
            if (context.log != nullptr)
                context.log->correct(prim, res.attribute, physics::Use::overridden, "the target voxel size goes first");
            found.add(kSdfBoth, res.site, fmt::format("<{}> has a resolution and a voxel size", collider.path.text()));
            if (context.rules.conventions.voxel_size_excludes_resolution) s.max_resolution.reset();
        }
    }
    // The schema asks for a field; without a size for its grid Newton's default of 64 cells counts.
    if (!s.max_resolution && !s.target_voxel_size && s.has_sdf) s.max_resolution = 64;

    // A side that is not authored keeps its default, 0.1 m; both sides are checked together.
    const Resolved inner = get(Key::shape_sdf_narrow_band_inner), outer = get(Key::shape_sdf_narrow_band_outer);
    if (const auto value = finite(inner)) s.band_inner = *value;
    if (const auto value = finite(outer)) s.band_outer = *value;
    // Lengths inside are negative; the band must have the surface in it.
    if (!(s.band_inner < 0 && s.band_outer > 0)) {
        found.add(
            kSdfBand, inner.authored() ? inner.site : outer.site,
            fmt::format("the narrow band of <{}> is {} to {} m", collider.path.text(), s.band_inner, s.band_outer));
        s.band_inner = -0.1;
        s.band_outer = 0.1;
        for (const Resolved& side : {inner, outer}) drop(side, "the band must enclose the surface: inner < 0 < outer");
    }
    if (const Resolved format = get(Key::shape_sdf_texture_format); format.authored()) {
        const std::string text = format.text().value_or("");
        if (text == "uint8" || text == "uint16" || text == "float32")
            s.texture_format = text;
        else {
            found.add(kSdfFormat, format.site,
                      fmt::format("the SDF format of <{}> is \"{}\"", collider.path.text(), text));
            drop(format, "it is none of uint8, uint16, float32");
        }
    }
    if (const Resolved padding = get(Key::shape_sdf_padding); finite(padding)) {
        if (*finite(padding) >= 0)
            s.padding = finite(padding);
        else {
            found.add(kSdfPadding, padding.site,
                      fmt::format("the SDF padding of <{}> is {} m", collider.path.text(), *finite(padding)));
            drop(padding, "a padding must not be negative");
        }
    }

    const Resolved hydro = get(Key::shape_hydroelastic_enabled);
    // A default of the importer makes shapes hydroelastic only where no field is asked for.
    s.hydroelastic = hydro.authored() ? hydro.flag_or(false) : !s.has_sdf && default_hydroelastic;
    if (const Resolved kh = get(Key::shape_kh); kh.authored() && kh.number_or(-kInfinity) > -kInfinity) {
        if (kh.number_or(0) > 0 && std::isfinite(kh.number_or(0)))
            s.kh = kh.number_or(s.kh);
        else {
            found.add(kHydroKh, kh.site,
                      fmt::format("the hydroelastic stiffness of <{}> is {}", collider.path.text(), kh.number_or(0)));
            drop(kh, "a stiffness must be positive");
        }
    }
    if (s.hydroelastic && !s.max_resolution && !s.target_voxel_size) {
        found.add(kHydroNoSdf, prim.site(), fmt::format("<{}> is hydroelastic without an SDF", collider.path.text()));
        s.hydroelastic = false;
        drop(hydro, "there is nothing to build its SDF from");
    }
    // Without the schema (or a hydroelastic surface, which needs a grid) nothing is built, whatever is authored.
    if (!s.has_sdf && !s.hydroelastic)
        for (const Key key :
             {Key::shape_sdf_target_voxel_size, Key::shape_sdf_max_resolution, Key::shape_sdf_narrow_band_inner,
              Key::shape_sdf_narrow_band_outer, Key::shape_sdf_texture_format, Key::shape_sdf_padding})
            drop(get(key), "NewtonSDFCollisionAPI is not applied");
    if (s.has_sdf && applies(prim, "NewtonMeshCollisionAPI"))
        found.add(kSdfMeshBoth, prim.site(), fmt::format("<{}> applies both", collider.path.text()));
    // An approximation (hull, boxes) is for contacts of meshes; the field is made of the mesh as authored.
    if (s.has_sdf && collider.kind == physics::ShapeKind::mesh &&
        collider.approximation != physics::Approximation::none) {
        found.add(kSdfApprox, prim.site(),
                  fmt::format("<{}> asks for {}", collider.path.text(), to_string(collider.approximation)));
        if (context.log != nullptr)
            context.log->correct(prim, "physics:approximation", physics::Use::ignored,
                                 "an SDF is made of the mesh itself");
    }
    return s;
}

int max_hull_vertices(const ResolverList& resolvers, const usd::Prim& collider, const Context& context,
                      int importer_default, Diagnostics& found)
{
    const double n =
        resolvers.get(collider, Key::shape_max_hull_vertices, context, static_cast<double>(importer_default), &found)
            .number_or(importer_default);
    // A number beyond the range of int would be undefined when it is cast.
    return std::isfinite(n) && std::abs(n) < 1e9 ? static_cast<int>(n) : importer_default;
}

}  // namespace mechane::resolve
