// Rules of REP-0158 1.2.1: which layer of an asset holds what, in which encoding and under which name.
// Input: the roles of each layer (asset_layers.cpp). Outputs: findings at the first example of what is misplaced.
// Assets of one layer are judged by the last rules only: a draft need not be divided.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "conformance/asset_layers.h"
#include "conformance/asset_paths.h"
#include "conformance/family.h"
#include "conformance/layer_links.h"
#include "conformance/vendors.h"
#include "mechane/core/letters.h"

/// REP-0158 1.2.1: which layer holds what. Assets of one layer are judged by the last rules only.
namespace mechane::conformance {
namespace {

// Assets of several files: see fixture_files.
constexpr std::string_view kClean = R"(#files
=== robot.usda
<<entry references @./base.usda@>>
=== base.usda
<<base>>
)";
constexpr std::string_view kApart = R"(#files
=== robot.usda
<<entry references @./physics.usda@ @./base.usda@>>
=== base.usda
<<base>>
=== physics.usda
<<layer>>
over "robot" { over "a" (prepend apiSchemas = ["PhysicsMassAPI"]) { float physics:mass = 1 } }
)";

constexpr Rule kSeparation{
    .id      = "REP-1.2.1-a",
    .slug    = "role-separation",
    .summary = "A layer holds looks, physics or interfaces, not several of them.",
    .why     = "Whoever needs the geometry alone also loads the physics, and cannot replace one without the other.",
    .fix     = "What is out of place goes to the layer of its role; --phases P8 divides an asset of one layer.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./parts.usda@>>
=== parts.usda
<<layer>>
def Xform "robot" {
    def Xform "a" (kind = "subcomponent") { def Cube "look" { token purpose = "guide" } }
    def PhysicsScene "scene" {} }
)",
    .good    = kClean,
};
constexpr Rule kAscii{
    .id      = "REP-1.2.1-b",
    .slug    = "schema-layer-ascii",
    .summary = "Layers of physics, interfaces and structure are text.",
    .why     = "Changes of a binary layer cannot be reviewed or merged.",
    .fix     = "The layer is stored as text, under the name of one; an entry keeps its name.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./ros.usd@ @./base.usda@>>
=== base.usda
<<base>>
=== ros.usd binary
<<layer>>
over "robot" (prepend apiSchemas = ["RosContextAPI"]) { string ros:context:namespace = "robot" }
)",
    .good    = kClean,
};
constexpr Rule kCrate{
    .id      = "REP-1.2.1-c",
    .slug    = "heavy-layer-crate",
    .summary = "Large arrays are stored in binary layers.",
    .why     = "A text layer with large arrays takes seconds to open and cannot be read by people either.",
    .fix     = "The large arrays go to a binary layer that comes by payload.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<layer>>
def Xform "robot" (
    <<identity>>
) { int[] primvars:table = [<<repeat 1001 0>>] }
)",
    .good    = kClean,
};
constexpr Rule kGeometry{
    .id      = "REP-1.2.1-d",
    .slug    = "geometry-purity",
    .summary = "A layer of geometry holds no physics, interfaces or shaders.",
    .why     = "Geometry is loaded late and exchanged often; what is in it must not be needed without it.",
    .fix     = "What is out of place goes to the layer of its role.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./base.usda@>>
=== base.usda
<<layer>>
def Xform "robot" { def Xform "look" (prepend payload = @./geometries.usda@</m>) {} }
=== geometries.usda
<<layer>>
def Xform "m" {
    def Mesh "mesh" (prepend apiSchemas = ["PhysicsMassAPI"]) {
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        token purpose = "guide" } }
)",
    .good    = kClean,
};
constexpr Rule kMaterials{
    .id       = "REP-1.2.1-e",
    .slug     = "material-purity",
    .severity = Severity::warning,
    .summary  = "A layer of materials holds materials only.",
    .why      = "Exchanging the looks would exchange geometry with them.",
    .fix      = "The geometry goes to instances.usda.",
    .fixable  = true,
    .bad      = R"(#files
=== robot.usda
<<entry references @./base.usda@ @./materials.usda@>>
=== base.usda
<<base>>
=== materials.usda
<<layer>>
over "robot" {
    def Mesh "m" {
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        token purpose = "guide" } }
)",
    .good     = kClean,
};
constexpr Rule kInstances{
    .id       = "REP-1.2.1-f",
    .slug     = "instances-layer",
    .keyword  = Keyword::should,
    .severity = Severity::info,
    .summary  = "Geometry is placed by a layer of instances.",
    .why      = "The same bolt is then stored once and placed a hundred times.",
    .fix      = "None: the author must decide which pieces are alike, and define them once and reference them.",
    .bad      = R"(#files
=== robot.usda
<<entry references @./geometries.usda@>>
=== geometries.usda
<<layer>>
def Xform "robot" {
    def Cube "left" { token purpose = "guide" }
    def Cube "right" { token purpose = "guide" } }
)",
    .good     = R"(#files
=== robot.usda
<<entry references @./geometries.usda@>>
=== geometries.usda
<<layer>>
def Xform "robot" { def Cube "left" { token purpose = "guide" } }
)",
};
constexpr Rule kBase{
    .id      = "REP-1.2.1-g",
    .slug    = "base-purity",
    .summary = "The base layer holds the tree of Xforms and nothing else.",
    .why     = "The base is what all features build on; a feature in it cannot be left out.",
    .fix     = "What is out of place goes to the layer of its role.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./base.usda@>>
=== base.usda
<<layer>>
def Xform "robot" {
    def Xform "a" (
        kind = "subcomponent"
        prepend apiSchemas = ["PhysicsMassAPI"]
    ) {} }
)",
    .good    = kClean,
};
constexpr Rule kFeatures{
    .id      = "REP-1.2.1-h",
    .slug    = "feature-layers",
    .summary = "Bodies and joints stand in layers of physics, interfaces in layers of ROS.",
    .why     = "A feature can only be exchanged as a whole if it lies in one place.",
    .fix     = "What is out of place goes to the layer of its role.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./physics.usda@ @./base.usda@>>
=== base.usda
<<base>>
=== physics.usda
<<layer>>
over "robot" (prepend apiSchemas = ["RosContextAPI"]) {
    string ros:context:namespace = "robot"
    def PhysicsScene "s" {} }
)",
    .good    = kApart,
};
constexpr Rule kEntry{
    .id      = "REP-1.2.1-i",
    .slug    = "entry-light",
    .summary = "The entry layer is light: it brings in geometry by payload and features by reference.",
    .why     = "Whoever opens the asset to look at it loads everything.",
    .fix =
        "Of several layers: what is no arc goes to the layer of its role. --phases P8 divides an asset of one layer.",
    .bad  = R"(#files
=== robot.usda
<<layer>>
def Xform "robot" (
    <<identity>>
    prepend references = [@./base.usda@]
) { def Cube "c" { token purpose = "guide" } }
=== base.usda
<<base>>
)",
    .good = kClean,
};
constexpr Rule kConfined{
    .id      = "REP-1.2.1-j",
    .slug    = "proprietary-confined",
    .summary = "Words of one simulator stand in a layer of their own.",
    .why     = "Every other simulator has to read past them, and they cannot be left out.",
    .fix     = "The words go to <vendor>.usda, which a second entry composes.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./physics.usda@ @./base.usda@>>
=== base.usda
<<base>>
=== physics.usda
<<layer>>
over "robot" {
    over "a" { custom float physxRigidBody:linearDamping = 1 }
    def PhysicsScene "s" {} }
)",
    .good    = kClean,
};
constexpr Rule kNames{
    .id       = "REP-1.2.1-k",
    .slug     = "canonical-names",
    .keyword  = Keyword::should,
    .severity = Severity::warning,
    .summary  = "Layers are named by what they hold, the entry by the asset.",
    .why      = "People and tools look for physics in physics.usda, and for the robot in robot.usda.",
    .fix =
        "The layer and the arcs that name it are renamed; an entry keeps its name, which becomes that of an asset "
        "without one.",
    .fixable = true,
    .bad     = R"(#files
=== robot.usda
<<entry references @./phys.usda@ @./base.usda@>>
=== base.usda
<<base>>
=== phys.usda
<<layer>>
over "robot" { over "a" (prepend apiSchemas = ["PhysicsMassAPI"]) { float physics:mass = 1 } }
)",
    .good    = kApart,
};
constexpr Rule kMinimal{
    .id       = "REP-1.2.1-l",
    .slug     = "proprietary-minimal",
    .severity = Severity::warning,
    .summary  = "A vendor's layer says nothing that has a neutral word.",
    .why      = "What is said in neutral words works everywhere.",
    .fix      = "None: REP-1.3-t translates it once it stands in the asset's own layers.",
    .bad      = R"(#files
=== robot.usda
<<entry references @./newton.usda@ @./base.usda@>>
=== base.usda
<<base>>
=== newton.usda
<<layer>>
over "robot" { over "a" { custom rel newton:mimicJoint = </robot> } }
)",
    .good     = kClean,
};

/// Names are compared without regard to case and to "-" against "_": people write all of them.
std::string lower(std::string text)
{
    for (char& c : text) c = c == '-' ? '_' : lower_case(c);
    return text;
}

Site site_of(const AssetLayer& layer, const usd::Path& path = {})
{
    Site site{.layer = layer.layer.name, .prim = {}, .property = {}};
    if (path.empty()) return site;
    site.prim = path.is_property() ? path.parent().text() : path.text();
    if (path.is_property()) site.property = path.name().text();
    return site;
}

std::string examples(const AssetLayer& layer, std::uint32_t roles)
{
    std::string text;
    for (const auto& [role, example] : layer.first)
        if ((role & roles) != 0)
            text += fmt::format("{}{} ({} at {})", text.empty() ? "" : ", ", role_name(role), example.what,
                                example.path.text());
    return text;
}

/// What the file's name says it holds; 0 for another name.
/// A layer is named by its file or, where the role is divided into several files, by its folder (geometries/arm.usdc).
std::uint32_t named_role(const AssetLayer& layer)
{
    const std::string name   = lower(layer.stem());
    const std::string folder = lower(std::filesystem::path(layer.relative).parent_path().filename().string());
    for (const auto& [word, role] : {std::pair<std::string_view, std::uint32_t>{"geometries", kGeometryRole},
                                     {"materials", kMaterialRole},
                                     {"instances", kInstanceRole},
                                     {"base", kBaseRole},
                                     {"physics", kPhysicsRole},
                                     {"ext_physics", kExtPhysicsRole},
                                     {"ros", kRosRole},
                                     {"control", kControlRole},
                                     {"sensors", kControlRole}})
        if (name == word || folder == word) return role;
    return 0;
}

/// The first attribute of more samples than a text should hold.
usd::Path much_sampled(const usd::Layer& layer)
{
    for (const usd::Path& prim : usd::prim_specs(layer))
        for (const usd::Token& name : layer.properties(prim)) {
            const usd::Path path = prim.property(name);
            if (layer.kind(path) == usd::SpecKind::attribute && layer.samples(path).size() > kHeavyElements)
                return path;
        }
    return {};
}

/// The first binding of a material for looks.
usd::Path first_binding(const AssetLayer& layer)
{
    const auto found = layer.first.find(kInstanceRole);
    return found != layer.first.end() && found->second.path.is_property() ? found->second.path : usd::Path();
}

constexpr const char* kMove = "move them to an over in the layer of their own role";

class Judge {
  public:
    Judge(const Facts& facts, Sink& sink) : facts_(facts), sink_(sink), layers_(facts.layers()) {}

    void run()
    {
        // An asset of one layer is a draft: it is told to be divided (1.2.1-i), and not judged by rules between layers.
        distributed_ = std::count_if(layers_.begin(), layers_.end(), [](const AssetLayer& l) { return l.inside; }) > 1;
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            const AssetLayer& layer = layers_[i];
            if (!layer.inside) continue;
            encoding(layer);
            if (i == 0) entry(layer);
            if (!distributed_ && i == 0) continue;
            proprietary(layer, i == 0);
            if (i == 0) {
                mixed_entry(layer);
                entry_name(layer);
            } else {
                roles(layer);
                names(layer);
            }
        }
        instances();
    }

  private:
    const Facts&                   facts_;
    Sink&                          sink_;
    const std::vector<AssetLayer>& layers_;
    bool                           distributed_ = false;
    bool                           sampled_     = usd::has_time_samples(facts_.stage);

    void say(const Rule& rule, Site site, std::string message, std::string observed, std::string expected,
             std::string hint, std::string variant = {}, std::optional<Severity> severity = {})
    {
        sink_.report(rule, {.site     = std::move(site),
                            .message  = std::move(message),
                            .observed = std::move(observed),
                            .expected = std::move(expected),
                            .hint     = std::move(hint),
                            .variant  = std::move(variant),
                            .severity = severity});
    }

    void instances()
    {
        std::size_t       gprims = 0;
        const AssetLayer* first  = nullptr;
        bool              called = false;  // there is a layer of the name that the role has
        for (std::size_t i = 1; i < layers_.size(); ++i) {
            if (!layers_[i].inside) continue;
            if (layers_[i].has(kInstanceRole) && named_role(layers_[i]) != kBaseRole) return;
            const bool named = named_role(layers_[i]) == kInstanceRole;
            if (layers_[i].gprims > 0 && (first == nullptr || (named && !called))) first = &layers_[i];
            called = called || named;
            gprims += layers_[i].gprims;
        }
        if (gprims < 2) return;
        sink_.applies(kInstances);
        say(kInstances, site_of(*first),
            called
                ? fmt::format("{} pieces of geometry, and {} places none of them by reference", gprims, first->relative)
                : fmt::format("{} pieces of geometry and no layer places them", gprims),
            "no references to geometry", "instances.usda",
            called ? "define each piece once in geometries.usdc, and reference it from instances.usda"
                   : "reference the geometry from a layer instances.usda");
    }

    void encoding(const AssetLayer& layer)
    {
        sink_.applies(kAscii);
        sink_.applies(kCrate);
        // The entry has a root prim and perhaps its context, whatever it is stored as.
        const bool is_entry = &layer == &layers_.front();
        // The identity and the context of the default prim belong into the entry, whatever its encoding.
        const std::uint32_t text          = is_entry && layer.only_context ? std::uint32_t{kPhysicsGroup}
                                            : is_entry ? kPhysicsGroup | kInterfaceGroup
                                                       : kPhysicsGroup | kInterfaceGroup | kBaseRole;
        const bool          pure_geometry = layer.has(kGeometryRole) && !layer.has(kPhysicsGroup | kInterfaceGroup);
        if (layer.layer.binary && layer.has(text) && !pure_geometry && named_role(layer) != kGeometryRole)
            say(kAscii, site_of(layer),
                fmt::format("the binary layer {} holds {}", layer.relative, examples(layer, text)), "usdc", "usda",
                "save it as " + layer.stem() + ".usda and change the arcs that name it");
        else if (layer.layer.binary && layer.has(kGeometryRole) && !is_entry)
            if (const auto links = relationships_beyond_looks(*layer.layer.layer); !links.empty())
                say(kAscii, site_of(layer, links.front()),
                    fmt::format("the binary layer {} of geometry holds the relationship {}", layer.relative,
                                links.front().text()),
                    "usdc", "usda", "say it in a layer that is text", "relationship");
        // Samples are looked for only where the stage has any: listing the samples of all attributes is expensive.
        if (sampled_ && !layer.layer.binary && layer.heavy.empty() && !layer.layer.file.empty())
            if (const usd::Path sampled = much_sampled(*layer.layer.layer); !sampled.empty())
                say(kCrate, site_of(layer, sampled),
                    fmt::format("the text layer {} holds an attribute of more than {} samples", layer.relative,
                                kHeavyElements),
                    "usda", "usdc", "save the motion as a usdc layer of its own", "samples");
        if (!layer.layer.binary && !layer.heavy.empty() && !layer.layer.file.empty())
            say(kCrate, site_of(layer, layer.heavy.front()),
                fmt::format("the text layer {} holds {} large arrays", layer.relative, layer.heavy.size()), "usda",
                "usdc", "save the geometry as a usdc layer of its own");
    }

    void entry(const AssetLayer& layer)
    {
        sink_.applies(kEntry);
        // Of several layers, what a vendor says is REP-1.2.1-j's.
        const std::uint32_t content =
            kGeometryRole | kMaterialRole | kPhysicsGroup | (distributed_ ? 0u : std::uint32_t{kVendorRole});
        const bool own = layer.has(content);
        // Large arrays in text are REP-1.2.1-c's.
        if ((own || !layer.heavy.empty()) && (layer.heavy.empty() || layer.layer.binary) && !layer.layer.file.empty())
            say(kEntry, site_of(layer),
                fmt::format("the entry layer holds {}", own ? examples(layer, content) : "large arrays"),
                distributed_ ? "content" : "one layer", "arcs only",
                "move it to geometries.usdc, materials.usda and physics.usda; bring geometry in by payload");
    }

    /// The tree of the entry and the context of its default prim belong to it; what else it holds is of one group.
    void mixed_entry(const AssetLayer& layer)
    {
        sink_.applies(kSeparation);
        // Groups: looks, physics, interfaces. A context alone is no interface, since every entry has one.
        const bool looks = layer.has(kGeometryRole | kMaterialRole), physics = layer.has(kPhysicsGroup),
                   ros = layer.has(kControlRole | kSensorRole) || (layer.has(kRosRole) && !layer.only_context);
        if (looks + physics + ros < 2) {
            sink_.applies(kFeatures);
            // A namespace or a frame's name over what an arc brings in is the entry's to say (REP-2.1.1).
            if (layer.applies_ros)
                say(kFeatures, site_of(layer),
                    fmt::format("the entry layer holds {}", examples(layer, std::uint32_t{kRosRole})), "",
                    "interfaces and frames in ros.usda", kMove);
            return;
        }
        std::uint32_t held = kGeometryRole | kMaterialRole | kPhysicsGroup;
        if (ros) held |= kInterfaceGroup;
        say(kSeparation, site_of(layer), fmt::format("the entry layer holds {}", examples(layer, held)),
            fmt::format("{} groups", looks + physics + ros), "arcs only", kMove);
    }

    void entry_name(const AssetLayer& layer)
    {
        // A package is called as its maker likes, and its first layer after it.
        if (facts_.root < 0 || layer.layer.file.empty() || !layer.layer.packaged.package.empty()) return;
        const usd::Prim&  root  = facts_.prims[static_cast<std::size_t>(facts_.root)].prim;
        const std::string given = root.metadata("assetInfo:name").get<std::string>().value_or("");
        const std::string name = given.empty() ? root.name().text() : given, stem = lower(layer.stem());
        sink_.applies(kNames);
        const auto bare = [](std::string text) { return std::erase(text, '_'), text; };  // chess_set, ChessSet
        if (bare(stem) == bare(lower(name))) return;
        // robot_isaac.usda composes the asset with a vendor's layer.
        if (stem.starts_with(lower(name) + "_") && names_vendor(vendor_suffix(stem))) return;
        say(kNames, site_of(layer), fmt::format("the entry of {} is {}", name, layer.relative), layer.relative,
            name + ".usda", fmt::format("rename it to {}.usda, or say its name in assetInfo", name), "entry");
    }

    void proprietary(const AssetLayer& layer, bool is_entry)
    {
        // A layer named after a vendor may say the vendor's words; in the entry the vendor is the suffix of the asset's
        // name.
        const bool own = is_entry ? names_vendor(vendor_suffix(layer.stem())) : layer.is_proprietary();
        for (const auto& [space, uses] : layer.foreign)
            if (!own)
                say(kConfined, site_of(layer, uses.front().path),
                    fmt::format("{} holds {} {} of {}:, which nobody has registered", layer.relative, uses.size(),
                                uses.size() == 1 ? "word" : "words", space),
                    uses.front().what, "names of a schema, or a vendor's layer",
                    "register a schema for them, or move them to a layer of their own", "elsewhere-" + space,
                    Severity::info);
        if (layer.vendors.empty()) return;
        sink_.applies(kConfined);
        sink_.applies(kMinimal);
        // What a layer of the vendor's name says beside is REP-1.4-c's, if it changes anything.
        if (!own) {
            const std::string beside = examples(layer, ~static_cast<std::uint32_t>(kVendorRole));
            for (const auto& [vendor, uses] : layer.vendors)
                say(kConfined, site_of(layer, uses.front().path),
                    fmt::format("{} holds {} {} of {} {}", layer.relative, uses.size(),
                                uses.size() == 1 ? "word" : "words", vendor,
                                beside.empty() ? "beside those of others" : "beside " + beside),
                    uses.front().what, "a layer of the vendor's own",
                    fmt::format("move them to an over in {}.usda, composed by a second entry", vendor), vendor);
            return;
        }
        for (const auto& [vendor, uses] : layer.vendors)
            for (const RoleExample& use : uses)
                if (const std::string_view neutral = neutral_counterpart(use.what); !neutral.empty())
                    say(kMinimal, site_of(layer, use.path), use.what + " has a neutral word", use.what,
                        std::string(neutral), "say it in physics.usda as " + std::string(neutral));
    }

    /// "isaac" of "robot_isaac".
    static std::string vendor_suffix(const std::string& stem) { return stem.substr(stem.rfind('_') + 1); }

    /// The tree of Xforms: no feature, no shader and, however light, no geometry of its own.
    void base(const AssetLayer& layer)
    {
        sink_.applies(kBase);
        const std::uint32_t features = kPhysicsGroup | kInterfaceGroup;
        const auto          report   = [&](const usd::Path& at, const std::string& what) {
            say(kBase, site_of(layer, at), "the base layer holds " + what, "", "Xforms, scopes and arcs", kMove);
        };
        if (layer.has(features)) {
            for (const auto& [role, example] : layer.first)
                if ((role & features) != 0) return report(example.path, examples(layer, features));
        } else if (!layer.shaders.empty()) {
            report(layer.shaders.front(), "shaders");
        } else if (!layer.shapes.empty()) {
            const RoleExample& first = layer.shapes.front();
            report(first.path,
                   fmt::format(
                       "geometry ({} at {}{})", first.what.empty() ? "points" : first.what, first.path.text(),
                       layer.shapes.size() > 1 ? fmt::format(" and {} more", layer.shapes.size() - 1) : std::string()));
        }
    }

    void roles(const AssetLayer& layer)
    {
        const std::uint32_t named = named_role(layer);
        const bool looks = layer.has(kLookGroup), physics = layer.has(kPhysicsGroup), ros = layer.has(kInterfaceGroup);
        const auto at = [&](std::uint32_t role) {
            for (const auto& [r, example] : layer.first)
                if ((r & role) != 0) return example.path;
            return usd::Path();
        };
        sink_.applies(kSeparation);
        // Of two groups the layer's own rule says which is the stranger; three are no layer of anything.
        if (looks + physics + ros == 3) {
            say(kSeparation, site_of(layer),
                fmt::format("{} holds {}", layer.relative, examples(layer, ~static_cast<std::uint32_t>(kVendorRole))),
                "3 groups", "one group", kMove);
            // A nameless binary layer with large arrays is a layer of geometry by what it is.
        } else if (named == kGeometryRole ||
                   (named == 0 && layer.layer.binary && layer.has(kGeometryRole) && !layer.heavy.empty())) {
            sink_.applies(kGeometry);
            const std::uint32_t wrong = kPhysicsGroup | kInterfaceGroup;
            if (layer.has(wrong) || !layer.shaders.empty())
                say(kGeometry, site_of(layer, layer.has(wrong) ? at(wrong) : layer.shaders.front()),
                    fmt::format("the layer of geometry {} holds {}", layer.relative,
                                layer.has(wrong) ? examples(layer, wrong) : "shaders"),
                    "", "geometry only", kMove);
            else if (const usd::Path binding = first_binding(layer); !binding.empty())
                say(kGeometry, site_of(layer, binding),
                    fmt::format("the layer of geometry {} binds materials", layer.relative), "a binding",
                    "bindings in instances.usda", "bind them where the geometry is placed", "binding", Severity::info);
        } else if (named == kMaterialRole) {
            sink_.applies(kMaterials);
            // Materials of contacts (UsdPhysicsMaterialAPI alone) are borderline: they are physics on a material prim,
            // so they are told as info at most.
            const std::uint32_t wrong = kGeometryRole | kInterfaceGroup |
                                        (layer.holds_physics_material_only ? 0u : std::uint32_t{kPhysicsGroup});
            if (layer.has(wrong))
                say(kMaterials, site_of(layer, at(wrong)),
                    fmt::format("the layer of materials {} holds {}", layer.relative, examples(layer, wrong)), "",
                    "materials only", kMove);
            else if (layer.has(kPhysicsGroup))
                say(kMaterials, site_of(layer, at(kPhysicsGroup)),
                    fmt::format("the layer of materials {} holds materials of contacts", layer.relative),
                    examples(layer, kPhysicsGroup), "physics.usda",
                    "they may stand here; physics.usda is the usual place", "contact", Severity::info);
        } else if (named == kBaseRole) {
            base(layer);
        } else if ((named & (kPhysicsGroup | kInterfaceGroup)) != 0) {
            sink_.applies(kFeatures);
            const bool          interfaces = (named & kInterfaceGroup) != 0;
            const std::uint32_t wrong = (interfaces ? std::uint32_t{kPhysicsGroup} : std::uint32_t{kInterfaceGroup}) |
                                        kGeometryRole |
                                        (layer.holds_physics_material_only ? 0u : std::uint32_t{kMaterialRole});
            if (layer.has(wrong))
                say(kFeatures, site_of(layer, at(wrong)),
                    fmt::format("{} holds {}", layer.relative, examples(layer, wrong)), "",
                    interfaces ? "interfaces only" : "physics only", kMove);
        } else if (looks + physics + ros > 1) {
            say(kSeparation, site_of(layer),
                fmt::format("{} holds {}", layer.relative, examples(layer, ~static_cast<std::uint32_t>(kVendorRole))),
                fmt::format("{} groups", looks + physics + ros), "one group", kMove);
        }
    }

    void names(const AssetLayer& layer)
    {
        if (layer.is_asset) return;  // a part that is an asset too has its own name
        // In a folder a part is called after what it is; what makes up the whole asset is called after its role.
        if (layer.in_subfolder() && !is_of_the_whole(layer)) return;
        const std::string wanted = name_of_content(layer);
        if (wanted.empty()) return;
        sink_.applies(kNames);
        if (named_role(layer) != 0 || folder_of(layer) == std::filesystem::path(wanted).stem()) return;
        say(kNames, site_of(layer), fmt::format("{} holds {}", layer.relative, examples(layer, layer.roles)),
            layer.relative, wanted, fmt::format("rename it to {}", wanted));
    }

    /// "geometries" of "geometries/arm.usdc", in lower case.
    static std::string folder_of(const AssetLayer& layer)
    { return lower(std::filesystem::path(layer.relative).parent_path().filename().string()); }

    /// The canonical name of a layer with content of one kind; empty where the content fits several names.
    [[nodiscard]] std::string name_of_content(const AssetLayer& layer) const
    {
        const bool physics = layer.has(kPhysicsGroup), interfaces = layer.has(kInterfaceGroup);
        if (layer.is_proprietary() || layer.has(kVendorRole)) {
            const bool own = layer.vendors.size() == 1 && layer.roles == kVendorRole && is_of_the_whole(layer);
            return own && !names_vendor(layer.stem()) && !names_vendor(vendor_suffix(layer.stem()))
                       ? layer.vendors.begin()->first + ".usda"
                       : std::string();
        }
        if (physics || interfaces) {
            if ((physics && interfaces) || layer.has(kGeometryRole | kMaterialRole)) return {};
            return std::string(layer.has(kPhysicsRole)      ? "physics"
                               : layer.has(kExtPhysicsRole) ? "ext_physics"
                               : layer.has(kRosRole)        ? "ros"
                               : layer.has(kControlRole)    ? "control"
                                                            : "sensors") +
                   ".usda";
        }
        if (!layer.has(kInstanceRole) && layer.has(kMaterialRole))
            return layer.has(kGeometryRole) ? "" : "materials.usda";
        if (!layer.has(kInstanceRole) && layer.meshes > 0) return "geometries.usdc";
        // The tree and what fills it; below it a part may be called after what it is.
        if (layer.has(kGeometryRole | kMaterialRole) || !is_of_the_whole(layer)) return {};
        const bool base_is_there = std::any_of(layers_.begin(), layers_.end(), [&](const AssetLayer& other) {
            return other.inside && named_role(other) == kBaseRole;
        });
        if (layer.has(kInstanceRole)) return base_is_there ? "instances.usda" : "base.usda";
        return layer.has(kBaseRole) ? "base.usda" : "";
    }

    /// Brought in by the entry, as sublayer or on its default prim.
    [[nodiscard]] bool is_of_the_whole(const AssetLayer& layer) const
    {
        const AssetLayer& entry = layers_.front();
        const auto        names = [&](const std::string& asset) {
            const std::string file = form_of(asset).file;
            return !file.empty() && file_named(entry, file) == layer.layer.file;
        };
        const usd::Layer& text = *entry.layer.layer;
        for (const std::string& asset : text.sublayers())
            if (names(asset)) return true;
        if (facts_.root < 0) return false;
        const usd::Path root = facts_.prims[static_cast<std::size_t>(facts_.root)].prim.path();
        for (const auto& arcs : {text.references(root), text.payloads(root)})
            for (const usd::Arc& arc : arcs)
                if (names(arc.asset)) return true;
        return false;
    }
};

void check(const Facts& facts, Sink& sink) { Judge(facts, sink).run(); }

constexpr std::array<const Rule*, 12> kRules{&kSeparation, &kAscii,    &kCrate, &kGeometry, &kMaterials, &kInstances,
                                             &kBase,       &kFeatures, &kEntry, &kConfined, &kNames,     &kMinimal};

}  // namespace

constexpr Family kLayerRules{kRules, check};

}  // namespace mechane::conformance
