#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/math/pose.h"
#include "mechane/usd/path.h"
#include "mechane/usd/value.h"

namespace mechane::usd {

class Stage;

/// Writes one new layer. Nothing reaches the disk before `save`, which replaces the file atomically.
class LayerWriter {
  public:
    LayerWriter();
    ~LayerWriter();
    LayerWriter(LayerWriter&&) noexcept;
    LayerWriter& operator=(LayerWriter&&) noexcept;

    void set_sublayers(const std::vector<std::string>& paths);
    void set_default_prim(const Token& name);
    void set_up_axis(char axis);
    void set_meters_per_unit(double value);
    void set_kilograms_per_unit(double value);
    /// What the stage is composed by and would not be over this layer: expression variables, in which a sublayer has no
    /// say, and the variants that were selected when it was opened.
    void take_choices(const Stage& stage);
    void set_time_range(double start, double end, double time_codes_per_second);

    /// Makes sure a prim spec exists; `type` empty and `over` true for an opinion over another layer's prim.
    void define_prim(const Path& path, const Token& type, bool over = false);
    void apply_api(const Path& path, const Token& schema);
    /// Sets the default of an attribute of this USD type ("double3", "quatf", "token[]", ...). `custom` marks it as not
    /// of a schema.
    void set(const Path& property, std::string_view type, const Value& value, bool uniform = false,
             bool custom = false);
    void set_double(const Path& property, std::string_view type, double value);
    void set_vec3(const Path& property, std::string_view type, const Vec3d& value);
    void set_quat(const Path& property, std::string_view type, const Quatd& value);
    void set_tokens(const Path& property, const std::vector<Token>& values, bool uniform = false);
    void set_targets(const Path& relationship, const std::vector<Path>& targets);

    /// Arrays of vectors ("point3f[]", "vector3f[]") and rotations ("quatf[]", "quath[]"): a sample, or the default.
    void set_vec3_array(const Path& property, std::string_view type, std::optional<double> time,
                        const std::vector<Vec3d>& values);
    void set_quat_array(const Path& property, std::string_view type, std::optional<double> time,
                        const std::vector<Quatd>& values);

    /// Time samples, keyed by time code.
    void set_vec3_sample(const Path& property, std::string_view type, double time, const Vec3d& value);
    void set_quat_sample(const Path& property, std::string_view type, double time, const Quatd& value);
    void set_matrix_sample(const Path& property, double time, const Matrix4d& value);

    [[nodiscard]] std::string to_text() const;
    /// Format by extension: usda, usdc, usd.
    /// @error STAGE_WRITE_FAILED
    Result<void> save(const std::string& file) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::usd
