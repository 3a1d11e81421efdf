#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/dynamics/forest.h"
#include "mechane/model/model.h"
#include "mechane/solvers/support.h"
#include "solvers/mujoco/attributes.h"
#include "solvers/mujoco/description.h"
#include "solvers/mujoco/height_fields.h"

namespace mechane::solvers::mujoco {

/// Where a link of the forest is in a description.
struct LinkPlace {
    std::int32_t link = -1, body = -1;
    std::int32_t joint = -1, joints = 0;  ///< first joint; a fixed link has none
};
/// A prescribed body: one that nothing moves, of a free joint.
struct LedPlace {
    std::int32_t body = -1, item = -1, joint = -1;  ///< of the model; of the description
};
/// What an actuator's control is.
struct ControlPlace {
    enum class Source : std::uint8_t { position, velocity, direct } source = Source::position;
    std::int32_t actuator                                                  = -1;
    std::int32_t link                                                      = -1;  ///< of the forest
    std::int32_t at   = -1;  ///< target coordinate (first of a ball's), target dof, or row of the control
    std::int32_t axis = -1;  ///< of a ball joint
    std::int32_t dof  = -1;  ///< of the model; -1: no drive
    double       ref  = 0;
};

/// One mjModel to be, and where what it steps comes from.
struct Part {
    std::int32_t              world = model::kGlobalWorld;  ///< kGlobalWorld: all of them
    Description               what;
    std::vector<std::int32_t> trees;  ///< of the forest
    std::vector<LinkPlace>    links;
    std::vector<LedPlace>     led;
    std::vector<ControlPlace> controls;
    std::vector<std::int32_t> geom_of_shape;  ///< [shape_count], -1: none
    std::vector<std::int32_t> equality_of_joint_enabled;
};

struct ConvertOptions {
    bool                                       newton_compat   = false;  ///< as Newton 1.8 converts
    bool                                       mujoco_contacts = true;   ///< else geoms meet nothing by themselves
    bool                                       contacts        = true;
    bool                                       include_sites   = true;
    bool                                       separate_worlds = true;
    EngineOptions                              base;   ///< before attributes
    std::map<std::string, double, std::less<>> given;  ///< options that were chosen, by name
};

/// What conversion cannot honour, by what happens instead, with the labels that it happens to.
class Shortfalls {
  public:
    void               add(Support support, const std::string& text, const std::string& label);
    void               report(Diagnostics& out) const;
    [[nodiscard]] bool empty() const { return all_.empty(); }
    /// The first of them.
    [[nodiscard]] Diagnostic as_error() const;

  private:
    struct Entry {
        Support                  support = Support::ignored;
        std::string              text;
        std::vector<std::string> labels;
    };
    [[nodiscard]] static std::string sentence(const Entry& entry);
    std::vector<Entry>               all_;
};

/// Surfaces that worlds share, by source, kind and scale.
class Surfaces {
  public:
    using Key = std::tuple<const geometry::Mesh*, int, double, double, double>;
    std::map<Key, std::shared_ptr<const MeshItem::Surface>> meshes;
    std::map<Key, std::optional<FoundGrid>>                 grids;
};

/// @error SOLVER_MODEL  bodies that move and belong to no world, with several worlds; a plane that moves
Result<std::vector<Part>> convert(const model::Model& model, const dynamics::Forest& forest,
                                  const Attributes& attributes, const ConvertOptions& options, Surfaces& surfaces,
                                  Shortfalls& shortfalls);

}  // namespace mechane::solvers::mujoco
