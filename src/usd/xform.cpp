// Transforms: the ops of `xformOpOrder` to matrices, local and in the world (UsdGeomXformable).
// Angles are degrees; matrices act on row vectors; world matrices at the default time are computed when a stage is
// opened.
// An op that cannot be used is told and left out.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "mechane/tasks/parallel.h"
#include "mechane/usd/codes.h"
#include "mechane/usd/start_value.h"
#include "mechane/usd/transform_ops.h"
#include "usd/animated.h"

namespace mechane::usd {
namespace {

const Token                kOrder("xformOpOrder"), kXformableType("Xformable"), kGeomXformable("UsdGeomXformable");
constexpr std::string_view kReset = "!resetXformStack!", kInvert = "!invert!", kPrefix = "xformOp:";

bool is_xformable(const PrimRecord& prim)
{
    // Neighbours on the stage are often of one type, and asking the registry walks the type's bases.
    const pxr::TfToken&                        type_name = prim.definition->type;
    thread_local std::pair<pxr::TfToken, bool> last;
    if (!type_name.IsEmpty() && last.first == type_name) return last.second;
    const auto* type = SchemaRegistry::instance().find(type_name);
    if (type == nullptr || !type->concrete) return false;
    const bool xformable = SchemaRegistry::instance().is_a(type_name, unwrap(kXformableType)) ||
                           SchemaRegistry::instance().is_a(type_name, unwrap(kGeomXformable));
    last                 = {type_name, xformable};
    return xformable;
}

Matrix4d from_rotation(const Mat33d& r)
{
    Matrix4d m;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            m(static_cast<int>(i), static_cast<int>(j)) = r(j, i);  // row vectors: transposed
    return m;
}

Matrix4d translation(const Vec3d& t)
{
    Matrix4d m;
    m(3, 0) = t.x, m(3, 1) = t.y, m(3, 2) = t.z;
    return m;
}

Matrix4d scaling(const Vec3d& s)
{
    Matrix4d m;
    m(0, 0) = s.x, m(1, 1) = s.y, m(2, 2) = s.z;
    return m;
}

Matrix4d turn(int axis, double degrees)
{ return from_rotation(to_matrix(from_axis_angle(axis_vector<double>(axis), degrees * kDegrees))); }

/// The rotation of an orient operation as OpenUSD builds it: the angle from the real part alone, about the normalised
/// imaginary part.
Matrix4d orientation(const Quatd& q)
{
    const Vec3d  axis = q.xyz();
    const double size = length(axis);
    const double w    = std::min(1.0, std::max(-1.0, q.w));
    if (size < 1e-10) return {};
    return from_rotation(to_matrix(from_axis_angle((1 / size) * axis, 2 * std::acos(w))));
}

/// One operation's matrix; `kind` is "translate", "rotateXYZ", ... Returns null when it cannot be used, with the
/// reason.
const Code* op_matrix(std::string_view kind, const Value& value, bool inverted, Matrix4d& out, const Code*& note)
{
    const auto   scalar  = value.get<double>();
    const auto   vector  = value.get<Vec3d>();
    const auto   axis_of = [](char c) { return c - 'X'; };
    const double sign    = inverted ? -1 : 1;
    if (kind.starts_with("translate") || kind.starts_with("scale")) {
        const bool scales = kind.starts_with("scale");
        const auto rest   = kind.substr(scales ? 5 : 9);
        Vec3d      v      = scales ? Vec3d{1, 1, 1} : Vec3d{};
        if (rest.empty()) {
            if (!vector) return &kXformType;
            v = *vector;
        } else if (rest.size() == 1 && rest[0] >= 'X' && rest[0] <= 'Z') {
            if (!scalar) return &kXformType;
            v[static_cast<std::size_t>(axis_of(rest[0]))] = *scalar;
        } else {
            return &kXformUnknown;
        }
        if (!is_finite(v)) return &kXformNotFinite;
        if (!scales)
            out = translation(sign * v);
        else if (!inverted)
            out = scaling(v);
        else if (v.x == 0 || v.y == 0 || v.z == 0)
            return &kXformSingular;
        else
            out = scaling({1 / v.x, 1 / v.y, 1 / v.z});
        return nullptr;
    }
    if (kind.starts_with("rotate")) {
        const auto order = kind.substr(6);
        if (order.size() == 1 && order[0] >= 'X' && order[0] <= 'Z') {
            if (!scalar) return &kXformType;
            if (!std::isfinite(*scalar)) return &kXformNotFinite;
            out = turn(axis_of(order[0]), sign * *scalar);
            return nullptr;
        }
        static constexpr std::string_view kOrders[] = {"XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"};
        bool                              known     = false;
        for (const auto name : kOrders) known = known || name == order;
        if (!known) return &kXformUnknown;
        if (!vector) return &kXformType;
        if (!is_finite(*vector)) return &kXformNotFinite;
        // The inverse of a product has its factors inverted in the opposite order.
        out = {};
        for (const char c : order) {  // rotateXYZ applies x first: with row vectors Rx * Ry * Rz
            const auto axis = static_cast<std::size_t>(axis_of(c));
            out = inverted ? turn(axis_of(c), -(*vector)[axis]) * out : out * turn(axis_of(c), (*vector)[axis]);
        }
        return nullptr;
    }
    if (kind == "orient") {
        auto q = value.get<Quatd>();
        if (!q) return &kXformType;
        if (!is_finite(*q)) return &kXformNotFinite;
        if (std::abs(std::sqrt(dot(*q, *q)) - 1) > 1e-3) note = &kOrientUnnormalized;
        if (inverted) *q = conjugate(*q);
        out = orientation(*q);
        return nullptr;
    }
    if (kind == "transform") {
        const auto m = value.get<Matrix4d>();
        if (!m) return &kXformType;
        for (const double x : m->m)
            if (!std::isfinite(x)) return &kXformNotFinite;
        if (!inverted) {
            out = *m;
            return nullptr;
        }
        const auto i = inverse(*m);
        if (!i) return &kXformSingular;
        out = *i;
        return nullptr;
    }
    return &kXformUnknown;
}

bool undo_each_other(std::string_view one, std::string_view next)
{
    const std::string_view longer  = one.size() > next.size() ? one : next,
                           shorter = one.size() > next.size() ? next : one;
    return longer.starts_with(kInvert) && longer.substr(kInvert.size()) == shorter;
}

/// `flags` gets xform_flag: whether the stack is reset, and whether an operation is animated and has nothing at this
/// time.
Matrix4d local(const Stage::Impl& stage, const PrimRecord& prim, const TimeCode& time, std::uint8_t& flags,
               Diagnostics* found)
{
    flags = 0;
    Matrix4d out;
    if (!is_xformable(prim)) return out;
    const pxr::VtValue listed = resolve_value(stage, prim, unwrap(kOrder), time, true).value;
    if (!listed.IsHolding<pxr::VtArray<pxr::TfToken>>()) return out;
    const auto& order = listed.UncheckedGet<pxr::VtArray<pxr::TfToken>>();
    std::size_t first = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
        if (order[i].GetString() == kReset) {
            flags |= xform_flag::resets;
            first = i + 1;
        }
    // The first listed operation is applied last to a point: with row vectors, op_n * ... * op_1.
    for (std::size_t i = first; i < order.size(); ++i) {
        if (i + 1 < order.size() && undo_each_other(order[i].GetString(), order[i + 1].GetString())) {
            ++i;  // even where the operation has no inverse
            continue;
        }
        std::string_view name     = order[i].GetString();
        const bool       inverted = name.starts_with(kInvert);
        if (inverted) name.remove_prefix(kInvert.size());
        // Names are looked up in a table that all threads share; most stand in the list already.
        const pxr::TfToken attribute = inverted ? pxr::TfToken(std::string(name)) : order[i];
        const auto         report    = [&](const Code& code, const char* what) {
            if (found != nullptr)
                found->add(code, site_of(stage, prim, attribute), fmt::format("{} {}", order[i].GetString(), what));
        };
        if (!name.starts_with(kPrefix)) {
            report(kXformUnknown, "is not a transform operation");
            continue;
        }
        std::string_view kind = name.substr(kPrefix.size());
        kind                  = kind.substr(0, kind.find(':'));
        const Value value     = wrap(resolve_value(stage, prim, attribute, time, true).value);
        if (value.empty()) {
            if (is_animated(stage, prim, attribute))
                flags |= xform_flag::only_sampled;
            else
                report(kXformMissing, "has no value");
            continue;
        }
        Matrix4d    m;
        const Code* note = nullptr;
        if (const Code* wrong = op_matrix(kind, value, inverted, m, note)) {
            report(*wrong, wrong == &kXformNotFinite ? "is not finite" : "cannot be used");
            continue;
        }
        if (note != nullptr) report(*note, "is not normalised");
        out = m * out;
    }
    return out;
}

}  // namespace

void compute_world_matrices(Stage::Impl& stage)
{
    stage.world.resize(stage.prims.size());
    stage.xform_flags.resize(stage.prims.size());
    // Local matrices on all cores; what they find is told in the order of the prims.
    constexpr std::size_t    kGrain = 64;
    const std::size_t        count  = stage.prims.size();
    std::vector<Diagnostics> found(tasks::chunk_count(count, kGrain));
    tasks::Pool(stage.options.threads)
        .for_chunks(count, kGrain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
            for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i)
                stage.world[i] = local(stage, stage.prims[i], {}, stage.xform_flags[i], &found[chunk]);
        });
    for (const Diagnostics& chunk : found) stage.diagnostics.append(chunk);
    // Parents first: each world matrix needs only its parent's.
    for (std::size_t i = 1; i < count; ++i)
        if ((stage.xform_flags[i] & xform_flag::resets) == 0)
            stage.world[i] = stage.world[i] * stage.world[stage.prims[i].parent];
}

Matrix4d Stage::local_matrix(Prim prim, TimeCode time, bool* resets) const
{
    std::uint8_t flags = 0;
    if (!prim) return {};
    const Matrix4d m = local(*impl_, impl_->record(prim), time, flags, nullptr);
    if (resets != nullptr) *resets = (flags & xform_flag::resets) != 0;
    return m;
}

bool Stage::resets_transform(Prim prim) const
{ return prim && (impl_->xform_flags[prim.index()] & xform_flag::resets) != 0; }

bool Stage::transform_only_sampled(Prim prim) const
{ return prim && (impl_->xform_flags[prim.index()] & xform_flag::only_sampled) != 0; }

Token attribute_of_op(const Token& op)
{
    const std::string_view name = op.text();
    return name.starts_with(kInvert) ? Token(name.substr(kInvert.size())) : op;
}

TimeCode start_of_transform(const Prim& prim)
{
    if (!prim || !prim.stage().transform_only_sampled(prim)) return {};
    for (const Token& op : prim.attribute(kOrder).get_or<std::vector<Token>>({}))
        if (const TimeCode time = start_of(prim.attribute(attribute_of_op(op))); time.value) return time;
    return {};
}

Matrix4d Stage::world_matrix(Prim prim, TimeCode time) const
{
    if (!prim) return {};
    if (!time.value) return impl_->world[prim.index()];
    Matrix4d out;
    for (std::uint32_t i = prim.index(); i != 0; i = impl_->prims[i].parent) {
        std::uint8_t flags = 0;
        out                = out * local(*impl_, impl_->prims[i], time, flags, nullptr);
        if ((flags & xform_flag::resets) != 0) break;
    }
    return out;
}

}  // namespace mechane::usd
