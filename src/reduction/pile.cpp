// What of a stage can be taken away, one piece at a time.
// A Pile is the stage to reduce: its layers, of which the first is the root. A unit is one removal: a layer, a prim, a
// property, a field, an applied schema, a target, a sample, or a change that makes a mesh a box or a text a hash.
// The functions list the units of a pile by kind; the reducer decides which sets of them can go while the fault still
// shows.
// Invariant: each unit may be applied to a copy of its layer in any set with others of its list. Removing what an
// earlier unit removed already fails without harm, so no unit depends on another one.
// Called by Reducer.

#include "reduction/pile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "mechane/core/hash.h"
#include "mechane/usd/file_names.h"
#include "mechane/usd/flatten.h"
#include "mechane/usd/make_value.h"

namespace mechane::reduction {
namespace {

namespace fs = std::filesystem;
using usd::Path;
using usd::SpecKind;
using usd::Token;

/// Fields that make a spec what it is; they go with it.
/// Without them a spec would be another thing or none: they are taken by the units of prims and properties.
constexpr std::array<std::string_view, 14> kStructure{
    "specifier",          "typeName",        "primChildren", "properties",     "propertyChildren",
    "variantSetChildren", "variantChildren", "custom",       "variability",    "default",
    "timeSamples",        "spline",          "targetPaths",  "connectionPaths"};

bool is_prim(SpecKind kind) { return kind == SpecKind::prim || kind == SpecKind::variant; }
bool is_property(SpecKind kind) { return kind == SpecKind::attribute || kind == SpecKind::relationship; }

/// A variant counts as a level, since its spec holds prims of its own.
int depth_of(const Path& path)
{
    const std::string text = path.text();
    return static_cast<int>(std::count(text.begin(), text.end(), '/') + std::count(text.begin(), text.end(), '{'));
}

template <class Visit>
void each_spec(const Pile& pile, Visit&& visit)
{
    for (std::size_t l = 0; l < pile.layers.size(); ++l)
        for (const Path& path : pile.layers[l].layer.specs())
            visit(l, pile.layers[l].layer, path, pile.layers[l].layer.kind(path));
}

/// Visits the fields of all specs of a layer, but those that hold the structure together.
template <class Visit>
void each_field(const usd::Layer& layer, Visit&& visit)
{
    std::vector<Path> paths = layer.specs();
    paths.insert(paths.begin(), Path::root());
    for (const Path& path : paths)
        for (const Token& key : layer.fields(path))
            if (std::find(kStructure.begin(), kStructure.end(), key.text()) == kStructure.end()) visit(path, key);
}

/// Six hexadecimal digits of the hash: equal names stay equal, which keeps references by name, and tell nothing.
std::string hashed(const std::string& name, const char* prefix)
{ return fmt::format("{}{}", prefix, to_hex(hash_text(name)).substr(0, 6)); }

}  // namespace

Pile Pile::copy() const
{
    Pile out;
    for (const ReducedLayer& one : layers) out.layers.push_back({one.name, one.layer.copy()});
    return out;
}

/// The text is what answers of the command are remembered by, so it holds the names of layers as well.
std::string Pile::text() const
{
    std::string out;
    for (const ReducedLayer& one : layers) out += one.name + "\n" + one.layer.to_text();
    return out;
}

std::size_t Pile::specs() const
{
    std::size_t n = 0;
    for (const ReducedLayer& one : layers) n += one.layer.specs().size();
    return n;
}

std::size_t Pile::prims() const
{
    std::size_t n = 0;
    each_spec(*this, [&](std::size_t, const usd::Layer&, const Path&, SpecKind kind) { n += is_prim(kind) ? 1 : 0; });
    return n;
}

/// One layer without arcs is smaller and quicker to reduce. It loses the composition, so it serves only if the fault
/// still shows in it.
Pile flat_pile(const usd::Stage& stage, const std::string& stem)
{
    Pile out;
    out.layers.push_back({stem + ".usda", usd::flatten(stage)});
    return out;
}

Result<Pile> layered_pile(const std::string& file, const std::string& stem, const usd::OpenOptions& open)
{
    Pile                               out;
    std::map<std::string, std::string> names;  // real file -> name here
    std::vector<fs::path>              files{fs::absolute(file)};
    names[fs::absolute(file).lexically_normal().string()] = stem + ".usda";
    for (std::size_t i = 0; i < files.size() && i < 10000; ++i) {
        auto layer = usd::Layer::open(files[i].string(), open.limits);
        if (!layer) {
            if (i == 0) return layer.error();
            // A layer that cannot be read stays as an empty one, so that the arcs which name it still find something.
            layer = usd::Layer();
        }
        const fs::path folder = files[i].parent_path();
        layer->rewrite_assets([&](const std::string& authored) -> std::string {
            // Files are copied into one flat folder, where names of folders are gone. Layers get new names there, and
            // everything else (textures, meshes) is named by its absolute place.
            std::error_code       failed;
            std::vector<fs::path> tries;
            if (const std::size_t mark = authored.find("://"); mark != std::string::npos) {
                const std::string rest = authored.substr(mark + 3), package = rest.substr(0, rest.find('/'));
                if (const auto known = open.packages.find(package); known != open.packages.end())
                    tries.push_back(fs::path(known->second) / rest.substr(std::min(rest.size(), package.size() + 1)));
            } else {
                tries.push_back(folder / authored);
                for (const std::string& path : open.search_paths) tries.push_back(fs::path(path) / authored);
            }
            for (const fs::path& one : tries) {
                if (!fs::exists(one, failed)) continue;
                const std::string place = fs::absolute(one).lexically_normal().string();
                if (!usd::is_layer_name(place)) return place;
                const auto [known, fresh] = names.try_emplace(place, fmt::format("{}_{}.usda", stem, names.size()));
                if (fresh) files.emplace_back(place);
                return "./" + known->second;
            }
            return authored;
        });
        out.layers.push_back({names[files[i].lexically_normal().string()], std::move(*layer)});
    }
    return out;
}

/// The root layer is no unit: without it there is no stage.
Units layer_units(const Pile& pile)
{
    Units out;
    for (std::size_t l = 1; l < pile.layers.size(); ++l)
        out.push_back({l, pile.layers[l].name, [](usd::Layer& layer) { layer = usd::Layer(); }});
    return out;
}

int deepest(const Pile& pile)
{
    int most = 0;
    each_spec(pile, [&](std::size_t, const usd::Layer&, const Path& path, SpecKind kind) {
        if (is_prim(kind)) most = std::max(most, depth_of(path));
    });
    return most;
}

Units prim_units(const Pile& pile, int depth)
{
    Units out;
    each_spec(pile, [&](std::size_t l, const usd::Layer&, const Path& path, SpecKind kind) {
        if (is_prim(kind) && depth_of(path) == depth)
            out.push_back({l, path.text(), [path](usd::Layer& layer) { (void)layer.remove(path); }});
    });
    return out;
}

Units field_units(const Pile& pile)
{
    Units out;
    for (std::size_t l = 0; l < pile.layers.size(); ++l) {
        const usd::Layer& layer = pile.layers[l].layer;
        each_field(layer, [&](const Path& path, const Token& key) {
            out.push_back({l, path.text() + " " + key.text(), [path, key](usd::Layer& to) {
                               if (key == Token("references"))
                                   // Lists of arcs are not plain values: their own functions clear every kind of list
                                   // operation.
                                   (void)to.clear_references(path);
                               else if (key == Token("payload"))
                                   (void)to.clear_payloads(path);
                               else if (key == Token("subLayers"))
                                   (void)to.set_sublayers({});
                               else
                                   (void)to.clear_field(path, key);
                           }});
        });
        const auto sublayers = layer.sublayers();
        // The list as a whole is a field above. Its items are units of their own where there is a choice.
        if (sublayers.size() > 1)
            for (const std::string& one : sublayers)
                out.push_back({l, "/ sublayer " + one, [one](usd::Layer& to) {
                                   auto left = to.sublayers();
                                   std::erase(left, one);
                                   (void)to.set_sublayers(left);
                               }});
    }
    return out;
}

Units api_units(const Pile& pile)
{
    Units out;
    each_spec(pile, [&](std::size_t l, const usd::Layer& layer, const Path& path, SpecKind kind) {
        if (!is_prim(kind)) return;
        for (const Token& api : layer.apis(path))
            out.push_back({l, path.text() + " " + api.text(),
                           [path, api](usd::Layer& to) { (void)to.remove_api(path, api, false); }});
    });
    return out;
}

Units property_units(const Pile& pile)
{
    Units out;
    each_spec(pile, [&](std::size_t l, const usd::Layer&, const Path& path, SpecKind kind) {
        if (is_property(kind)) out.push_back({l, path.text(), [path](usd::Layer& layer) { (void)layer.remove(path); }});
    });
    return out;
}

Units target_units(const Pile& pile)
{
    Units out;
    each_spec(pile, [&](std::size_t l, const usd::Layer& layer, const Path& path, SpecKind kind) {
        if (!is_property(kind)) return;
        const auto targets = layer.targets(path);
        for (const Path& target : targets)
            out.push_back({l, path.text() + " -> " + target.text(), [path, target, kind](usd::Layer& to) {
                               auto left = to.targets(path);
                               // A list of targets keeps its order, since the order may be what the fault depends on.
                               std::erase(left, target);
                               (void)(kind == SpecKind::relationship ? to.set_targets(path, left)
                                                                     : to.set_connections(path, left));
                           }});
    });
    return out;
}

Units sample_units(const Pile& pile)
{
    Units out;
    each_spec(pile, [&](std::size_t l, const usd::Layer& layer, const Path& path, SpecKind kind) {
        if (kind != SpecKind::attribute) return;
        for (const auto& [time, value] : layer.samples(path))
            out.push_back({l, fmt::format("{} at {}", path.text(), time), [path, when = time](usd::Layer& to) {
                               const auto left = to.samples(path);
                               (void)to.clear_samples(path);
                               for (const auto& [t, v] : left)
                                   if (t != when) (void)to.set_sample(path, t, v);
                           }});
    });
    return out;
}

/// A mesh becomes the box around its points.
Units mesh_units(const Pile& pile)
{
    Units out;
    each_spec(pile, [&](std::size_t l, const usd::Layer& layer, const Path& path, SpecKind kind) {
        if (!is_prim(kind) || layer.field(path, "typeName").get<std::string>().value_or("") != "Mesh") return;
        const auto points = layer.value(path.property("points")).get<std::vector<Vec3d>>();
        if (!points || points->size() <= 8) return;
        out.push_back(
            {l, path.text(), [path, own = *points](usd::Layer& to) {
                 constexpr double kInf = std::numeric_limits<double>::infinity();
                 Vec3d            low{kInf, kInf, kInf}, high{-kInf, -kInf, -kInf};
                 for (const Vec3d& p : own)
                     if (is_finite(p)) low = min(low, p), high = max(high, p);
                 if (!(low.x <= high.x)) return;
                 std::vector<Vec3d> corners;
                 for (int i = 0; i < 8; ++i)
                     // Bit 0, 1 and 2 of the index choose x, y and z. The faces below look outwards with this order.
                     corners.push_back({i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z});
                 // Primvars, normals and creases have one value a point or face of the old mesh and would no longer
                 // fit.
                 for (const Token& name : to.properties(path))
                     if (name.text().starts_with("primvars:") || name == Token("normals") ||
                         name == Token("holeIndices") || name == Token("creaseIndices") ||
                         name == Token("creaseLengths") || name == Token("creaseSharpnesses") ||
                         name == Token("cornerIndices") || name == Token("cornerSharpnesses") ||
                         name == Token("velocities") || name == Token("accelerations"))
                         (void)to.remove(path.property(name));
                 for (const Token& child : to.children(path))
                     if (to.field(path.child(child), "typeName").get<std::string>().value_or("") == "GeomSubset")
                         (void)to.remove(path.child(child));
                 const auto set = [&](const char* name, const char* type, const auto& value) {
                     (void)to.clear_samples(path.property(name)),
                         (void)to.set(path.property(name), usd::make_value(type, value));
                 };
                 set("points", "point3f[]", corners);
                 set("faceVertexCounts", "int[]", std::vector<int>(6, 4));
                 set("faceVertexIndices", "int[]",
                     std::vector<int>{0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5});
                 if (to.kind(path.property("extent")) != SpecKind::none)
                     set("extent", "float3[]", std::vector<Vec3d>{low, high});
             }});
    });
    return out;
}

/// Texts and names of files, which may tell whose the asset is.
Units text_units(const Pile& pile)
{
    Units out;
    // Fields of words: documentation, comments, owners, and whatever a dictionary holds. Where the search for a
    // smaller stage was cut short they are still there.
    for (std::size_t l = 0; l < pile.layers.size(); ++l) {
        const usd::Layer& layer = pile.layers[l].layer;
        each_field(layer, [&](const Path& path, const Token& key) {
            const std::string type = layer.field(path, key).type_name();
            if (type == "string" || type == "string[]" || type == "dictionary")
                out.push_back({l, path.text() + " " + key.text(),
                               [path, key](usd::Layer& to) { (void)to.clear_field(path, key); }});
        });
    }
    each_spec(pile, [&](std::size_t l, const usd::Layer& layer, const Path& path, SpecKind kind) {
        if (kind != SpecKind::attribute) return;
        const usd::Value value = layer.value(path);
        if (value.type_name() == "string[]")
            if (const auto texts = value.get<std::vector<std::string>>(); texts && !texts->empty())
                out.push_back({l, path.text(), [path, texts](usd::Layer& to) {
                                   std::vector<std::string> hidden;
                                   for (const std::string& text : *texts) hidden.push_back(hashed(text, "t_"));
                                   (void)to.set(path, usd::make_value("string[]", hidden));
                               }});
        if (value.type_name() == "string")
            if (const auto text = value.get<std::string>(); text && !text->empty())
                out.push_back({l, path.text(), [path, text](usd::Layer& to) {
                                   (void)to.set(path, usd::make_value("string", hashed(*text, "t_")));
                               }});
        if (value.type_name() == "asset")
            if (const auto asset = value.get<usd::AssetPath>(); asset && !asset->authored.empty())
                out.push_back(
                    {l, path.text(), [path, asset](usd::Layer& to) {
                         (void)to.set(
                             path,
                             usd::make_value("asset", usd::AssetPath{hashed(asset->authored, "./f_") +
                                                                         fs::path(asset->authored).extension().string(),
                                                                     {},
                                                                     {}}));
                     }});
    });
    return out;
}

std::vector<std::string> names_of(const Pile& pile)
{
    std::set<std::string> out;
    each_spec(pile, [&](std::size_t, const usd::Layer& layer, const Path& path, SpecKind kind) {
        if (kind == SpecKind::prim) out.insert(path.name().text());
        if (is_property(kind) && layer.field(path, "custom").get<bool>().value_or(false))
            out.insert("." + path.name().text());
    });
    return {out.begin(), out.end()};
}

Pile with_hashed_names(const Pile& pile, const std::vector<std::string>& names)
{
    Pile                        out = pile.copy();
    const std::set<std::string> wanted(names.begin(), names.end());
    for (ReducedLayer& one : out.layers) {
        std::vector<Path> paths = one.layer.specs();
        // A path that is longer than its parent's is renamed first, so that paths still to be renamed keep their
        // parents' names.
        std::stable_sort(paths.begin(), paths.end(), [](const Path& a, const Path& b) {
            return a.text().size() > b.text().size();
        });  // the deepest first
        for (const Path& path : paths) {
            const SpecKind kind = one.layer.kind(path);
            if (kind == SpecKind::prim && wanted.contains(path.name().text()))
                (void)one.layer.rename(path, hashed(path.name().text(), "p_"));
            if (is_property(kind) && wanted.contains("." + path.name().text()))
                (void)one.layer.rename(path, hashed(path.name().text(), "a_"));
        }
        // rename() follows paths within its layer only. A reference names a prim of another layer, whose names change
        // alike because the hash of a name is the same in all layers.
        // References into other layers by path.
        for (const Path& path : one.layer.specs()) {
            if (!is_prim(one.layer.kind(path))) continue;
            for (const bool payload : {false, true}) {
                auto arcs  = payload ? one.layer.payloads(path) : one.layer.references(path);
                bool other = false;
                for (usd::Arc& arc : arcs) {
                    if (arc.prim.empty()) continue;
                    std::string text;
                    std::string rest = arc.prim.text();
                    for (std::size_t at = 1; at != std::string::npos && at <= rest.size();) {
                        const std::size_t end  = rest.find('/', at);
                        const std::string name = rest.substr(at, end == std::string::npos ? end : end - at);
                        text += "/" + (wanted.contains(name) ? hashed(name, "p_") : name);
                        at = end == std::string::npos ? end : end + 1;
                    }
                    if (const Path now(text); !now.empty() && now != arc.prim && !arc.asset.empty())
                        arc.prim = now, other = true;
                }
                if (!other) continue;
                (void)(payload ? one.layer.clear_payloads(path) : one.layer.clear_references(path));
                for (const usd::Arc& arc : arcs)
                    (void)(payload ? one.layer.add_payload(path, arc) : one.layer.add_reference(path, arc));
            }
        }
    }
    return out;
}

}  // namespace mechane::reduction
