#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/facts.h"
#include "conformance/fixes/workspace.h"
#include "mechane/conformance/fix.h"
#include "mechane/usd/make_value.h"

namespace mechane::conformance {

/// A spec of a layer of the asset.
struct EditPlace {
    usd::Layer* layer = nullptr;
    std::string file;  ///< of the copy
    usd::Path   path;
    double      offset = 0, scale = 1;  ///< stage time = offset + scale x time of the layer

    explicit  operator bool() const { return layer != nullptr; }
    EditPlace property(const usd::Token& name) const { return {layer, file, path.property(name), offset, scale}; }
};

/// One pass of repairs over one composed state of the asset. Edits go to the copied layers; the stage stays as it was
/// composed until the pass is over.
class Repair {
  public:
    Repair(const Facts& f, const FixOptions& o, Workspace& w, FixResult& r) : facts(f), options(o), work(w), result_(r)
    {
    }

    const Facts&      facts;
    const FixOptions& options;
    Workspace&        work;

    /// The rule and phase that edits are made for.
    void begin(const Rule& rule, Phase phase, const Finding* finding)
    { rule_ = &rule, phase_ = phase, finding_ = finding; }

    // -- where an opinion belongs
    /// The strongest place of the asset with an opinion about the prim, or about its property; without one about the
    /// property, the strongest one that says something alike ("physics:..."), then the one that defines the prim.
    [[nodiscard]] EditPlace place(const usd::Prim& prim, const usd::Token& property = {});
    /// The same, but one that belongs to this prim alone: where a source is shared by several references, an opinion of
    /// the root layer. No place for what lies inside an instance.
    [[nodiscard]] EditPlace own_place(const usd::Prim& prim, const usd::Token& property = {});
    /// Where an opinion about a field of the prim wins: `place`, or with `own` `own_place`, unless a stronger place has
    /// an opinion: then that one; the root layer where a layer outside the asset may be stronger, or the place is
    /// shared.
    [[nodiscard]] EditPlace field_place(const usd::Prim& prim, const usd::Token& key, bool own = false);
    /// The root layer's own metadata.
    [[nodiscard]] EditPlace root();

    /// The prim of the stage that an opinion is about, by its path or that of one of its properties; the first of
    /// several that share it. A variant that is not selected speaks of the prim that another one makes. Invalid where
    /// nothing on the stage is made of it.
    [[nodiscard]] usd::Prim subject(const EditPlace& at);

    // -- edits; each records itself, and does nothing where nothing changes
    bool set(const EditPlace& prim, const usd::Token& property, std::string_view type, const usd::Value& value,
             bool uniform = false, bool custom = false);
    bool set(const usd::Prim& prim, const usd::Token& property, std::string_view type, const usd::Value& value,
             bool uniform = false, bool custom = false)
    { return set(place(prim, property), property, type, value, uniform, custom); }
    /// @param time  of the stage
    bool set_sample(const EditPlace& prim, const usd::Token& property, std::string_view type, double time,
                    const usd::Value& value);
    bool set_targets(const EditPlace& prim, const usd::Token& property, const std::vector<usd::Path>& targets);
    /// The same with targets named as on the stage. A layer that an arc brings in has names of its own; what it has no
    /// name for is authored in the entry.
    bool set_stage_targets(const usd::Prim& prim, const EditPlace& at, const usd::Token& property,
                           std::vector<usd::Path> targets);
    /// Removes every opinion of the asset's layers; what others say is blocked.
    bool erase(const usd::Prim& prim, const usd::Token& property);
    bool apply_api(const EditPlace& prim, const usd::Token& name);
    bool remove_api(const usd::Prim& prim, const usd::Token& name);
    bool set_field(const EditPlace& place, const usd::Token& key, const usd::Value& value);
    bool define(const EditPlace& prim, const usd::Token& type);

    /// Prims whose placement this pass has written: the stage still shows the old one, so that a second change has to
    /// wait for the next pass.
    std::set<usd::Path> moved;
    /// Refuses where one of these operations has a connection, or a relationship or connection names it: what it is
    /// linked to would lead nowhere without it.
    /// @return whether it did
    bool refuse_linked(const usd::Prim& prim, const std::vector<usd::Token>& operations);
    /// Meshes whose faces this pass has changed: what it knows of them is from before.
    std::set<usd::Path> regrouped;
    /// What this pass does to the whole world: its placements are multiplied by `turned`, its lengths by `stretched`.
    usd::Matrix4d         turned;
    double                stretched = 1;
    std::set<std::string> reversed;             ///< joints whose sides changed places
    bool                  mixed_units = false;  ///< layers disagreed about lengths: nothing can be compared
    /// Layers whose units something made up for before the first edit, but no operation that says just this. They keep
    /// their units, also when other repairs have moved that scale elsewhere.
    std::set<std::string> compensated;
    /// The form of a Gprim took up a map that stood in front of its placement.
    void note_baked(const usd::Prim& gprim, const usd::Matrix4d& form) { baked_[gprim.path().text()] = form; }
    [[nodiscard]] const std::map<std::string, usd::Matrix4d>& baked() const { return baked_; }
    /// How often the finding at hand was repaired already and taken back: another way may work.
    int attempt = 0;
    /// The edit rearranges layers: what is composed has to stay the same. It is the pass's only one.
    /// @param entry  whose stage is compared with the one before; empty: the asset's
    void rearrange(const std::string& entry = {}) { rearranged_ = entry.empty() ? work.entry().string() : entry; }
    [[nodiscard]] const std::string& rearranged() const { return rearranged_; }

    /// The finding at hand is taken up again in the next pass.
    void               defer() { deferred_ = true; }
    [[nodiscard]] bool take_deferred() { return std::exchange(deferred_, false); }

    /// Notes that the finding at hand cannot be repaired.
    void refuse(std::string reason, std::string message);
    /// How many findings were refused so far; forgets those behind so many, after another way was found.
    [[nodiscard]] std::size_t refusals() const { return result_.left.size(); }
    void                      forget_refusals(std::size_t behind)
    { result_.left.erase(result_.left.begin() + static_cast<std::ptrdiff_t>(behind), result_.left.end()); }
    /// Notes what the author should know of a repair that was made.
    void remark(std::string reason, std::string message);
    /// Notes it, unless unsafe repairs are wanted.
    bool unsafe(const std::string& message);
    /// An edit that was made on the layer itself.
    void note(const std::string& file, const usd::Path& path, std::string field, std::string before, std::string after);
    [[nodiscard]] std::size_t edits() const { return edits_; }

  private:
    FixResult&                         result_;
    const Rule*                        rule_     = nullptr;
    Phase                              phase_    = Phase::schemas;
    const Finding*                     finding_  = nullptr;
    std::size_t                        edits_    = 0;
    bool                               deferred_ = false;
    std::string                        rearranged_;  ///< entry to be compared
    std::map<std::string, std::size_t> users_;       ///< how many prims a spec speaks about; made when it is asked for
    std::map<std::string, usd::Prim>   subjects_;    ///< the first of them, by the spec without its variants; likewise
    std::map<std::string, std::string>
        shown_;  ///< where the first of the instances shows a spec; empty for one that is not theirs alone

    /// Operations that relationships and connections name, by who does; made when it is asked for.
    std::optional<std::map<usd::Path, usd::Path>> linked_;

    bool                   done(const Result<void>& edit, const EditPlace& place);
    std::vector<EditPlace> places(const usd::Prim& prim, const usd::Token& property = {});
    void                   read_users();
    bool                   shared(const EditPlace& place);
    bool                   is_of_one_prototype(const EditPlace& place);

    std::map<std::string, usd::Matrix4d> baked_;
};

/// Repairs findings of one rule.
struct RepairOf {
    std::string_view rule;
    Phase            phase;
    void (*run)(Repair& repair, const Finding& finding);
};
/// Every repair, by phase.
std::span<const RepairOf> repairs();

// One table a file under fixes/.
std::span<const RepairOf> schema_repairs();
std::span<const RepairOf> transform_repairs();
std::span<const RepairOf> unit_repairs();
std::span<const RepairOf> asset_repairs();
std::span<const RepairOf> physics_repairs();
std::span<const RepairOf> body_repairs();
std::span<const RepairOf> layer_repairs();
std::span<const RepairOf> dependent_unit_repairs();
std::span<const RepairOf> ros_repairs();
std::span<const RepairOf> mesh_repairs();
std::span<const RepairOf> path_repairs();
std::span<const RepairOf> variant_repairs();

/// A double as a value of a USD type.
inline usd::Value number_value(std::string_view type, double value) { return usd::make_value(type, value); }

}  // namespace mechane::conformance
