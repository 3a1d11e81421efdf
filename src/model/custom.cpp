// Types, frequencies and arrays of custom attributes: names as Newton spells them, and conversion between CustomValue
// (four doubles) and typed arrays.
//
// A custom attribute has a key ("namespace:name"), a type, a frequency, which says what it has one value for, and an
// assignment, which says whether the model, the state, the control or the contacts hold it. The frequencies that are
// numbers of rows (RowKind) have no entry in kFrequencies: to_string takes their names from the kind.

#include "mechane/model/custom.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "mechane/core/letters.h"
#include "mechane/model/codes.h"
#include "mechane/model/custom_copy.h"
#include "mechane/model/custom_rows.h"

namespace mechane::model {

namespace {

struct FrequencyRow {
    CustomFrequency  frequency;
    std::string_view name;
};
constexpr FrequencyRow kFrequencies[] = {
    {CustomFrequency::once, "once"},
    {CustomFrequency::world, "world"},
    {CustomFrequency::body, "body"},
    {CustomFrequency::shape, "shape"},
    {CustomFrequency::joint, "joint"},
    {CustomFrequency::joint_dof, "joint_dof"},
    {CustomFrequency::joint_coord, "joint_coord"},
    {CustomFrequency::joint_constraint, "joint_constraint"},
    {CustomFrequency::constraint_mimic, "constraint_mimic"},
    {CustomFrequency::articulation, "articulation"},
    {CustomFrequency::particle, "particle"},
    {CustomFrequency::edge, "edge"},
    {CustomFrequency::triangle, "triangle"},
    {CustomFrequency::tetrahedron, "tetrahedron"},
    {CustomFrequency::spring, "spring"},
    {CustomFrequency::contact, "contact"},
};
// In the order of CustomAssignment and of CustomType: to_string uses the enumerator as an index.
constexpr std::string_view kAssignments[] = {"model", "state", "control", "contact"};
constexpr std::string_view kTypes[]       = {"bool", "int32", "float32", "vec2", "vec3", "vec4", "quat"};

Real real(double x) { return static_cast<Real>(x); }

/// The entry that stands for a value, by type.
/// The second argument is a tag for overload resolution; its value is not read.
std::uint8_t        entry(const CustomValue& v, std::uint8_t) { return v[0] != 0 ? 1 : 0; }
std::int32_t        entry(const CustomValue& v, std::int32_t) { return static_cast<std::int32_t>(v[0]); }
Real                entry(const CustomValue& v, Real) { return real(v[0]); }
std::array<Real, 2> entry(const CustomValue& v, const std::array<Real, 2>&) { return {real(v[0]), real(v[1])}; }
Vec3                entry(const CustomValue& v, const Vec3&) { return {real(v[0]), real(v[1]), real(v[2])}; }
std::array<Real, 4> entry(const CustomValue& v, const std::array<Real, 4>&)
{ return {real(v[0]), real(v[1]), real(v[2]), real(v[3])}; }
Quat entry(const CustomValue& v, const Quat&) { return {real(v[0]), real(v[1]), real(v[2]), real(v[3])}; }

// Back from the entry to four doubles. What the type lacks stays zero.
CustomValue value(std::uint8_t x) { return {x != 0 ? 1.0 : 0.0}; }
CustomValue value(std::int32_t x) { return {static_cast<double>(x)}; }
CustomValue value(Real x) { return {static_cast<double>(x)}; }
CustomValue value(const std::array<Real, 2>& x) { return {static_cast<double>(x[0]), static_cast<double>(x[1])}; }
CustomValue value(const Vec3& x)
{ return {static_cast<double>(x.x), static_cast<double>(x.y), static_cast<double>(x.z)}; }
CustomValue value(const std::array<Real, 4>& x)
{ return {static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2]), static_cast<double>(x[3])}; }
CustomValue value(const Quat& x)
{ return {static_cast<double>(x.x), static_cast<double>(x.y), static_cast<double>(x.z), static_cast<double>(x.w)}; }

template <class T>
std::vector<T> repeated(const CustomValue& v, std::size_t count)
{ return std::vector<T>(count, entry(v, T{})); }

}  // namespace

std::string_view to_string(CustomType type) { return kTypes[static_cast<std::size_t>(type)]; }
std::string_view to_string(CustomAssignment assignment) { return kAssignments[static_cast<std::size_t>(assignment)]; }
std::string_view to_string(RowKind kind)
{
    static constexpr std::string_view kNames[] = {"mujoco:actuator",
                                                  "mujoco:tendon",
                                                  "mujoco:tendon_joint",
                                                  "mujoco:tendon_wrap",
                                                  "mujoco:equality_constraint",
                                                  "mujoco:pair",
                                                  "shape",
                                                  "joint_dof"};
    // In the order of RowKind.
    return kNames[static_cast<std::size_t>(kind)];
}
std::string_view to_string(CustomFrequency frequency)
{
    if (is_rows(frequency)) return to_string(row_kind(frequency));
    for (const FrequencyRow& row : kFrequencies)
        if (row.frequency == frequency) return row.name;
    return "";
}

// Words are compared with same_word, so the enumerator of Newton in capitals is found as well.
std::optional<CustomFrequency> custom_frequency(std::string_view name)
{
    for (const FrequencyRow& row : kFrequencies)
        if (same_word(row.name, name)) return row.frequency;
    return std::nullopt;
}

std::optional<CustomAssignment> custom_assignment(std::string_view name)
{
    for (std::size_t i = 0; i < std::size(kAssignments); ++i)
        if (same_word(kAssignments[i], name)) return static_cast<CustomAssignment>(i);
    return std::nullopt;
}

int component_count(CustomType type)
{
    switch (type) {
        case CustomType::boolean:
        case CustomType::int32:
        case CustomType::float32:
            return 1;
        case CustomType::vec2:
            return 2;
        case CustomType::vec3:
            return 3;
        case CustomType::vec4:
        case CustomType::quat:
            return 4;
    }
    return 1;
}

// The default is not part of the kind: two builders may differ in it and still be merged.
bool CustomAttribute::same_kind(const CustomAttribute& other) const
{
    return key() == other.key() && type == other.type && frequency == other.frequency &&
           assignment == other.assignment && references == other.references;
}

std::size_t CustomArray::size() const
{
    return std::visit([](const auto& values) { return values.size(); }, data);
}

// An array of the same kind in which each entry has the default.
CustomArray CustomArray::filled(std::size_t count) const
{
    CustomArray out{key, type, frequency, assignment, otherwise, {}};
    switch (type) {
        case CustomType::boolean:
            out.data = repeated<std::uint8_t>(otherwise, count);
            break;
        case CustomType::int32:
            out.data = repeated<std::int32_t>(otherwise, count);
            break;
        case CustomType::float32:
            out.data = repeated<Real>(otherwise, count);
            break;
        case CustomType::vec2:
            out.data = repeated<std::array<Real, 2>>(otherwise, count);
            break;
        case CustomType::vec3:
            out.data = repeated<Vec3>(otherwise, count);
            break;
        case CustomType::vec4:
            out.data = repeated<std::array<Real, 4>>(otherwise, count);
            break;
        case CustomType::quat:
            out.data = repeated<Quat>(otherwise, count);
            break;
    }
    return out;
}

void CustomArray::set(std::size_t index, const CustomValue& v)
{
    std::visit(
        [&](auto& values) {
            // Indices may come from files: what is out of range is left out.
            if (index < values.size()) values[index] = entry(v, values[index]);
        },
        data);
}

CustomValue CustomArray::at(std::size_t index) const
{
    return std::visit([&](const auto& values) { return index < values.size() ? value(values[index]) : CustomValue{}; },
                      data);
}

const CustomArray* CustomArrays::find(std::string_view key) const
{
    for (const CustomArray& array : arrays)
        if (array.key == key) return &array;
    return nullptr;
}
CustomArray* CustomArrays::find(std::string_view key)
{ return const_cast<CustomArray*>(static_cast<const CustomArrays*>(this)->find(key)); }

bool same_values(const CustomArrays& a, const CustomArrays& b) noexcept
{
    const auto same = [](const CustomArray& x, const CustomArray& y) {
        if (x.key != y.key || x.data.index() != y.data.index()) return false;
        return std::visit(
            [&](const auto& values) {
                const auto& others = std::get<std::decay_t<decltype(values)>>(y.data);
                return values.size() == others.size() &&
                       (values.empty() ||
                        std::memcmp(values.data(), others.data(), values.size() * sizeof(values[0])) == 0);
            },
            x.data);
    };
    return std::ranges::equal(a.arrays, b.arrays, same);
}

bool take_values(CustomArrays& into, const CustomArrays& from)
{
    bool all = true;
    for (const CustomArray& array : from.arrays) {
        CustomArray* own = into.find(array.key);
        if (own != nullptr && own->data.index() == array.data.index() && own->size() == array.size())
            own->data = array.data;
        else
            all = false;
    }
    return all;
}

// Says why a key was not found: another holder has it, it has another type, or nothing has that name.
Diagnostic no_such_custom(const CustomArrays& here, std::string_view key, CustomAssignment wanted)
{
    const Site                      site{.layer = {}, .prim = {}, .property = std::string(key)};
    const std::vector<CustomArray>& known = here.declared ? *here.declared : here.arrays;
    // The list of what was declared is wider than the arrays of one holder, so that the answer can name the right
    // holder.
    for (const CustomArray& array : known) {
        if (array.key != key) continue;
        if (array.assignment != wanted)
            return make_diagnostic(kCustomUnknown, site,
                                   fmt::format("'{}' is not an attribute of the {}", key, to_string(wanted)),
                                   fmt::format("The {} holds it.", to_string(array.assignment)));
        return make_diagnostic(kCustomUnknown, site, fmt::format("'{}' is asked for as another type", key),
                               fmt::format("It is of type {}.", to_string(array.type)));
    }
    // Names that share a part.
    // At most three, as a longer list would not help a reader.
    std::vector<std::string> near;
    const std::string_view   leaf = key.substr(key.rfind(':') + 1);
    for (const CustomArray& array : known)
        if (near.size() < 3 &&
            (array.key.find(leaf) != std::string::npos || std::string_view(array.key).substr(0, 4) == key.substr(0, 4)))
            near.push_back(array.key);
    return make_diagnostic(kCustomUnknown, site, fmt::format("there is no attribute '{}'", key),
                           near.empty() ? std::string() : fmt::format("Did you mean {}?", fmt::join(near, ", ")));
}

}  // namespace mechane::model
