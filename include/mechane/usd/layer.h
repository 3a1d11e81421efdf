#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/usd/path.h"
#include "mechane/usd/stage.h"
#include "mechane/usd/value.h"

namespace mechane::usd {

/// What a layer has at a path.
enum class SpecKind : std::uint8_t { none, root, prim, variant, attribute, relationship };

/// A reference or payload, as a layer states it.
struct Arc {
    std::string asset;                  ///< empty: this layer
    Path        prim;                   ///< empty: the target's default prim
    double      offset = 0, scale = 1;  ///< number of time codes; factor of times, dimensionless
    bool        operator==(const Arc&) const = default;
};

/// How a layer becomes a file.
struct SaveOptions {
    enum class Format : std::uint8_t { by_suffix, text, binary };
    Format format = Format::by_suffix;  ///< of a .usd file, which may hold either; by_suffix writes binary there
};

/// One layer, read into memory as a copy: edits reach neither the file nor any open stage before `save`. Where a spec
/// is named, the path may lead through variants ("/robot{size=big}wheel.radius"); what an edit needs and does not find
/// is made, as `over`. Values and fields that no edit names stay as they were read, also those of unknown schemas.
///
/// Every edit either happens whole or gives STAGE_EDIT_REFUSED and changes nothing. Belongs to one thread at a time.
class Layer {
  public:
    Layer();  ///< empty
    ~Layer();
    Layer(Layer&&) noexcept;
    Layer& operator=(Layer&&) noexcept;

    /// Reads a usda, usdc, usd or usdz file, or a layer inside a package ("a.usdz[b.usda]").
    /// @error STAGE_OPEN_FAILED, STAGE_FORMAT_UNKNOWN, STAGE_LIMIT
    static Result<Layer> open(const std::string& file, const Limits& limits = {});
    /// @param name  for messages
    /// @error STAGE_OPEN_FAILED, STAGE_LIMIT
    static Result<Layer> from_text(std::string_view usda, const std::string& name = "text.usda",
                                   const Limits& limits = {});

    [[nodiscard]] const std::string& file() const;    ///< as given to `open`; empty for a layer made in memory
    [[nodiscard]] bool               edited() const;  ///< since it was read
    /// As usda, whatever format it was read from.
    [[nodiscard]] std::string to_text() const;
    /// An edited copy leaves this one as it is.
    [[nodiscard]] Layer copy() const;

    // -- what the layer says
    /// What follows is this layer's own opinion: composition, and what other layers say, are a matter of Stage.
    [[nodiscard]] SpecKind          kind(const Path& path) const;
    [[nodiscard]] std::vector<Path> specs() const;  ///< prims, variants, properties; parents first, in their order
    /// Names of the prims, and of the properties, that this layer has there, in its order.
    [[nodiscard]] std::vector<Token> children(const Path& prim) const;
    [[nodiscard]] std::vector<Token> properties(const Path& prim) const;
    [[nodiscard]] std::vector<Token> fields(const Path& path) const;  ///< sorted
    /// A field of a spec; "customData:a:b" is an entry of a dictionary, Path::root() the layer's own metadata.
    [[nodiscard]] Value field(const Path& path, const Token& key) const;
    /// The default of an attribute, and below its samples by time code, ascending.
    [[nodiscard]] Value                                 value(const Path& attribute) const;
    [[nodiscard]] std::vector<std::pair<double, Value>> samples(const Path& attribute) const;
    [[nodiscard]] std::vector<Token>                    apis(const Path& prim) const;  ///< that this layer adds
    [[nodiscard]] bool replaces_apis(const Path& prim) const;  ///< its list stands instead of those of weaker layers
    /// Targets of a relationship, or connections of an attribute, that it adds.
    [[nodiscard]] std::vector<Path> targets(const Path& property) const;
    /// Arcs that it adds, strongest first; sublayers as they are written; names of the variants of a set.
    [[nodiscard]] std::vector<Arc>         references(const Path& prim) const;
    [[nodiscard]] std::vector<Arc>         payloads(const Path& prim) const;
    [[nodiscard]] std::vector<std::string> sublayers() const;
    [[nodiscard]] std::vector<std::string> variants(const Path& prim, const std::string& set) const;

    // -- prims
    /// Makes a prim, or gives an existing one this specifier and, unless it is empty, this type.
    Result<void> define(const Path& prim, const Token& type,
                        Specifier specifier = Specifier::def);  ///< @error STAGE_EDIT_REFUSED
    /// Removes a prim, variant or property with everything below it. What points there is left alone.
    Result<void> remove(const Path& path);  ///< @error STAGE_EDIT_REFUSED
    /// Moves a prim or property, within this layer. Targets and connections in this layer that name it follow, and so
    /// does defaultPrim.
    Result<void> move(const Path& from, const Path& to);  ///< @error STAGE_EDIT_REFUSED
    /// The last element of the path; the same for all that names it. Variants keep their names.
    Result<void> rename(const Path& path, const Token& name);  ///< @error STAGE_EDIT_REFUSED
    /// Children in this order, for those that have an order of their own in another layer too (primOrder).
    Result<void> reorder_children(const Path& prim, const std::vector<Token>& order);  ///< @error STAGE_EDIT_REFUSED

    /// Adds a schema to the list of applied ones, last; takes back a deletion. `name` is "Schema" or "Schema:instance".
    Result<void> apply_api(const Path& prim, const Token& name);  ///< @error STAGE_EDIT_REFUSED
    /// Takes a schema from the list. Its properties stay.
    /// @param everywhere  also delete what weaker layers add
    Result<void> remove_api(const Path& prim, const Token& name,
                            bool everywhere = true);  ///< @error STAGE_EDIT_REFUSED

    // -- properties
    /// Makes an attribute, or changes its type; an existing value of another type is dropped.
    /// @error STAGE_EDIT_REFUSED
    Result<void> define_attribute(const Path& attribute, std::string_view type, bool uniform = false,
                                  bool custom = false);
    /// Sets the default value; makes the attribute with the value's own type if there is none.
    Result<void> set(const Path& attribute, const Value& value);  ///< @error STAGE_EDIT_REFUSED
    /// Makes the attribute with this type if there is none, and sets its default value, converted to that type.
    /// T is one of those of `Value`, but for arrays of four numbers.
    template <class T>
    Result<void> set(const Path& attribute, std::string_view type, const T& value);  ///< @error STAGE_EDIT_REFUSED
    /// One sample; the others, and the default, stay. @error STAGE_EDIT_REFUSED
    Result<void> set_sample(const Path& attribute, double time, const Value& value);
    /// No value, whatever weaker layers say; samples go. The attribute has to be in this layer: nothing is made.
    /// @error STAGE_EDIT_REFUSED
    Result<void> block(const Path& attribute);
    /// Takes away default value, samples and spline, so that weaker layers have their say. @error STAGE_EDIT_REFUSED
    Result<void> clear_value(const Path& attribute);
    /// Takes away the samples alone. @error STAGE_EDIT_REFUSED
    Result<void> clear_samples(const Path& attribute);
    /// All targets, in place of those of this and of weaker layers: absolute paths of the composed stage.
    Result<void> set_targets(const Path&              relationship,
                             const std::vector<Path>& targets);  ///< @error STAGE_EDIT_REFUSED
    /// The same for the connections of an attribute, which has to be in this layer: nothing is made.
    Result<void> set_connections(const Path&              attribute,
                                 const std::vector<Path>& sources);  ///< @error STAGE_EDIT_REFUSED

    // -- arcs and variants
    /// Arcs are added weaker than those of their kind that this layer adds in front; an equal one is not added twice.
    Result<void> add_reference(const Path& prim,
                               const Arc&  arc);  ///< after those that are there @error STAGE_EDIT_REFUSED
    Result<void> add_payload(const Path& prim, const Arc& arc);  ///< @error STAGE_EDIT_REFUSED
    /// From a prim of this stage, mostly a class. @error STAGE_EDIT_REFUSED
    Result<void> add_inherit(const Path& prim, const Path& class_prim);
    /// What this layer says of them; those of weaker layers come back. @error STAGE_EDIT_REFUSED
    Result<void> clear_references(const Path& prim);
    Result<void> clear_payloads(const Path& prim);  ///< @error STAGE_EDIT_REFUSED
    /// Makes a variant (and its set); edit it under "/prim{set=name}".
    Result<void> add_variant(const Path& prim, const std::string& set,
                             const std::string& name);  ///< @error STAGE_EDIT_REFUSED
    /// Whether there is such a variant, a layer cannot know: the stage says.
    Result<void> select_variant(const Path& prim, const std::string& set,
                                const std::string& name);  ///< @error STAGE_EDIT_REFUSED
    /// Strongest first, relative to this file; in place of those that there are. @error STAGE_EDIT_REFUSED
    Result<void> set_sublayers(const std::vector<std::string>& files);

    // -- metadata
    /// Sets a field of a prim, property or (Path::root()) the layer: "kind", "doc" fields, "customData:a:b".
    Result<void> set_field(const Path& path, const Token& key, const Value& value);  ///< @error STAGE_EDIT_REFUSED
    /// No error where there is no such field. @error STAGE_EDIT_REFUSED
    Result<void> clear_field(const Path& path, const Token& key);

    /// Replaces every asset path: sublayers, references, payloads, values, metadata. `replace` gets the authored path
    /// and returns the new one; variable expressions are not offered.
    void rewrite_assets(const std::function<std::string(const std::string&)>& replace);
    /// Relative asset paths become absolute ones, anchored where this layer was read from.
    /// For a layer that is to be saved elsewhere.
    void make_assets_absolute();

    /// Copies a prim or property with everything below it from another layer, over what is at `to`.
    Result<void> copy_spec(const Layer& from_layer, const Path& from, const Path& to);  ///< @error STAGE_EDIT_REFUSED

    /// Writes the layer. The format follows the suffix: usda, usdc, usd; usdz makes a package (see write_package), and
    /// assets that it does not find are told by that function alone. The file is replaced at once or not at all. An
    /// unedited layer that is saved in its own format is copied byte by byte.
    /// @error STAGE_WRITE_FAILED; FILES_INPUT  the run reads the file
    Result<void> save(const std::string& file, const SaveOptions& options = {}) const;

    struct Impl;  ///< src/usd only
    [[nodiscard]] Impl&       impl() { return *impl_; }
    [[nodiscard]] const Impl& impl() const { return *impl_; }

  private:
    std::unique_ptr<Impl> impl_;
};

/// How a package is put together. Search paths and packages are where assets are looked for, as `OpenOptions` has them.
struct PackageOptions {
    std::vector<std::string>           search_paths{};
    std::map<std::string, std::string> packages{};  ///< package://NAME/... -> folder
    Limits                             limits{};
};

/// Writes a usdz package: the layer first, then every layer and file that it needs, uncompressed and aligned, with the
/// paths between them rewritten. Names that meet get a number. What cannot be found keeps its path and is reported.
///
/// @param found  gets COMP_ASSET_MISSING for each file that was not found
/// @error STAGE_WRITE_FAILED
Result<void> write_package(const Layer& layer, const std::string& file, const PackageOptions& options,
                           Diagnostics& found);

/// A place that has an opinion: open `layer` and edit `path` there. `path` leads through variants where it does.
struct SpecPlace {
    /// Identifier, as `Layer::open` takes it.
    std::string layer;
    Path        path;
};
/// Every place with an opinion about a prim, or about one of its properties, strongest first.
std::vector<SpecPlace> spec_places(const Prim& prim, const Token& property = {});

}  // namespace mechane::usd
