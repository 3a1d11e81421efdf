// Authored values that cannot be the value of their attribute: of a wrong type, not finite, a word that the schema does
// not allow. Nobody reads them, so they are reported here for all readers, folded by attribute and fault. Likewise
// sizes, points and colours of geometry, which are no physics and shape what collides and what is seen.

#include "unusable_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "mechane/importer/codes.h"
#include "mechane/importer/ledger.h"
#include "mechane/physics/codes.h"
#include "mechane/physics/value_fault.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/start_value.h"
#include "mechane/usd/transform_ops.h"

namespace mechane::importer {
namespace {

/// Vendors' attributes that nothing here reads are no fault: the ledger says why they have no effect.
bool is_read_by_someone(const Import& run, const std::string& name)
{
    if (!is_physics_property(name)) return false;
    for (const char* space : {"physics:", "drive:", "limit:", "newton:"})
        if (name.starts_with(space)) return true;
    const auto& resolvers = run.resolvers.resolvers();
    return std::any_of(resolvers.begin(), resolvers.end(), [&](const resolve::Resolver& r) { return r.owns(name); });
}

/// What says how geometry is formed.
constexpr std::string_view kForms[] = {"axis",
                                       "doubleSided",
                                       "extent",
                                       "faceVertexCounts",
                                       "faceVertexIndices",
                                       "height",
                                       "holeIndices",
                                       "length",
                                       "normals",
                                       "orientation",
                                       "points",
                                       "primvars:displayColor",
                                       "primvars:displayOpacity",
                                       "radius",
                                       "purpose",
                                       "radiusBottom",
                                       "radiusTop",
                                       "size",
                                       "subdivisionScheme",
                                       "visibility",
                                       "width",
                                       "widths"};

bool is_form(std::string_view name)
{ return std::find(std::begin(kForms), std::end(kForms), name) != std::end(kForms); }

/// Of those what any prim has that can be seen, and not only a shape.
bool is_imageables(std::string_view name) { return name == "purpose" || name == "visibility"; }

std::string count_of(std::size_t bad, std::size_t all)
{ return fmt::format("has {} of {} element{} not finite", bad, all, all == 1 ? "" : "s"); }

/// Why what an attribute of geometry says cannot be meant. Elements of arrays that are not finite are left out one by
/// one; a size without a shape is that of something that is only seen, as colliders have findings of their own.
std::optional<physics::ValueFault> form_fault(const Import& run, const usd::Prim& prim, const usd::Token& name)
{
    const usd::Attribute attribute = prim.attribute(name);
    const usd::Value     value     = attribute.authored_value(usd::start_of(attribute));
    if (value.empty()) return std::nullopt;
    if (const auto fault = physics::value_fault(prim, name); fault && fault->code != &physics::kValueNan) return fault;
    std::size_t bad = 0;
    if (const auto list = value.get<std::vector<Vec3d>>()) {
        for (const Vec3d& v : *list) bad += is_finite(v) ? 0 : 1;
        if (bad > 0) return physics::ValueFault{&codes::kGeometryNumber, count_of(bad, list->size())};
        return std::nullopt;
    }
    if (const auto list = value.get<std::vector<double>>(); list && value.type_name().ends_with("[]")) {
        for (const double x : *list) bad += std::isfinite(x) ? 0 : 1;
        if (bad > 0) return physics::ValueFault{&codes::kGeometryNumber, count_of(bad, list->size())};
        return std::nullopt;
    }
    const auto size = value.get<double>();
    if (!size || run.physics.collider_at(prim.path()) != physics::kNone) return std::nullopt;
    if (std::isnan(*size)) return physics::ValueFault{&physics::kValueNan, "is not a number"};
    if (!std::isfinite(*size) || *size == 0)
        return physics::ValueFault{&codes::kVisualSize, fmt::format("is {}", *size)};
    if (*size < 0) return physics::ValueFault{&physics::kShapeNegative, fmt::format("is {}", *size)};
    return std::nullopt;
}

constexpr std::string_view kOp = "xformOp:";

/// Whether an operation leaves everything where it is.
bool is_identity(std::string_view name, const usd::Value& value)
{
    name.remove_prefix(kOp.size());
    const bool scales = name.starts_with("scale");
    if (const auto v = value.get<Vec3d>()) return *v == (scales ? Vec3d{1, 1, 1} : Vec3d{});
    if (const auto q = value.get<Quatd>()) return q->xyz() == Vec3d{} && q->w != 0;
    if (const auto m = value.get<usd::Matrix4d>()) return *m == usd::Matrix4d{};
    if (const auto x = value.get<double>()) return *x == (scales ? 1 : 0);
    return false;
}

/// An operation that the prim authors and its order leaves out: the prim is not where its author put it.
std::optional<physics::ValueFault> order_fault(const usd::Prim& prim, const usd::Token& name)
{
    static const usd::Token kOrder("xformOpOrder");
    const usd::Attribute    attribute = prim.attribute(name);
    const auto              order     = prim.attribute(kOrder).get_or<std::vector<usd::Token>>({});
    const auto              listed    = [&](const usd::Token& op) { return usd::attribute_of_op(op) == name; };
    if (!attribute.authored() || std::ranges::any_of(order, listed)) return std::nullopt;
    if (!attribute.varying() && is_identity(name.text(), attribute.authored_value(usd::start_of(attribute))))
        return std::nullopt;
    return physics::ValueFault{&codes::kXformUnlisted,
                               order.empty() ? "stands without an xformOpOrder" : "is not in xformOpOrder"};
}

/// A value that is read here, and not by readers that ask for the type of its schema.
std::optional<physics::ValueFault> type_fault(const usd::Prim& prim, const usd::Token& name)
{
    const usd::Attribute attribute = prim.attribute(name);
    const std::string    other     = attribute.other_type();
    if (other.empty() || !attribute.authored()) return std::nullopt;
    return physics::ValueFault{&usd::kTypeOther,
                               fmt::format("is of type {}, and {} in its schema", other, attribute.type_name())};
}

}  // namespace

void report_unusable_values(Import& run)
{
    std::unordered_set<usd::Token> names, forms;
    for (const usd::Token& name : run.physics.authored_names) {
        if (is_read_by_someone(run, name.text())) names.insert(name);
        if (is_form(name.text()) || name.text().starts_with(kOp)) forms.insert(name);
    }
    names.insert(forms.begin(), forms.end());
    if (names.empty()) return;
    // What the readers have said already.
    std::set<std::pair<std::string, std::string>> said;
    for (const Diagnostic& one : run.found)
        if (!one.site.property.empty() && one.severity != Severity::info) said.emplace(one.site.prim, one.site.property);

    struct Place {
        const Code* code = nullptr;
        Site        first;
        std::string text;
        std::size_t count = 0;
    };
    std::map<std::pair<std::string, std::string_view>, Place> places;
    const usd::Path                                           root(run.options.root_path);
    for (const usd::Prim& prim : run.stage.traverse()) {
        if (!prim.path().has_prefix(root) || run.ignored(prim.path())) continue;
        for (const usd::Token& name : prim.authored_property_names()) {
            if (names.count(name) == 0 || prim.relationship(name).authored()) continue;
            const bool form = forms.count(name) != 0, op = form && name.text().starts_with(kOp);
            if (form && !prim.is_a(op ? "Xformable" : is_imageables(name.text()) ? "Imageable" : "Gprim")) continue;
            auto fault = op     ? order_fault(prim, name)
                               : form ? form_fault(run, prim, name)
                                      : physics::value_fault(prim, name);
            if (said.count({prim.path().text(), name.text()}) != 0) continue;
            if (!fault) fault = type_fault(prim, name);
            if (!fault) continue;
            Place& place = places[{name.text(), fault->code->id}];
            if (place.count++ > 0) continue;
            place.code  = fault->code;
            place.first = prim.attribute(name).site();
            place.text  = fault->text;
        }
    }
    for (const auto& [key, place] : places)
        run.found.add(*place.code, place.first,
                      fmt::format("{} {}{}", key.first, place.text,
                                  place.count > 1 ? fmt::format(" ({} prims)", place.count) : ""));
}

}  // namespace mechane::importer
