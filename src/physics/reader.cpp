// How the parser reads attributes: the rules for missing, blocked, animated and unusable values, in one place.
// A value that is not usable becomes a finding and the fallback; nothing read here is NaN.
// Readers for parallel parts share everything but the list of findings.

#include "reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mechane/physics/codes.h"
#include "mechane/physics/mass_values.h"
#include "mechane/physics/value_fault.h"
#include "mechane/usd/start_value.h"
#include "mechane/usd/transform_ops.h"

namespace mechane::physics {

const Record* Reader::record(const usd::Prim& prim) const
{
    if (!prim) return nullptr;
    const Index index = swept.record_of[prim.index()];
    return index == kNone ? nullptr : &records[static_cast<std::size_t>(index)];
}

/// The findings of the parts are joined by index, so that their order is the same for any number of threads.
void Reader::parallel(std::size_t count, const std::function<void(const Reader& part, std::size_t i)>& work) const
{
    constexpr std::size_t    kGrain = 256;  // some hundred microseconds of reading
    std::vector<Diagnostics> parts(tasks::chunk_count(count, kGrain));
    pool.for_chunks(count, kGrain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
        const Reader part = with(parts[chunk]);
        for (std::size_t i = begin; i < end; ++i) work(part, i);
    });
    for (const Diagnostics& part : parts) found.append(part);
}

/// Most attributes of most prims are not authored. The names that the sweep has listed answer that without a look into
/// the layers.
bool Reader::maybe_authored(const usd::Prim& prim, const usd::Token& name) const
{
    const Record* known = record(prim);
    return !known || std::find(known->authored.begin(), known->authored.end(), name) != known->authored.end();
}

namespace {
std::string sampled_only(const usd::Token& name, const usd::TimeCode& start)
{ return fmt::format("{} varies over time and has no default; its value at {} counts", name.text(), *start.value); }
}  // namespace

usd::Value Reader::value(const usd::Prim& prim, const usd::Token& name) const
{
    if (!maybe_authored(prim, name)) return {};
    if (log != nullptr) log->note(prim, name, Use::read);
    const usd::Attribute attribute = prim.attribute(name);
    if (is_unread_type(options.conventions, attribute)) return {};
    usd::Value authored = attribute.authored_value();
    if (!authored.empty()) return authored;
    // A blocked value is meant to be the fallback: no sample is looked for.
    if (attribute.blocked()) return {};
    if (!options.conventions.samples_need_default) {
        if (const usd::TimeCode start = usd::start_of(attribute); start.value) {
            usd::Value first = attribute.authored_value(start);
            if (!first.empty()) {
                found.add(kSampledOnly, attribute.site(), sampled_only(name, start));
                return first;
            }
        }
    }
    return {};
}

namespace {
std::string not_a_number(const usd::Token& name, std::string_view expected)
{
    return expected.empty() ? fmt::format("{} is not a number", name.text())
                            : fmt::format("{} is not a number; {}", name.text(), expected);
}
}  // namespace

double Reader::number(const usd::Prim& prim, const usd::Token& name, double otherwise, std::string_view expected) const
{
    const auto number = value(prim, name).get<double>();
    if (!number) return otherwise;
    if (std::isnan(*number)) {
        found.add(kValueNan, prim.attribute(name).site(), not_a_number(name, expected));
        return otherwise;
    }
    return *number;
}

Vec3d Reader::vector(const usd::Prim& prim, const usd::Token& name, const Vec3d& otherwise,
                     std::string_view expected) const
{
    const auto v = value(prim, name).get<Vec3d>();
    if (!v) return otherwise;
    if (std::isnan(v->x) || std::isnan(v->y) || std::isnan(v->z)) {
        found.add(kValueNan, prim.attribute(name).site(), not_a_number(name, expected));
        return otherwise;
    }
    // Attributes with a rule of their own for infinite components keep them.
    if (!is_finite(*v))
        if (const auto fault = value_fault(prim, name)) {
            found.add(*fault->code, prim.attribute(name).site(), fmt::format("{} {}", name.text(), fault->text));
            return otherwise;
        }
    return *v;
}

Quatd Reader::quaternion(const usd::Prim& prim, const usd::Token& name, const Quatd& otherwise) const
{
    const auto q = value(prim, name).get<Quatd>();
    if (!q) return otherwise;
    if (!is_finite(*q)) {
        found.add(kValueNan, prim.attribute(name).site(), fmt::format("{} is not finite", name.text()));
        return otherwise;
    }
    return *q;
}

bool Reader::flag(const usd::Prim& prim, const usd::Token& name, bool otherwise) const
{ return value(prim, name).get<bool>().value_or(otherwise); }

/// A switch that is off at first and animated later must be part of the model, as it may come on.
bool Reader::switched(const usd::Prim& prim, const usd::Token& name, bool& starts_off) const
{
    const bool on = flag(prim, name, true);
    starts_off    = !on && options.animation && prim.attribute(name).varying();
    return on || starts_off;
}

usd::Token Reader::token(const usd::Prim& prim, const usd::Token& name, const usd::Token& otherwise) const
{ return value(prim, name).get<usd::Token>().value_or(otherwise); }

Axis Reader::axis(const usd::Prim& prim, const usd::Token& name, Axis otherwise) const
{
    const usd::Token axis = token(prim, name, usd::Token());
    if (axis.empty()) return otherwise;
    const std::string& text = axis.text();
    if (text == "X") return Axis::x;
    if (text == "Y") return Axis::y;
    if (text == "Z") return Axis::z;
    found.add(kAxisUnknown, prim.attribute(name).site(),
              fmt::format("{} is \"{}\", expected X, Y or Z", name.text(), text));
    return otherwise;
}

std::vector<usd::Path> Reader::targets(const usd::Prim& prim, const usd::Token& name) const
{
    if (!maybe_authored(prim, name)) return {};
    if (log != nullptr) log->note(prim, name, Use::read);
    return prim.relationship(name).forwarded();
}

MassValues Reader::mass_values(const usd::Prim& prim) const
{
    static const usd::Token kMass("physics:mass"), kDensity("physics:density"), kCom("physics:centerOfMass"),
        kDiagonal("physics:diagonalInertia"), kAxes("physics:principalAxes"), kBody("PhysicsRigidBodyAPI");
    MassValues values;
    values.applied   = true;
    values.mass      = number(prim, kMass, 0, prim.has_api(kBody) ? kUnusableBodyMass : kExpectedMass);
    values.density   = number(prim, kDensity, 0, kExpectedDensity);
    values.com       = vector(prim, kCom, values.com);
    values.diagonal  = vector(prim, kDiagonal, {}, kExpectedDiagonal);
    const Quatd axes = quaternion(prim, kAxes, {0, 0, 0, 0});
    // A quaternion of zeros is the schema's mark for "not authored".
    values.axes        = dot(axes, axes) > 0 ? normalized(axes) : Quatd{0, 0, 0, 0};
    const auto blocked = [&](const usd::Token& name) {
        return maybe_authored(prim, name) && prim.attribute(name).blocked();
    };
    values.mass_blocked     = blocked(kMass);
    values.com_blocked      = blocked(kCom);
    values.diagonal_blocked = blocked(kDiagonal);
    values.axes_blocked     = blocked(kAxes);
    return values;
}

usd::Matrix4d Reader::local_matrix(const usd::Prim& prim, bool* resets) const
{
    static const usd::Token kOrder("xformOpOrder");
    if (options.conventions.samples_need_default) return stage.local_matrix(prim, {}, resets);
    // Animated ops without a default would vanish at the default time.
    const usd::TimeCode start = usd::start_of_transform(prim);
    if (start.value)
        for (const usd::Token& op : prim.attribute(kOrder).get_or<std::vector<usd::Token>>({})) {
            const usd::Attribute attribute = prim.attribute(usd::attribute_of_op(op));
            if (!usd::start_of(attribute).value) continue;
            found.add(kSampledOnly, attribute.site(), sampled_only(attribute.name(), start));
            break;
        }
    return stage.local_matrix(prim, start, resets);
}

usd::Matrix4d Reader::world_matrix(const usd::Prim& prim) const
{
    if (const Record* known = record(prim)) return known->world;
    return stage.world_matrix(prim);
}

void Reader::invalidate(Entry& entry, const Code& code, Site site, std::string message) const
{
    entry.valid = false;
    entry.reasons.emplace_back(code.id);
    found.add(code, std::move(site), std::move(message));
}

}  // namespace mechane::physics
