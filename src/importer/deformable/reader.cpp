// Reading of deformable schemas: attributes under their namespaces (PhysX's earlier ones too, if its resolver is
// listed), ranges, units, bound materials, places. Every attribute that is read is noted in the ledger.
// SI out: the factor of a name follows from its powers of mass and length (physics::deformable_unit).
//
// Stage units: mass and length as the stage has them; the power of each for a name comes from one table.

#include "reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "mechane/physics/deformable_units.h"
#include "mechane/usd/key_times.h"

namespace mechane::importer {
namespace {

/// What a float of a layer can hold.
bool representable(double value)
{ return std::isfinite(value) && std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max()); }

}  // namespace

std::optional<double> deformable_value(const DeformableValues& values, std::string_view name)
{
    const auto at = values.find(name);
    return at == values.end() ? std::nullopt : std::optional(at->second);
}

bool has_any_of(const DeformableValues& values, std::span<const std::string_view> names)
{
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return values.contains(name); });
}

DeformableReader::DeformableReader(Import& run) : run_(run), namespaces_{std::string(physics::kDeformableNamespaces[0])}
{
    // PhysX's earlier namespaces are read only where its resolver is listed.
    if (run.resolvers.has("physx"))
        namespaces_.assign(std::begin(physics::kDeformableNamespaces), std::end(physics::kDeformableNamespaces));
    if (run.conventions.keeps_stage_units || run.options.units == Units::stage) fallback_unit_ = run.result.linear_unit;
}

bool DeformableReader::applies(const usd::Prim& prim, std::string_view api)
{
    const std::vector<usd::Token> apis = prim.authored_apis();
    return std::any_of(apis.begin(), apis.end(), [&](const usd::Token& one) { return one.text() == api; });
}

usd::Prim DeformableReader::body_of(const usd::Prim& prim)
{
    // The schema governs a prim and its children, hence the parent only.
    for (const usd::Prim& one : {prim, prim.parent()})
        if (one && applies(one, "PhysicsDeformableBodyAPI")) return one;
    return {};
}

usd::Attribute DeformableReader::find(const usd::Prim& prim, std::string_view name) const
{
    if (!prim) return {};
    for (const std::string& space : namespaces_)
        if (const usd::Attribute attribute = prim.attribute(space + std::string(name)); attribute.authored())
            return attribute;
    return {};
}

double DeformableReader::factor(std::string_view name) const
{
    const physics::UnitPowers unit = physics::deformable_unit(name).value_or(physics::UnitPowers{});
    return std::pow(run_.context.scale.kilograms_per_unit, unit.mass) *
           std::pow(run_.context.scale.meters_per_unit, unit.length);
}

/// Reported at the attribute, and corrected in the ledger: it was noted as read.
void DeformableReader::fault(const usd::Prim& prim, std::string_view name, std::string text) const
{
    const usd::Attribute attribute = find(prim, name);
    run_.found.add(codes::kDeformableValue, attribute ? attribute.site() : prim.site(),
                   fmt::format("<{}>: {}", prim.path().text(), text));
    if (attribute && run_.log) run_.log->correct(prim, attribute.name(), physics::Use::ignored, std::move(text));
}

void DeformableReader::warn(const Code& code, const usd::Prim& prim, std::string text) const
{ run_.found.add(code, prim.site(), fmt::format("<{}>: {}", prim.path().text(), text)); }

std::optional<double> DeformableReader::number(const usd::Prim& prim, std::string_view name) const
{
    const usd::Attribute attribute = find(prim, name);
    if (!attribute) return std::nullopt;
    run_.took(prim, attribute.name().text());
    const usd::Value  value = attribute.authored_value();
    const std::string type  = value.type_name();
    // Bools and texts would convert.
    if (type != "bool" && type != "string" && type != "token")
        if (const auto out = value.get<double>()) return out;
    fault(prim, name,
          fmt::format("{} = {} is not a number; it counts as not authored", attribute.name().text(), value.to_text()));
    return std::nullopt;
}

std::optional<bool> DeformableReader::flag(const usd::Prim& prim, std::string_view name) const
{
    const usd::Attribute attribute = find(prim, name);
    if (!attribute) return std::nullopt;
    run_.took(prim, attribute.name().text());
    // Numbers stand for truths in files of earlier revisions.
    if (const auto value = usd::start_authored_as<bool>(attribute)) return value;
    if (const auto value = usd::start_authored_as<double>(attribute)) return *value != 0;
    return std::nullopt;
}

std::string DeformableReader::text(const usd::Prim& prim, std::string_view name) const
{
    const usd::Attribute attribute = find(prim, name);
    if (!attribute) return {};
    run_.took(prim, attribute.name().text());
    return usd::start_authored_as<std::string>(attribute).value_or("");
}

std::vector<int> DeformableReader::ints(const usd::Prim& prim, std::string_view name) const
{
    const usd::Attribute attribute = find(prim, name);
    if (!attribute) return {};
    run_.took(prim, attribute.name().text());
    return usd::start_authored_as<std::vector<int>>(attribute).value_or(std::vector<int>{});
}

std::optional<std::vector<Vec3d>> DeformableReader::points(const usd::Prim& prim, std::string_view name) const
{
    const usd::Attribute attribute = find(prim, name);
    if (!attribute) return std::nullopt;
    run_.took(prim, attribute.name().text());
    auto out = usd::start_authored_as<std::vector<Vec3d>>(attribute);
    if (!out) fault(prim, name, fmt::format("{} is not an array of points; it is ignored", attribute.name().text()));
    // An empty array says nothing.
    if (out && out->empty()) out.reset();
    return out;
}

std::optional<double> DeformableReader::field(const usd::Prim& prim, const DeformableField& field,
                                              std::string_view space) const
{
    std::optional<double> value;
    std::string           name = fmt::format("physics:{}", field.name);
    if (space.empty()) {
        value = number(prim, field.name);
        if (value) name = find(prim, field.name).name().text();
    } else {
        name                           = fmt::format("{}:{}", space, field.name);
        const usd::Attribute attribute = prim.attribute(name);
        if (!attribute.authored()) return std::nullopt;
        run_.took(prim, name);
        value = usd::start_authored_as<double>(attribute);
    }
    if (!value) return std::nullopt;
    const auto refuse = [&](std::string_view expected) -> std::optional<double> {
        const std::string said =
            fmt::format("{} = {:g}, expected {}; it counts as not authored", name, *value, expected);
        run_.found.add(codes::kDeformableValue, prim.attribute(name).site(),
                       fmt::format("<{}>: {}", prim.path().text(), said));
        if (run_.log) run_.log->correct(prim, name, physics::Use::ignored, said);
        return std::nullopt;
    };
    // nu = 0.5 makes lambda infinite. What is a little beyond is meant as nearly incompressible.
    if (field.range == DeformableField::Range::poisson) {
        if (*value > -1 && *value < 0.5) return value;
        if (!(*value >= 0.5 && *value < 1)) return refuse("a number above -1 and below 0.5");
        run_.found.add(codes::kDeformableValue, prim.attribute(name).site(),
                       fmt::format("<{}>: {} = {:g} is incompressible or beyond, for which no finite stiffness stands; "
                                   "{} is used",
                                   // At 0.5 the bulk modulus is infinite.
                                   prim.path().text(), name, *value, kLargestPoisson));
        return kLargestPoisson;
    }
    const auto leave = [&](const char* why) -> std::optional<double> {
        if (run_.log) run_.log->correct(prim, name, physics::Use::ignored, why);
        return std::nullopt;
    };
    if (field.range == DeformableField::Range::density) {
        // The schema's zero: a density that something else gives.
        if (*value == 0) return leave("zero stands for a density that something else gives");
        if (!representable(*value) || *value < 0) return refuse("a positive number");
    } else {
        // The schema's sentinel for "computed from others".
        if (*value == -kInfinity) return leave("-inf stands for the default");
        if (!representable(*value)) return refuse("a finite number, or -inf for the default");
        if (field.range == DeformableField::Range::positive && *value <= 0) return refuse("a positive number");
        if (*value < 0) return refuse("a number from 0 on");
    }
    const double times = factor(field.name);
    // Also of materials, whose density the rules of masses leave where no rigid body has them.
    if (times == 1) run_.took(prim, name, physics::Use::used);
    if (times != 1) run_.took(prim, name, physics::Use::converted, fmt::format("times {:.9g}: to SI units", times));
    return times * *value;
}

std::optional<DeformableValues> DeformableReader::material(const usd::Prim& prim, std::string_view api,
                                                           std::span<const DeformableField> fields,
                                                           std::string_view                 space) const
{
    const usd::Prim bound = run_.stage.bound_material(prim, "physics");
    // A material of another family is not read.
    if (!bound || !applies(bound, api)) return std::nullopt;
    run_.deformable_materials.insert(bound.path());
    DeformableValues out;
    for (const DeformableField& one : fields)
        if (const auto value = field(bound, one, space)) out.emplace(one.name, *value);
    return out;
}

/// Order: body, material of the family, plain physics material, default.
double DeformableReader::density(const usd::Prim& prim, const std::optional<double>& of_family,
                                 bool read_plain_material) const
{
    constexpr DeformableField kDensity{"density", DeformableField::Range::density};
    if (const usd::Prim body = body_of(prim))
        if (const auto value = field(body, kDensity)) return *value;
    if (of_family) return *of_family;
    if (read_plain_material)
        if (const usd::Prim bound = run_.stage.bound_material(prim, "physics");
            bound && bound.has_api("PhysicsMaterialAPI")) {
            run_.deformable_materials.insert(bound.path());
            if (const auto value = field(bound, kDensity, "physics")) return *value;
        }
    return default_density();
}

/// The range of densities is that of masses: positive, and zero for "not said".
std::optional<double> DeformableReader::body_mass(const usd::Prim& prim) const
{
    const usd::Prim body = body_of(prim);
    return body ? field(body, {"mass", DeformableField::Range::density}) : std::nullopt;
}

std::vector<Vec3d> DeformableReader::placed_points(const usd::Prim& prim, std::span<const Vec3d> points) const
{
    const usd::Matrix4d world = run_.stage.world_matrix(prim);
    std::vector<Vec3d>  out;
    out.reserve(points.size());
    // Points go through the whole transform, scale and shear included: simulated meshes have no scale of their own.
    for (const Vec3d& p : points) out.push_back(run_.X_WS * (run_.length() * usd::transform_point(world, p)));
    return out;
}

std::vector<Vec3d> DeformableReader::placed_vectors(const usd::Prim& prim, std::span<const Vec3d> vectors) const
{
    const usd::Matrix4d world = run_.stage.world_matrix(prim);
    std::vector<Vec3d>  out;
    out.reserve(vectors.size());
    // Vectors turn and scale; they are not moved.
    for (const Vec3d& v : vectors) out.push_back(rotate(run_.X_WS.q, run_.length() * usd::transform_vector(world, v)));
    return out;
}

usd::Matrix4d DeformableReader::placement(const usd::Prim& prim) const
{
    usd::Matrix4d unit;
    for (int i = 0; i < 3; ++i) unit(i, i) = run_.length();
    // Row vectors: first the prim's matrix, then metres, then the root transform.
    return run_.stage.world_matrix(prim) * unit * usd::from_pose(run_.X_WS);
}

bool DeformableReader::mirrored(const usd::Prim& prim) const
{ return usd::determinant3(run_.stage.world_matrix(prim)) < 0; }

model::TetMaterial lame_parameters(double modulus, double poisson)
/// Lame: mu = E / (2 (1 + nu)), lambda = E nu / ((1 + nu)(1 - 2 nu)).
{ return {.k_mu = modulus / (2 * (1 + poisson)), .k_lambda = modulus * poisson / ((1 + poisson) * (1 - 2 * poisson))}; }

}  // namespace mechane::importer
