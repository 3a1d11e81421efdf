#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mechane/sourceformats/convert.h"
#include "mechane/usd/make_value.h"

namespace mechane::sourceformats {

/// What a layer of the result is for.
enum class Role { base, geometries, materials, physics, ros, newton, mujoco };
inline constexpr int kRoles = 7;

/// The layers of a result, written by what is said and not by where: in one file all roles are one layer. The first
/// edit that fails ends everything.
class Sheet {
  public:
    Sheet(Layout layout, std::string name);
    Sheet(const Sheet&) = delete;

    [[nodiscard]] bool single() const { return layout_ == Layout::single; }

    void define(Role role, const std::string& path, const std::string& type, const Place& place);
    void apply(Role role, const std::string& path, const std::string& api);
    void attribute(Role role, const std::string& path, const std::string& name, const std::string& type, bool custom);
    template <class T>
    void set(Role role, const std::string& path, const std::string& name, const std::string& type, const T& value,
             const Place& place, bool uniform = false)
    { put(role, path, name, type, usd::make_value(type, value), place, uniform); }
    /// A word of no schema, for the way back: an entry of customData, mechane/sourceformats/hints.h.
    template <class T>
    void hint(const std::string& path, const std::string& name, const std::string& type, const T& value,
              Role role = Role::base)
    { custom_data(path, name, usd::make_value(type, value), role); }
    void custom_data(const std::string& path, const std::string& name, const usd::Value& value, Role role = Role::base);
    void field(Role role, const std::string& path, const std::string& key, const std::string& type,
               const std::string& value);
    template <class T>
    void sample(Role role, const std::string& path, const std::string& name, const std::string& type, double time,
                const T& value)
    { put_sample(role, path, name, type, time, usd::make_value(type, value)); }
    /// First and last time code of what moves; layers say them.
    void time_range(double first, double last) { range_ = {first, last}; }
    /// Makes a variant of a prim; what is said of it is said below "PRIM{SET=NAME}".
    void variant(Role role, const std::string& path, const std::string& set, const std::string& name);
    void select_variant(Role role, const std::string& path, const std::string& set, const std::string& name);
    void property_field(Role role, const std::string& path, const std::string& property, const std::string& key,
                        const std::string& value);
    void property_field(Role role, const std::string& path, const std::string& property, const std::string& key,
                        int value);
    void target(Role role, const std::string& path, const std::string& name, const std::vector<std::string>& targets,
                const Place& place);
    void connect(Role role, const std::string& path, const std::string& name, const std::string& type,
                 const std::string& source);
    void pose(const std::string& path, const Posed& X);
    void order(const std::string& path, const std::vector<std::string>& ops);
    void extra(const std::string& path, const Extra& extra);
    void payload(const std::string& path, const std::string& prim);
    /// Remembers where a property comes from.
    void note(const std::string& path, const std::string& property, const Place& place);

    Result<UsdRobot> finish(std::vector<std::pair<std::string, std::string>> textures);

  private:
    Layout                                        layout_;
    std::string                                   name_;
    std::array<std::optional<usd::Layer>, kRoles> layers_;
    std::map<std::string, Place>                  places_;
    std::set<std::pair<int, std::string>>         defined_, applied_;
    std::optional<Diagnostic>                     failed_;
    std::optional<std::pair<double, double>>      range_;

    std::unordered_map<std::string, usd::Path>     paths_;           ///< as texts
    const std::pair<const std::string, usd::Path>* last_ = nullptr;  ///< that was asked for last, as most are again

    usd::Layer&      layer(Role role);
    const usd::Path& path_of(const std::string& path);
    void             put(Role role, const std::string& path, const std::string& name, const std::string& type,
                         const usd::Value& value, const Place& place, bool uniform);
    void put_sample(Role role, const std::string& path, const std::string& name, const std::string& type, double time,
                    const usd::Value& value);
    void check(const Result<void>& done, const std::string& path);
    void metadata(usd::Layer& layer, const std::string& prim);
};

}  // namespace mechane::sourceformats
