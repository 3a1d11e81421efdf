#pragma once
// What the passes of `parse` share: the prims in traversal order with what is applied to them, and attribute reads that
// follow usd-physics section 1 (default time, else the start of the animation; NaN counts as not authored).
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "mechane/physics/physics_model.h"
#include "mechane/physics/read_log.h"
#include "mechane/tasks/parallel.h"

namespace mechane::physics {

/// What the type and the API schemas of a prim make of it.
struct Traits {
    bool                     is_scene = false, is_group = false, is_instancer = false, is_xformable = false;
    std::optional<JointKind> joint;
    bool                     has_body = false, has_collision = false, has_mesh_collision = false, has_mass = false;
    bool                     has_material = false, has_articulation = false, has_pairs = false, has_binding = false;
    bool                     has_limit_or_drive = false;
    bool                     one_of_several     = false;  ///< materials_stand_alone left something of it out
    usd::Token               custom;                      ///< shape or joint token of another engine
};

/// A prim of the sweep. `parent` indexes the records; kNone at a root.
struct Record : Traits {
    usd::Prim prim;
    Index     parent = kNone;
    std::vector<usd::Token>
        authored;  ///< names of properties that some layer has: all others keep the schema's fallback

    Index         body      = kNone;  ///< body entry of this very prim
    Index         owner     = kNone;  ///< enabled body at or above
    bool          resets    = false;  ///< ignores its parents' transforms
    bool          cut       = false;  ///< it, or a prim between it and its owner, does so
    std::uint8_t  inherited = 0;      ///< bits of Inherited that it authors itself
    usd::Matrix4d world;
};

/// What the sweep leaves for the readers.
struct Swept {
    std::vector<Record> records;
    std::vector<Index>  record_of;  ///< by Prim::index; kNone for prims that were not read
};

struct Reader {
    const usd::Stage&    stage;
    const ParseOptions&  options;
    PhysicsModel&        model;
    Diagnostics&         found;
    ReadLog*             log = nullptr;  ///< null when nobody asks what was read
    const tasks::Pool&   pool;
    Swept&               swept;
    std::vector<Record>& records;  ///< of `swept`

    /// The same with findings of its own, for one task.
    [[nodiscard]] Reader with(Diagnostics& own) const
    { return {stage, options, model, own, log, pool, swept, records}; }
    /// Calls work(reader, i) for every i of [0, count) on all threads. Each chunk has a reader with findings of its
    /// own; they are added in order at the end. The work writes to places of its own only.
    void parallel(std::size_t count, const std::function<void(const Reader& part, std::size_t i)>& work) const;
    /// Positions of the records that `wanted` chooses, in traversal order.
    template <class Wanted>
    [[nodiscard]] std::vector<std::size_t> select(const Wanted& wanted) const
    {
        std::vector<std::size_t> out;
        for (std::size_t i = 0; i < records.size(); ++i)
            if (wanted(records[i])) out.push_back(i);
        return out;
    }

    [[nodiscard]] const Record* record(const usd::Prim& prim) const;
    /// False when no layer has this property: nothing needs to be read then, callers know the schema's fallbacks.
    [[nodiscard]] bool maybe_authored(const usd::Prim& prim, const usd::Token& name) const;

    /// The authored value that counts; nothing when there is none.
    [[nodiscard]] usd::Value value(const usd::Prim& prim, const usd::Token& name) const;
    /// Authored value, else `otherwise`, the schema's fallback; NaN gives `otherwise` with PHY_VALUE_NAN, which also
    /// says what was expected where that is more than a number.
    [[nodiscard]] double number(const usd::Prim& prim, const usd::Token& name, double otherwise,
                                std::string_view expected = {}) const;
    [[nodiscard]] Vec3d  vector(const usd::Prim& prim, const usd::Token& name, const Vec3d& otherwise,
                                std::string_view expected = {}) const;
    [[nodiscard]] Quatd  quaternion(const usd::Prim& prim, const usd::Token& name, const Quatd& otherwise) const;
    [[nodiscard]] bool   flag(const usd::Prim& prim, const usd::Token& name, bool otherwise) const;
    /// A switch that is on unless it is authored otherwise, or that an animation switches on later (`starts_off`).
    [[nodiscard]] bool       switched(const usd::Prim& prim, const usd::Token& name, bool& starts_off) const;
    [[nodiscard]] usd::Token token(const usd::Prim& prim, const usd::Token& name, const usd::Token& otherwise) const;
    /// The axis token of a prim; unknown ones give `otherwise` with PHY_AXIS_UNKNOWN.
    [[nodiscard]] Axis                   axis(const usd::Prim& prim, const usd::Token& name, Axis otherwise) const;
    [[nodiscard]] std::vector<usd::Path> targets(const usd::Prim& prim, const usd::Token& name) const;

    [[nodiscard]] MassValues mass_values(const usd::Prim& prim) const;
    /// Local to world at the default time; a transform that is animated alone is taken at its start.
    [[nodiscard]] usd::Matrix4d local_matrix(const usd::Prim& prim, bool* resets) const;
    [[nodiscard]] usd::Matrix4d world_matrix(const usd::Prim& prim) const;

    /// Marks an entry invalid with this diagnostic.
    void invalidate(Entry& entry, const Code& code, Site site, std::string message) const;
};

// The passes, in the order in which `parse` runs them.
void       sweep(Reader& reader);              ///< records: what each prim is
void       check_names(const Reader& reader);  ///< misspelled names, misplaced APIs
void       read_scenes(Reader& reader);
void       read_groups(Reader& reader);
void       read_materials(Reader& reader);
void       read_bodies(Reader& reader);
void       read_colliders(Reader& reader);
void       read_joints(Reader& reader);
void       read_articulations(Reader& reader);
void       read_filtered_pairs(Reader& reader);
void       apply_owner_filter(PhysicsModel& model, const std::vector<usd::Path>& owners);
GroupTable make_group_table(const std::vector<Group>& groups);

/// Scene of an object by its owners, with PHY_OWNER_*.
Index scene_of(const Reader& reader, const usd::Prim& prim, const std::vector<usd::Path>& owners);

}  // namespace mechane::physics
