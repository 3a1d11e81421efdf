#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/physics/conventions.h"
#include "mechane/physics/read_log.h"
#include "mechane/physics/units.h"
#include "mechane/resolve/key.h"
#include "mechane/usd/stage.h"

namespace mechane::resolve {

/// How an authored attribute becomes a property of the model: rows of a table say which attributes answer which key, in
/// which unit; a list of tables says who goes first. Reading only: stages are never written to here.
/// A resolved value: SI and radians once it leaves here.
using Value = std::variant<bool, double, std::string, std::vector<double>>;
/// As reports print it: "true", "0.5", "uint16", "(0.02, 1)".
std::string to_text(const Value& value);

/// Whether the degree of freedom in question moves along or turns about its axis; it decides units of joint rows.
/// Rows of joints serve both kinds of axes; keys of shapes and materials ignore it.
enum class Motion : std::uint8_t { linear, angular };

/// The unit in which an attribute is authored. Names of what it measures for joints; `Motion` then says linear or
/// angular.
enum class Unit : std::uint8_t {
    si,                 ///< converted by nothing
    length,             ///< L
    mass_or_inertia,    ///< M or M L^2 (armature)
    force_or_torque,    ///< M L/s^2 or M L^2/s^2
    stiffness_deg,      ///< M/s^2 or M L^2/(s^2 deg)
    damping_deg,        ///< M/s or M L^2/(s deg)
    stiffness_rad,      ///< M/s^2 or M L^2/(s^2 rad)
    damping_rad,        ///< M/s or M L^2/(s rad)
    position_deg,       ///< L or deg, also speeds
    contact_stiffness,  ///< M/s^2
    contact_damping,    ///< M/s
    volume_stiffness,   ///< M/(L^2 s^2)
};
/// SI value = authored value * factor.
double factor(Unit unit, const physics::UnitScale& scale, Motion motion);

/// Rules of older documents, all off by default, and whose conventions hold.
struct Rules {
    physics::Conventions conventions{};  ///< answers of whose rules
    bool mjc_solref_limits = false;      ///< joint mjc:solref (t, d) gives limit stiffness 1/t^2 and damping 2 d/t
    bool physx_contact_offset_margin = false;  ///< contactOffset alone is the margin
    bool mass_pair_rule              = false;  ///< authored mass and inertia count only together
    bool hull_vertex_limit_name      = false;  ///< newton:hullVertexLimit is maxHullVertices
    bool move_scaled_tensor          = false;  ///< inertia scaled from the shapes is moved to the body's centre of mass
    bool legacy_margin_gap           = false;  ///< with margin_as_authored: mjc:margin - mjc:gap after all
};

/// What the conversion of a value needs to know besides the prim.
/// The same for all keys of a prim; `motion` is set anew for each axis of a joint.
struct Context {
    physics::UnitScale scale;
    Motion             motion = Motion::linear;
    Rules              rules;
    physics::ReadLog*  log = nullptr;  ///< receives what became of every authored attribute; may be null
};

/// What a converter gets: the authored values of the row's attributes, in the row's order.
struct Inputs {
    /// The prim that is asked, for converters that look at more than the row's attributes.
    const usd::Prim&                      prim;
    std::span<const std::optional<Value>> authored;
    const Context&                        context;
};
/// The row's value in the row's unit from what is authored, or nothing: not authored, or declined ("engine default").
using Convert = std::function<std::optional<Value>(const Inputs&)>;

/// One line of a resolver: which attributes answer a key, in which unit, and how.
/// Rows are tried in the order of the table, and the first one whose attributes give a value answers.
struct Row {
    Key                      key{};
    std::vector<std::string> attributes{};  ///< empty: `convert` is asked about every prim
    Unit                     unit = Unit::si;
    Convert                  convert{};      ///< empty: the value of the first attribute, as it is
    std::optional<Value>     fallback = {};  ///< default of the schema, in the row's unit before `transform`
    std::string replaced_by   = {};  ///< not empty: an older spelling; the value is used with RESOLVE_DEPRECATED_ATTR
    bool        nonschema     = false;  ///< outside every schema; the value is used with RESOLVE_NONSCHEMA_ATTR
    std::string fallback_note = {};     ///< why the fallback differs from the schema's
    /// The fallback passes through `convert`, as the value of the first attribute.
};

/// A table of rows for the attributes of one vendor. Users may build their own.
struct Resolver {
    std::string              name;        ///< also the namespace `name:` of its attributes
    std::vector<std::string> namespaces;  ///< further namespaces, without the colon
    std::vector<Row>         rows;

    /// Rows that answer the key, in order.
    [[nodiscard]] std::vector<const Row*> rows_of(Key key) const;
    /// True when the attribute is collected for this resolver: by namespace or because a row names it.
    [[nodiscard]] bool owns(std::string_view attribute) const;
};

/// Which layer an answer came from.
/// `authored`: on this prim. `importer`: what the importer falls back to. `schema`: what the schema's text says.
enum class Layer : std::uint8_t { authored, importer, schema, none };
std::string_view to_string(Layer layer);

/// An answer and where it comes from.
/// For `mechane explain` and the ledger, which print where a number comes from.
struct Resolved {
    std::optional<Value> value;  ///< SI and radians
    Layer                layer = Layer::none;
    std::string          resolver;   ///< empty for the importer's default
    std::string          attribute;  ///< the first authored attribute of the row
    Site                 site;       ///< of that attribute

    explicit                            operator bool() const { return value.has_value(); }
    [[nodiscard]] bool                  authored() const { return layer == Layer::authored; }
    [[nodiscard]] std::optional<double> number() const;  ///< bools count as 0 and 1
    /// A number is a flag, off at 0; a text or a list is none. `text` and `numbers` convert nothing.
    [[nodiscard]] std::optional<bool>                flag() const;
    [[nodiscard]] std::optional<std::string>         text() const;
    [[nodiscard]] std::optional<std::vector<double>> numbers() const;
    [[nodiscard]] double number_or(double otherwise) const { return number().value_or(otherwise); }
    [[nodiscard]] bool   flag_or(bool otherwise) const { return flag().value_or(otherwise); }
};

/// Attributes that one resolver owns on one prim, by name; unreadable or sampled-only values are empty.
using Collected = std::map<std::string, usd::Value>;

/// Which resolvers of a list own an attribute's name, by name; never iterated.
using Owners = std::unordered_map<usd::Token, std::vector<bool>>;

/// Resolvers in order of priority.
/// Asked by the importer for each property of each prim. Const functions are safe from many threads.
class ResolverList {
  public:
    ResolverList() = default;
    explicit ResolverList(std::vector<Resolver> resolvers) : resolvers_(std::move(resolvers)) {}

    [[nodiscard]] const std::vector<Resolver>& resolvers() const noexcept { return resolvers_; }
    [[nodiscard]] bool                         empty() const noexcept { return resolvers_.empty(); }
    [[nodiscard]] bool                         has(std::string_view name) const;

    /// The value of a key on a prim: the first authored answer in order of priority, else the importer's default, else
    /// the first schema fallback, else none. Reading is by attribute name: the schema need not be applied.
    /// @param importer_default  in SI; nothing falls through to the schema layer
    /// @param found             receives RESOLVE_DEPRECATED_ATTR and RESOLVE_NONSCHEMA_ATTR; may be null
    [[nodiscard]] Resolved get(const usd::Prim& prim, Key key, const Context& context,
                               const std::optional<Value>& importer_default = {}, Diagnostics* found = nullptr) const;
    /// Every authored answer in order of priority: the first is the winner, the others lost.
    [[nodiscard]] std::vector<Resolved> authored(const usd::Prim& prim, Key key, const Context& context) const;

    /// Writes into the context's log that the key's authored attributes on the prim had no say: overridden by `winner`,
    /// the full name of what is used instead. `was_noted`: lookups of this very key have noted them as used before.
    void note_lost(const usd::Prim& prim, Key key, const Context& context, const std::string& winner,
                   bool was_noted = false) const;

    /// Authored attributes of the prim that each resolver owns, one map for each resolver, in order.
    /// @param known  remembers who owns a name from prim to prim; for callers that collect from many
    [[nodiscard]] std::vector<Collected> collect(const usd::Prim& prim, Owners* known = nullptr) const;

    /// Lets rows rest whose attributes are not among these names: what no prim of a stage authors need not be looked
    /// for. The list then serves this stage only.
    void rest_unauthored(const std::unordered_set<usd::Token>& authored);

  private:
    [[nodiscard]] bool rests(std::size_t resolver, std::size_t row) const
    { return !resting_.empty() && resting_[resolver][row]; }
    void note_answers(const usd::Prim& prim, Key key, const Context& context, const Row* winner,
                      const Resolved& answer) const;

    std::vector<Resolver>          resolvers_;
    std::vector<std::vector<bool>> resting_;  ///< by resolver and row; empty: all are awake
};

}  // namespace mechane::resolve
