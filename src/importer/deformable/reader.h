#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../import.h"

namespace mechane::importer {

/// One number of a deformable's material or body; physics::deformable_unit says its unit.
struct DeformableField {
    std::string_view name;  ///< without its namespace
    enum class Range {
        not_negative,  ///< zero counts; -inf stands for the default
        positive,      ///< zero and less are faults; -inf stands for the default
        density,       ///< zero stands for the default
        poisson        ///< -1 to 1/2
    } range = Range::not_negative;
};

using FieldRange = DeformableField::Range;

/// Values by name, in the builder's units. Only usable ones are there.
using DeformableValues = std::map<std::string, double, std::less<>>;

std::optional<double> deformable_value(const DeformableValues& values, std::string_view name);
bool                  has_any_of(const DeformableValues& values, std::span<const std::string_view> names);

/// Poisson's ratio above which a solid is too nearly incompressible for a finite Lame parameter.
inline constexpr double kLargestPoisson = 0.499;

/// Reads what deformables author: first the namespace of UsdPhysics, then those of vendors whose resolvers are in use.
/// What cannot be used is reported and counts as not authored.
class DeformableReader {
  public:
    explicit DeformableReader(Import& run);

    /// Whether the prim lists the API schema, whether or not its schema is registered.
    [[nodiscard]] static bool applies(const usd::Prim& prim, std::string_view api);
    /// The prim of the body that governs a simulation geometry: the prim itself or its parent; else invalid.
    [[nodiscard]] static usd::Prim body_of(const usd::Prim& prim);

    /// The authored attribute of that name; invalid when there is none.
    [[nodiscard]] usd::Attribute find(const usd::Prim& prim, std::string_view name) const;
    /// From the stage's unit of a deformable's property to SI.
    [[nodiscard]] double factor(std::string_view name) const;
    /// A number as authored, not converted, noted as read.
    [[nodiscard]] std::optional<double>             number(const usd::Prim& prim, std::string_view name) const;
    [[nodiscard]] std::optional<bool>               flag(const usd::Prim& prim, std::string_view name) const;
    [[nodiscard]] std::string                       text(const usd::Prim& prim, std::string_view name) const;
    [[nodiscard]] std::vector<int>                  ints(const usd::Prim& prim, std::string_view name) const;
    [[nodiscard]] std::optional<std::vector<Vec3d>> points(const usd::Prim& prim, std::string_view name) const;
    /// A field in the builder's units; nothing when it is not authored or cannot be used.
    [[nodiscard]] std::optional<double> field(const usd::Prim& prim, const DeformableField& field,
                                              std::string_view space = {}) const;

    /// What the bound physics material says under an API schema; nothing when it does not apply it.
    [[nodiscard]] std::optional<DeformableValues> material(const usd::Prim& prim, std::string_view api,
                                                           std::span<const DeformableField> fields,
                                                           std::string_view                 space = {}) const;
    /// The density of a deformable [builder's units]: of its body, of the family's material, of the plain physics
    /// material, of water.
    [[nodiscard]] double density(const usd::Prim& prim, const std::optional<double>& of_family,
                                 bool read_plain_material) const;
    /// The mass that the body authors [builder's units].
    [[nodiscard]] std::optional<double> body_mass(const usd::Prim& prim) const;

    // What counts where nothing is authored, in the builder's units.
    [[nodiscard]] double    default_modulus() const { return 1e6 * fallback_unit_; }
    [[nodiscard]] double    default_thickness() const { return 1e-3 / fallback_unit_; }
    [[nodiscard]] double    default_density() const { return 1000 * fallback_unit_ * fallback_unit_ * fallback_unit_; }
    static constexpr double kDefaultPoisson = 0.3;

    void fault(const usd::Prim& prim, std::string_view name, std::string text) const;
    void warn(const Code& code, const usd::Prim& prim, std::string text) const;

    /// Where the prim's points are in the builder's world, and where differences of its points point to.
    [[nodiscard]] std::vector<Vec3d> placed_points(const usd::Prim& prim, std::span<const Vec3d> points) const;
    [[nodiscard]] std::vector<Vec3d> placed_vectors(const usd::Prim& prim, std::span<const Vec3d> vectors) const;
    /// The same as a matrix for points (row vectors).
    [[nodiscard]] usd::Matrix4d placement(const usd::Prim& prim) const;
    /// Whether the prim's transform mirrors.
    [[nodiscard]] bool mirrored(const usd::Prim& prim) const;

    [[nodiscard]] Import& run() const { return run_; }

  private:
    Import&                  run_;
    std::vector<std::string> namespaces_;
    double                   fallback_unit_ = 1;  ///< metres in the builder's unit of length
};

/// Lame parameters from Young's modulus and Poisson's ratio.
model::TetMaterial lame_parameters(double modulus, double poisson);

}  // namespace mechane::importer
