#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/usd/path.h"
#include "mechane/usd/value.h"

namespace mechane::usd {

class Stage;
class Attribute;
class Relationship;

/// A time code, or the default time. Numeric times read samples; the default time reads defaults only. Questions
/// without a TimeCode are about the default time. Where an attribute has samples alone, the default time has no value:
/// what a stage is at its start is time code `StageMetadata::start_time_code`.
struct TimeCode {
    std::optional<double> value;  ///< number of time codes; empty: the default time
    TimeCode() = default;
    TimeCode(double t) : value(t) {}  // NOLINT: implicit on purpose
    static TimeCode default_time() { return {}; }
};

/// As layers state it: `def` makes a prim, `over` only adds to one, `class` is made to be inherited from.
enum class Specifier : std::uint8_t { over, def, class_ };

/// Which prims a traversal visits and whether it enters instances.
struct Traverse {
    /// What hides a prim hides everything below it.
    bool all              = false;  ///< false: active, defined, loaded and not abstract only
    bool instance_proxies = true;   ///< enter instances through their proxies (physics needs it)
};

/// A prim of an open stage: a stage pointer and an index, cheap to copy, valid as long as its stage. An invalid prim
/// answers every question with nothing.
class Prim {
  public:
    Prim() = default;
    /// False for a prim that `Stage::prim_at` did not find, and for the parent of the pseudo-root.
    explicit operator bool() const noexcept { return stage_ != nullptr; }
    bool     operator==(const Prim&) const = default;

    /// Of a valid prim alone.
    [[nodiscard]] const Stage&  stage() const;
    [[nodiscard]] std::uint32_t index() const noexcept { return index_; }  ///< depth-first position on the stage
    /// Lives as long as the stage; the empty path for an invalid prim.
    [[nodiscard]] const Path& path() const;
    [[nodiscard]] Token       name() const;
    [[nodiscard]] Token       type_name() const;  ///< as authored; empty for a typeless prim
    /// What composition made of the opinions of all layers.
    [[nodiscard]] Specifier specifier() const;
    /// An inactive prim is on the stage, and what lies below it is not.
    [[nodiscard]] bool active() const;
    /// Some layer says `def` or `class` of it, and of all prims above.
    [[nodiscard]] bool defined() const;
    /// A class, or below one.
    [[nodiscard]] bool abstract() const;
    /// Its payload, and those above, are not left out.
    [[nodiscard]] bool loaded() const;
    /// It shares what lies below it with other instances (`prototype_source`).
    [[nodiscard]] bool is_instance() const;
    /// Below an instance: it stands for a prim that other instances share, and has a path and an index of its own.
    [[nodiscard]] bool is_instance_proxy() const;
    /// Of an instance: the first instance on the stage that shares what lies below it (the prim itself if it is the
    /// first); else invalid.
    [[nodiscard]] Prim prototype_source() const;
    [[nodiscard]] Prim parent() const;  ///< invalid for the pseudo-root
    /// In the order of the stage.
    [[nodiscard]] std::vector<Prim> children(Traverse = {}) const;
    /// This prim and everything below it, depth-first. Iterative; safe at any depth.
    [[nodiscard]] std::vector<Prim> subtree(Traverse = {}) const;

    /// True for the prim's schema type and its bases, by schema name ("PhysicsJoint", "Gprim", "Xformable", ...).
    /// Names of C++ classes ("UsdGeomXform") are understood too. A prim whose type is abstract or unknown is none of
    /// them.
    [[nodiscard]] bool is_a(const Token& schema) const;
    /// True for an applied schema, e.g. "PhysicsRigidBodyAPI"; for a multiple-apply schema any instance, or
    /// "Name:instance".
    [[nodiscard]] bool               has_api(const Token& schema) const;
    [[nodiscard]] std::vector<Token> applied_apis() const;   ///< built-in and valid authored ones, strongest first
    [[nodiscard]] std::vector<Token> authored_apis() const;  ///< as composed from apiSchemas, may hold unknown names
    /// "rotX" of "PhysicsLimitAPI:rotX", strongest first.
    [[nodiscard]] std::vector<Token> api_instances(const Token& multiple_apply_schema) const;

    /// An attribute that the prim does not have answers every question with nothing; no need to ask whether it is
    /// there.
    [[nodiscard]] Attribute attribute(const Token& name) const;
    /// The same for a relationship.
    [[nodiscard]] Relationship       relationship(const Token& name) const;
    [[nodiscard]] std::vector<Token> property_names() const;  ///< built-in and authored, dictionary order
    /// Those that some layer mentions, in the same order.
    [[nodiscard]] std::vector<Token> authored_property_names() const;
    /// The same names in no particular order, some perhaps twice: for looking up, where the order costs too much.
    [[nodiscard]] std::vector<Token> unordered_property_names() const;
    /// Equal for prims of one stage that have the same type and list the same API schemas; null for an invalid prim.
    [[nodiscard]] const void* definition_key() const noexcept;
    [[nodiscard]] Value       metadata(const Token& key) const;  ///< composed; "a:b" addresses a dictionary entry

    /// Where the strongest opinion about this prim is authored. Lines are looked up lazily, in text layers only.
    [[nodiscard]] Site site() const;

  private:
    friend class Stage;
    friend class Attribute;
    friend class Relationship;
    Prim(const Stage* stage, std::uint32_t index) : stage_(stage), index_(index) {}
    const Stage*  stage_ = nullptr;
    std::uint32_t index_ = 0;
};

/// A question about a stage: it holds a prim and a name, no value. Cheap to copy, valid as long as its stage.
class Attribute {
  public:
    Attribute() = default;
    explicit                   operator bool() const;  ///< built in or authored
    [[nodiscard]] Prim         prim() const noexcept { return prim_; }
    [[nodiscard]] const Token& name() const noexcept { return name_; }
    [[nodiscard]] Path         path() const;
    [[nodiscard]] std::string  type_name() const;  ///< "float3", "token[]"; of the schema if built in
    /// The type of the layer whose value counts, where its values are not those of the schema's type ("double" where
    /// that is "float"; "float3" is as good as "point3f"). Readers that ask for the schema's type, as OpenUSD's own do,
    /// get nothing from such an attribute. Empty where the types agree, and where no schema of the prim has the name.
    [[nodiscard]] std::string other_type() const;
    /// As the schema has it, else as the weakest layer says.
    [[nodiscard]] bool uniform() const;
    /// Some layer says so, and no schema of the prim knows the name.
    [[nodiscard]] bool custom() const;
    [[nodiscard]] bool authored() const;  ///< has an authored opinion that yields a value (not blocked)
    /// A layer says that there is no value: neither weaker layers nor the schema's fallback count.
    [[nodiscard]] bool blocked() const;
    [[nodiscard]] bool varying() const;  ///< more than one sample, or a spline
    /// Time codes on the stage, ascending: offsets and scales of the arcs between are applied.
    [[nodiscard]] std::vector<double> time_samples() const;

    /// Authored value at a time; nothing when unauthored or blocked.
    [[nodiscard]] Value authored_value(TimeCode = {}) const;
    /// Authored value, else the schema's fallback; nothing when blocked.
    [[nodiscard]] Value value(TimeCode = {}) const;
    /// The same as T (the types of `Value`); nothing, too, where the value is of a kind that T cannot hold.
    template <class T>
    [[nodiscard]] std::optional<T> authored_as(TimeCode t = {}) const
    { return authored_value(t).template get<T>(); }
    template <class T>
    [[nodiscard]] std::optional<T> get(TimeCode t = {}) const
    { return value(t).template get<T>(); }
    /// For values whose absence has a meaning: `attribute("acme:count").get_or(1)`.
    template <class T>
    [[nodiscard]] T get_or(T otherwise, TimeCode t = {}) const
    { return value(t).template get<T>().value_or(std::move(otherwise)); }

    /// Composed over all layers, as paths of this stage.
    [[nodiscard]] std::vector<Path> connections() const;
    [[nodiscard]] Value             metadata(const Token& key) const;
    [[nodiscard]] Site              site() const;  ///< of the strongest opinion, or of the prim

  private:
    friend class Prim;
    Attribute(Prim prim, Token name) : prim_(prim), name_(std::move(name)) {}
    Prim  prim_;
    Token name_;
};

/// As Attribute, for targets instead of values.
class Relationship {
  public:
    Relationship() = default;
    explicit                   operator bool() const;
    [[nodiscard]] Prim         prim() const noexcept { return prim_; }
    [[nodiscard]] const Token& name() const noexcept { return name_; }
    [[nodiscard]] Path         path() const;
    /// Some layer mentions it, with targets or without.
    [[nodiscard]] bool              authored() const;
    [[nodiscard]] bool              custom() const;
    [[nodiscard]] std::vector<Path> targets() const;    ///< mapped into the stage's namespace
    [[nodiscard]] std::vector<Path> forwarded() const;  ///< through relationships that are targets, in order, once each
    [[nodiscard]] Value             metadata(const Token& key) const;
    [[nodiscard]] Site              site() const;

  private:
    friend class Prim;
    Relationship(Prim prim, Token name) : prim_(prim), name_(std::move(name)) {}
    Prim  prim_;
    Token name_;
};

/// Stage metadata, fallbacks filled in. `authored_*` say which were written.
struct StageMetadata {
    char up_axis = 'Y';
    /// OpenUSD's fallback; what an importer takes for a stage that authors none is an option of its own.
    double      meters_per_unit       = 0.01;                        ///< [m] in a unit of length
    double      kilograms_per_unit    = 1.0;                         ///< [kg] in a unit of mass
    double      time_codes_per_second = 24, frames_per_second = 24;  ///< [1/s], time codes and frames per second
    double      start_time_code = 0, end_time_code = 0;              ///< number of time codes; both 0 without a range
    std::string default_prim;
    bool        authored_up_axis = false, authored_meters_per_unit = false, authored_kilograms_per_unit = false;
    bool        authored_time_range = false;
};

/// What a stage may hold before opening it is refused (STAGE_LIMIT): a file of some kilobytes can ask for terabytes.
struct Limits {
    std::size_t max_prims = 5'000'000;  ///< a million takes up to 4 GB and half a minute of composition
    /// Elements of a path.
    std::size_t max_depth = 4096;
    /// Of one file.
    std::size_t max_layer_bytes = std::size_t{4} << 30;
    std::size_t max_sublayers   = 10'000;      ///< per layer stack
    std::size_t max_nesting     = 256;         ///< brackets in text
    std::size_t max_graph_nodes = 20'000'000;  ///< (layer stack, path) sites over all prims
};

/// Whether a prim's payload is loaded: with everything below it, without the payloads below it, or not.
enum class LoadRule : std::uint8_t { all, only, none };

struct OpenOptions {
    /// Folders in which relative references are looked for that do not begin with "./" or "../".
    std::vector<std::string>           search_paths{};
    std::map<std::string, std::string> packages{};  ///< package://NAME/... -> folder
    /// False: no payload is loaded but those of `load_rules`.
    bool                                   load_payloads = true;
    std::vector<std::pair<Path, LoadRule>> load_rules{};  ///< where payloads are treated otherwise
    /// Prims that are composed, with what lies above and below them.
    std::vector<Path> mask{};  ///< empty: everything
    /// Relationships whose targets join the mask ("physics:body0", "material:binding*").
    std::vector<std::string> mask_expansion{};
    /// Layers that are left out, with the sublayers that only they bring.
    std::vector<std::string> muted_layers{};
    /// By variant set: names to try, in this order, where no layer selects one.
    std::map<std::string, std::vector<std::string>> variant_fallbacks{};
    /// "/Prim{set}" or "set" -> name, on the session layer.
    std::vector<std::pair<std::string, std::string>> variant_selections{};
    std::string                                      session_text{};          ///< usda of a session layer, or empty
    std::map<std::string, std::string>               expression_variables{};  ///< stronger than those of the layers
    bool openusd_schemas_only = false;  ///< leave out Newton, PhysX, MuJoCo schemas
    /// Prims below instances that are composed alike are indexed for the first one only, unless a mask or load rules
    /// may treat the instances differently. Every answer is the same either way; without, arcs that fail below an
    /// instance are told for each.
    bool share_instances    = true;
    bool held_interpolation = false;  ///< samples hold until the next, nothing blends
    /// The stage does not depend on it.
    int    threads = 0;  ///< 0: all cores
    Limits limits{};
};

/// A composed stage. Immutable after `open`; every const method may be called from many threads.
/// What composed it stays in memory. Prims, attributes and relationships point into it.
class Stage {
  public:
    /// Opens a file or URI. Findings that do not prevent opening (missing references, unknown schemas, ...) are in
    /// `diagnostics()`.
    /// @error STAGE_OPEN_FAILED, STAGE_FORMAT_UNKNOWN, STAGE_LIMIT
    static Result<std::shared_ptr<const Stage>> open(const std::string& source, const OpenOptions& options = {});
    /// Opens usda text; relative asset paths resolve against `anchor_folder` (empty: against nothing). Where that is a
    /// file, such as one that the text was made of, they resolve against its folder, and `source()` is the file.
    /// @error as `open`
    static Result<std::shared_ptr<const Stage>> open_text(std::string_view usda, const std::string& anchor_folder = {},
                                                          const OpenOptions& options = {});
    ~Stage();

    /// The same layers composed anew with other payloads, other layers muted, or other prims; this stage stays as it
    /// is. What other options it was opened with stays in force.
    /// @error STAGE_LIMIT
    [[nodiscard]] Result<std::shared_ptr<const Stage>> with_load_rules(
        std::vector<std::pair<Path, LoadRule>> rules) const;
    [[nodiscard]] Result<std::shared_ptr<const Stage>> with_muted(std::vector<std::string> layers) const;
    [[nodiscard]] Result<std::shared_ptr<const Stage>> with_mask(std::vector<Path> mask) const;
    /// How many times a stage was made anew from the one that was opened, down to this one.
    [[nodiscard]] int generation() const;

    [[nodiscard]] const std::string&   source() const;  ///< as the caller named it
    [[nodiscard]] const StageMetadata& metadata() const;
    /// Of the session layer, else of the root layer: "upAxis". What sublayers say of themselves is not asked.
    [[nodiscard]] Value root_metadata(const Token& key) const;
    /// What composing it showed.
    [[nodiscard]] const Diagnostics&       diagnostics() const;
    [[nodiscard]] std::vector<std::string> used_layers() const;  ///< identifiers, root layer first

    /// The prim "/", above all others.
    [[nodiscard]] Prim pseudo_root() const;
    [[nodiscard]] Prim default_prim() const;  ///< invalid when there is none
    /// Invalid when there is none; of a path of a property too.
    [[nodiscard]] Prim        prim_at(const Path& path) const;
    [[nodiscard]] std::size_t prim_count() const;  ///< the pseudo-root and instance proxies included
    /// Depth-first; the pseudo-root is not visited.
    [[nodiscard]] std::vector<Prim> traverse(Traverse = {}) const;

    /// Local-to-world matrix at a time (row vectors). Non-xformable prims pass their parent's through.
    [[nodiscard]] Matrix4d world_matrix(Prim prim, TimeCode = {}) const;
    /// Local matrix; `resets` is set when the prim ignores its parents' transforms.
    [[nodiscard]] Matrix4d local_matrix(Prim prim, TimeCode = {}, bool* resets = nullptr) const;
    /// True when the prim ignores its parents' transforms.
    [[nodiscard]] bool resets_transform(Prim prim) const;
    /// True when an operation of the prim's transform has samples but no default: the default time leaves it out.
    [[nodiscard]] bool transform_only_sampled(Prim prim) const;
    /// "inherited" visibility resolved over ancestors.
    [[nodiscard]] bool visible(Prim prim, TimeCode = {}) const;
    /// Of the nearest prim above that authors one, itself first.
    [[nodiscard]] Token purpose(Prim prim) const;  ///< default, render, proxy, guide
    /// The material bound for a purpose ("physics", "full", "preview", or empty for all-purpose), all-purpose bindings
    /// as fallback.
    [[nodiscard]] Prim bound_material(Prim prim, const Token& purpose) const;
    /// Prims (and properties) of the collection `name` on `prim` (CollectionAPI:name).
    [[nodiscard]] bool              collection_contains(Prim prim, const Token& name, const Path& path) const;
    [[nodiscard]] std::vector<Path> collection_members(Prim prim, const Token& name) const;

    /// The root layer as text: its own opinions, without those of sublayers and arcs. What composition makes of them is
    /// asked prim by prim.
    [[nodiscard]] std::string root_layer_text() const;

    struct Impl;
    [[nodiscard]] const Impl& impl() const { return *impl_; }

  private:
    Stage();
    /// @error STAGE_OPEN_FAILED, and those of `open`
    [[nodiscard]] Result<std::shared_ptr<const Stage>> composed_anew(const OpenOptions& options) const;
    std::unique_ptr<Impl>                              impl_;
};

}  // namespace mechane::usd
