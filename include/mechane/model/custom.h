#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/math/quat.h"
#include "mechane/math/vec.h"

namespace mechane::model {

/// What one value is made of. Reals are stored as `Real` whatever the stage authors.
enum class CustomType : std::uint8_t { boolean, int32, float32, vec2, vec3, vec4, quat };
/// What there is one value for. Of entities that this build does not have there are none, so their arrays are empty.
enum class CustomFrequency : std::uint8_t {
    once,
    world,
    body,
    shape,
    joint,
    joint_dof,
    joint_coord,
    joint_constraint,
    constraint_mimic,
    articulation,
    particle,
    edge,
    triangle,
    tetrahedron,
    spring,
    contact,  ///< rows of Contacts; what the assignment `contact` implies
};
/// Which object holds the array.
enum class CustomAssignment : std::uint8_t { model, state, control, contact };

/// Names as Newton spells them: "float32", "joint_dof", "model".
std::string_view                to_string(CustomType type);
std::string_view                to_string(CustomFrequency frequency);
std::string_view                to_string(CustomAssignment assignment);
std::optional<CustomFrequency>  custom_frequency(std::string_view name);   ///< "joint_dof", in any case
std::optional<CustomAssignment> custom_assignment(std::string_view name);  ///< "state", in any case
/// 1 to 4.
int component_count(CustomType type);

/// Up to four components; booleans are 0 or 1, quaternions x y z w.
/// For declaring; frozen arrays hold the type itself.
using CustomValue = std::array<double, 4>;

/// A declared attribute: one value for each entity of its frequency, the default where nothing else was set.
struct CustomAttribute {
    std::string      name;   ///< "mass_scale"
    std::string      space;  ///< namespace; empty for none
    CustomType       type       = CustomType::float32;
    CustomFrequency  frequency  = CustomFrequency::body;
    CustomAssignment assignment = CustomAssignment::model;
    CustomValue      otherwise{};  ///< default
    /// For integers that are indices of entities: those of copies are shifted with them. Negative ones stay.
    std::optional<CustomFrequency> references;
    /// Sparse: entities that are not in it have the default.
    std::map<std::int32_t, CustomValue> values;  ///< by index of the entity

    /// "space:name", or the name alone.
    [[nodiscard]] std::string key() const { return space.empty() ? name : space + ":" + name; }
    /// Whether both declare the same thing; values and default aside.
    [[nodiscard]] bool same_kind(const CustomAttribute& other) const;
};

/// One array of a frozen model.
struct CustomArray {
    std::string      key;
    CustomType       type       = CustomType::float32;
    CustomFrequency  frequency  = CustomFrequency::body;
    CustomAssignment assignment = CustomAssignment::model;
    CustomValue      otherwise{};
    std::variant<std::vector<std::uint8_t>, std::vector<std::int32_t>, std::vector<Real>,
                 std::vector<std::array<Real, 2>>, std::vector<Vec3>, std::vector<std::array<Real, 4>>,
                 std::vector<Quat>>
        data;  ///< by type, in the order of CustomType

    [[nodiscard]] std::size_t size() const;
    /// The same declaration with `count` entries of the default.
    [[nodiscard]] CustomArray filled(std::size_t count) const;
    /// An index out of range is left out, since some come from files; `at` gives zeros for it.
    void                      set(std::size_t index, const CustomValue& value);
    [[nodiscard]] CustomValue at(std::size_t index) const;
};

/// The arrays that one object holds. Found by key; few, so a list.
/// Keys are "space:name", or "name" where the attribute has no namespace.
struct CustomArrays {
    /// In the order of their declaration.
    std::vector<CustomArray> arrays;
    /// Everything that the model declares, without values: so that a wrong question can be answered with the right
    /// object. Null for objects that were not made from a model.
    std::shared_ptr<const std::vector<CustomArray>> declared;

    /// Null when there is none. The pointer holds until an array is added.
    [[nodiscard]] const CustomArray* find(std::string_view key) const;
    [[nodiscard]] CustomArray*       find(std::string_view key);
};

/// Diagnostic for a key or type that is not there: the message names the type it has, the object that holds it, or near
/// keys.
Diagnostic no_such_custom(const CustomArrays& here, std::string_view key, CustomAssignment wanted);

/// Values of an attribute as T: std::uint8_t, std::int32_t, Real, std::array<Real, 2>, Vec3, std::array<Real, 4>, Quat.
/// @error MODEL_CUSTOM_UNKNOWN
template <class T>
Result<std::span<const T>> custom_values(const CustomArrays& here, std::string_view key, CustomAssignment wanted)
{
    if (const CustomArray* array = here.find(key); array != nullptr && array->assignment == wanted)
        if (const auto* values = std::get_if<std::vector<T>>(&array->data)) return std::span<const T>(*values);
    return no_such_custom(here, key, wanted);
}
/// The same, to write to. @error MODEL_CUSTOM_UNKNOWN
template <class T>
Result<std::span<T>> custom_values(CustomArrays& here, std::string_view key, CustomAssignment wanted)
{
    if (CustomArray* array = here.find(key); array != nullptr && array->assignment == wanted)
        if (auto* values = std::get_if<std::vector<T>>(&array->data)) return std::span<T>(*values);
    return no_such_custom(here, key, wanted);
}

}  // namespace mechane::model
