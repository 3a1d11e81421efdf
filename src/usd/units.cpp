// Units of stages, and stages of one unit that refer to files of another: OpenUSD converts nothing, so that a reference
// must be scaled by hand.
// A mismatch is told unless a prim at or above the arc scales by the factor.

#include "mechane/usd/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "mechane/usd/codes.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

const TfToken kMeters("metersPerUnit"), kKilograms("kilogramsPerUnit"), kUpAxis("upAxis");

/// 'Y' or 'Z' where a layer says which way is up.
std::optional<char> up_of(const SdfLayerHandle& layer)
{
    VtValue value;
    if (!layer || !layer->HasField(SdfPath::AbsoluteRootPath(), kUpAxis, &value)) return std::nullopt;
    const auto word = wrap(std::move(value)).get<std::string>();
    return word && word->size() == 1 ? std::optional(word->front()) : std::nullopt;
}

/// True when the matrix leaves the directions of the axes as they are.
bool keeps_axes(const Matrix4d& m)
{
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
            if (row == column ? !(m(row, column) > 0) : std::abs(m(row, column)) > 1e-6 * std::abs(m(row, row)))
                return false;
    return true;
}

std::optional<double> stated(const SdfLayerHandle& layer, const TfToken& unit)
{
    VtValue value;
    if (!layer || !layer->HasField(SdfPath::AbsoluteRootPath(), unit, &value)) return std::nullopt;
    const auto number = wrap(std::move(value)).get<double>();
    return number && std::isfinite(*number) && *number > 0 ? number : std::nullopt;
}

/// The unit in which the opinions of a node are written: what its own root layer states, else what the layer that
/// brings it in uses, else the stage's.
double unit_of(const PcpNodeRef& node, const TfToken& unit, double of_stage)
{
    for (PcpNodeRef at = node; at && at.GetParentNode(); at = at.GetParentNode())
        if (const auto own = stated(at.GetLayerStack()->GetIdentifier().rootLayer, unit)) return *own;
    return of_stage;
}

/// True when the matrix scales all axes by this factor.
bool scales_by(const Matrix4d& m, double factor)
{
    for (int row = 0; row < 3; ++row) {
        const double size = std::hypot(m(row, 0), m(row, 1), m(row, 2));
        if (!(std::abs(size - factor) <= 1e-6 * factor)) return false;
    }
    return true;
}

class MismatchReport {
  public:
    explicit MismatchReport(Stage::Impl& stage) : stage_(stage) {}

    void run()
    {
        // Most stages have one unit throughout: then no prim needs to be looked at.
        const auto differs = [&](const SdfLayerHandle& layer) {
            const auto meters = stated(layer, kMeters), kilograms = stated(layer, kKilograms);
            const auto up = up_of(layer);
            return (up && *up != stage_.metadata.up_axis) || (meters && *meters != stage_.metadata.meters_per_unit) ||
                   (kilograms && *kilograms != stage_.metadata.kilograms_per_unit);
        };
        const auto layers = layers_in_use(stage_);
        if (std::none_of(layers.begin(), layers.end(), differs)) return;
        for (std::uint32_t i = 1; i < stage_.prims.size(); ++i) {
            const PrimRecord& prim = stage_.prims[i];
            if (prim.is_local() || (prim.flags & prim_flag::proxy) != 0) continue;
            for (const PcpNodeRef& node : prim.sites->GetNodeRange()) {
                const PcpArcType arc = node.GetArcType();
                if ((arc == PcpArcTypeReference || arc == PcpArcTypePayload) && !node.IsDueToAncestor() &&
                    !node.IsInert())
                    check(i, node);
            }
        }
    }

  private:
    void check(std::uint32_t at, const PcpNodeRef& node)
    {
        const SdfLayerHandle layer = node.GetLayerStack()->GetIdentifier().rootLayer;
        const StageMetadata& m     = stage_.metadata;
        if (const auto own = stated(layer, kMeters)) {
            const double outer = unit_of(node.GetParentNode(), kMeters, m.meters_per_unit);
            if (!length_units_are(*own, outer) && !scaled(at, *own / outer) && !scaled(at, *own / m.meters_per_unit))
                report(at, layer, kMeters, *own, outer,
                       "lengths below it are not converted and no scale of this factor is on the prim or above it");
        }
        // Whatever turns the prim, or one above it, may be what turns the part upright.
        if (const auto own = up_of(layer);
            own && m.authored_up_axis && *own != m.up_axis && keeps_axes(stage_.world[at]))
            stage_.diagnostics.add(
                kUnitsMismatch, site_of(stage_, stage_.prims[at], TfToken()),
                fmt::format(
                    "<{}> brings in {} with upAxis {} where {} is used; nothing turns it, so that it lies on its "
                    "side",
                    stage_.prims[at].path.text(), shown(stage_, layer), *own, m.up_axis),
                "Turn the prim by 90 degrees about its X axis.");
        if (const auto own = stated(layer, kKilograms)) {
            const double outer = unit_of(node.GetParentNode(), kKilograms, m.kilograms_per_unit);
            if (!mass_units_are(*own, outer))
                report(at, layer, kKilograms, *own, outer,
                       "masses, densities, inertias and force-type gains below it would have to be overridden by "
                       "this factor");
        }
    }

    /// Whether the prim, or prims above it together with it, scale by the factor: it may stand on any of them.
    [[nodiscard]] bool scaled(std::uint32_t at, double factor) const
    {
        for (std::uint32_t above = at; above != 0;) {
            above = stage_.prims[above].parent;
            // The scale between a prim above and the arc, whichever prims it is spread over.
            const auto outside = inverse(stage_.world[above]);
            if (outside && scales_by(stage_.world[at] * *outside, factor)) return true;
        }
        return false;
    }

    void report(std::uint32_t at, const SdfLayerHandle& layer, const TfToken& unit, double own, double outer,
                const char* what)
    {
        const PrimRecord& prim = stage_.prims[at];
        stage_.diagnostics.add(
            kUnitsMismatch, site_of(stage_, prim, TfToken()),
            fmt::format("<{}> brings in {} with {} {} where {} is used: a factor of {:.6g}; {}", prim.path.text(),
                        shown(stage_, layer), unit.GetString(), own, outer, own / outer, what));
    }

    Stage::Impl& stage_;
};

/// As UsdGeomLinearUnitsAre compares them: relative to each of the two.
bool units_are(double a, double b, double relative_tolerance)
{
    if (!(a > 0) || !(b > 0)) return false;
    const double difference = std::abs(a - b);
    return difference / a < relative_tolerance && difference / b < relative_tolerance;
}

std::optional<Diagnostic> wrong_unit(const char* name, double value)
{
    if (std::isfinite(value) && value > 0) return std::nullopt;
    return make_diagnostic(kMetaUnit, {.property = name}, fmt::format("{} cannot be {}", name, value));
}

}  // namespace

double kilograms_per_unit(const Stage& stage) { return stage.metadata().kilograms_per_unit; }
bool   has_authored_kilograms_per_unit(const Stage& stage) { return stage.metadata().authored_kilograms_per_unit; }
double meters_per_unit(const Stage& stage) { return stage.metadata().meters_per_unit; }
bool   has_authored_meters_per_unit(const Stage& stage) { return stage.metadata().authored_meters_per_unit; }

Result<void> set_kilograms_per_unit(LayerWriter& layer, double value)
{
    if (auto wrong = wrong_unit("kilogramsPerUnit", value)) return *wrong;
    layer.set_kilograms_per_unit(value);
    return {};
}

Result<void> set_meters_per_unit(LayerWriter& layer, double value)
{
    if (auto wrong = wrong_unit("metersPerUnit", value)) return *wrong;
    layer.set_meters_per_unit(value);
    return {};
}

bool mass_units_are(double a, double b, double relative_tolerance) { return units_are(a, b, relative_tolerance); }
bool length_units_are(double a, double b, double relative_tolerance) { return units_are(a, b, relative_tolerance); }

void report_unit_mismatches(Stage::Impl& stage) { MismatchReport(stage).run(); }

}  // namespace mechane::usd
