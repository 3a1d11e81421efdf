// light        a UsdLux light as KHR_lights_punctual: lux for distant ones, candela for others
// instancer    a PointInstancer as EXT_mesh_gpu_instancing, or as nodes where its prototype is more than meshes
// variants     states that change looks alone as KHR_materials_variants
// unread       what no writer asked for, one loss for each class of property
// Lights, cameras, point instancers, variants of looks, and what has no place in glTF.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <utility>

#include "exporter/gltf/writer.h"
#include "mechane/usd/stage_layers.h"
#include "mechane/usd/start_value.h"

namespace mechane::exporter::gltf {
namespace {

constexpr double kRadians = std::numbers::pi / 180;

/// Colour of a black body (T. Helland's fit of M. Charity's table, 1000 K to 40000 K), linear, brightest component 1.
Vec3d black_body(double kelvin)
{
    // The fit is given for hundreds of kelvin and 8-bit sRGB.
    const double t     = std::clamp(kelvin, 1000.0, 40000.0) / 100;
    const auto   in    = [](double v) { return to_linear(std::clamp(v, 0.0, 255.0) / 255); };
    const double red   = t <= 66 ? 255 : 329.698727446 * std::pow(t - 60, -0.1332047592),
                 green = t <= 66 ? 99.4708025861 * std::log(t) - 161.1195681661
                                 : 288.1221695283 * std::pow(t - 60, -0.0755148492),
                 blue  = t >= 66   ? 255
                         : t <= 19 ? 0
                                   : 138.5177312231 * std::log(t - 10) - 305.0447927307;
    return {in(red), in(green), in(blue)};
}

/// Numbers of a list that edits others, as text: "SdfListOp(Explicit Items: [1, 2])". What it takes away is no item of
/// it.
std::vector<double> listed_ids(const std::string& text)
{
    std::vector<double> out;
    for (std::size_t open = text.find('['); open != std::string::npos; open = text.find('[', open + 1)) {
        const std::size_t end = text.find(']', open), before = text.rfind("Deleted", open),
                          colon = text.rfind(',', open);
        if (end == std::string::npos) break;
        // A list of removed ids makes items visible again.
        if (before != std::string::npos && (colon == std::string::npos || before > colon)) continue;
        for (std::size_t at = open + 1; at < end;) {
            char*        stop = nullptr;
            const double v    = std::strtod(text.c_str() + at, &stop);
            const auto   next = static_cast<std::size_t>(stop - text.c_str());
            if (next <= at) {
                ++at;
                continue;
            }
            out.push_back(v);
            at = next;
        }
    }
    return out;
}

/// Scale, then rotation, then translation of row vectors: the rows of the rotation are scaled.
usd::Matrix4d item_matrix(const Vec3d& t, const Quatd& q, const Vec3d& s)
{
    usd::Matrix4d out = usd::from_pose({t, normalized(q)});
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) out(r, c) *= s[gltf::at(r)];
    return out;
}

}  // namespace

bool Writer::camera(const usd::Prim& prim, Json& node)
{
    const auto number = [&](const char* name, double otherwise) {
        return usd::start_or<double>(prim.attribute(name), otherwise);
    };
    const double vertical = number("verticalAperture", 15.2908), horizontal = number("horizontalAperture", 20.955),
                 focal = number("focalLength", 50);
    const Vec2d  range = usd::start_or(prim.attribute("clippingRange"), Vec2d{1, 1000000});
    // glTF wants 0 < znear < zfar.
    // A far plane behind the near one is required; a millionth is enough.
    const double near = std::max(range.x * unit, 1e-6), far = std::max(range.y * unit, near * (1 + 1e-6));
    Json         made{{"name", prim.name().text()}};
    if (usd::start_or<std::string>(prim.attribute("projection"), "perspective") == "orthographic") {
        // Apertures are tenths of a unit; glTF's magnifications are half of the picture.
        made["type"]         = "orthographic";
        made["orthographic"] = {{"xmag", std::max(horizontal / 20 * unit, 1e-9)},
                                {"ymag", std::max(vertical / 20 * unit, 1e-9)},
                                {"zfar", far},
                                {"znear", near}};
    } else {
        if (!(focal > 0) || !(vertical > 0)) {
            lose("camera", Severity::warning, sf::LossAction::dropped, "visual", prim,
                 fmt::format("focal length {}, aperture {}", focal, vertical), {}, "they give no angle of view");
            return false;
        }
        Json p;
        if (horizontal > 0) p["aspectRatio"] = horizontal / vertical;
        // The angle of view from film height and focal length, which share a unit.
        p["yfov"]           = 2 * std::atan(vertical / (2 * focal));
        p["zfar"]           = far;
        p["znear"]          = near;
        made["type"]        = "perspective";
        made["perspective"] = std::move(p);
    }
    for (const char* shift : {"horizontalApertureOffset", "verticalApertureOffset"})
        if (number(shift, 0) != 0)
            lose("lens-shift", Severity::warning, sf::LossAction::dropped, "visual", prim,
                 fmt::format("{} {}", shift, number(shift, 0)), "0", "cameras of glTF look along their middle");
    for (const char* moved : {"focalLength", "verticalAperture", "horizontalAperture", "clippingRange"})
        if (prim.attribute(moved).varying())
            lose("camera-animation", Severity::warning, sf::LossAction::dropped, "visual", prim, moved, {},
                 "glTF animates nodes and not lenses");
    node["camera"] = out.add("cameras", std::move(made));
    return true;
}

bool Writer::light(const usd::Prim& prim, Json& node)
{
    const std::string type   = prim.type_name().text();
    const auto        number = [&](const char* name, double otherwise) {
        return usd::start_or<double>(prim.attribute(name), otherwise);
    };
    // 50000 is the schema's fallback of distant lights; exposure doubles with each step.
    const double L =
        number("inputs:intensity", type == "DistantLight" ? 50000 : 1) * std::exp2(number("inputs:exposure", 0));
    Vec3d color = usd::start_or(prim.attribute("inputs:color"), Vec3d{1, 1, 1});
    if (usd::start_or<bool>(prim.attribute("inputs:enableColorTemperature"), false))
        color = scale(color, black_body(number("inputs:colorTemperature", 6500)));
    const double brightest = std::max({color.x, color.y, color.z, 0.0});
    double       extra     = 1;
    if (brightest > 1) extra = brightest, color = color / brightest;  // glTF's colours end at 1
    for (std::size_t c = 0; c < 3; ++c) color[c] = std::isfinite(color[c]) ? std::clamp(color[c], 0.0, 1.0) : 1;
    // `normalize` divides by the surface, so that power does not change with size.
    const bool normalize = usd::start_or<bool>(prim.attribute("inputs:normalize"), false);
    Json       made{{"name", prim.name().text()}, {"color", json(color)}};
    double     brightness = 0;
    const auto drop       = [&](const char* reason) {
        lose("light", Severity::warning, sf::LossAction::dropped, "light", prim, fmt::format("{} {}", type, L), {},
             reason);
        return false;
    };
    if (type == "DistantLight") {
        made["type"] = "directional";
        brightness   = L;
    } else if (type == "SphereLight") {
        const double r = std::abs(number("inputs:radius", 0.5)) * unit;
        made["type"]   = "point";
        if (usd::start_or<bool>(prim.attribute("treatAsPoint"), false) || r == 0)
            brightness = L;
        else
            // A sphere of radiance L shines with pi r^2 L in every direction; normalised, its power does not depend on
            // r.
            brightness = normalize ? L / 4 : L * std::numbers::pi * r * r;
        const double cone = number("inputs:shaping:cone:angle", 90);
        if (prim.has_api("ShapingAPI") && cone < 90 && cone > 0) {
            const double outer = cone * kRadians,
                         inner = outer * (1 - std::clamp(number("inputs:shaping:cone:softness", 0), 0.0, 1.0));
            made["type"]       = "spot";
            // glTF requires the inner angle below the outer one.
            made["spot"] = {{"innerConeAngle", std::min(inner, outer * (1 - 1e-6))}, {"outerConeAngle", outer}};
        }
    } else if (type == "RectLight" || type == "DiskLight" || type == "CylinderLight") {
        if (!options.approximate_lights)
            return drop("glTF has distant lights, points and spots; --approx-lights makes points of equal power");
        // Radiance times the mean projected area over all directions, a quarter of the surface (Cauchy).
        const double w = number("inputs:width", 1) * unit, h = number("inputs:height", 1) * unit,
                     r = number("inputs:radius", 0.5) * unit, l = number("inputs:length", 1) * unit;
        // A rectangle and a disk shine on one side; a cylinder with its wall.
        const double area = type == "RectLight"   ? w * h
                            : type == "DiskLight" ? std::numbers::pi * r * r
                                                  : 2 * std::numbers::pi * r * l;
        made["type"]      = "point";
        brightness        = normalize ? L / 4 : L * area / 4;
    } else {
        return drop("glTF has distant lights, points and spots");
    }
    brightness *= extra;
    if (!(brightness >= 0) || !std::isfinite(brightness)) return drop("its brightness is no positive number");
    made["intensity"] = brightness;
    lose("light-power", Severity::info,
         type == "SphereLight" || type == "DistantLight" ? sf::LossAction::converted : sf::LossAction::approximated,
         "light", prim, fmt::format("{} {}", type, L),
         fmt::format("{} {}", brightness, type == "DistantLight" ? "lux" : "candela"),
         "the units of its brightness differ");
    Json& lights = out.extension("KHR_lights_punctual")["lights"];
    lights.push_back(std::move(made));
    out.use("KHR_lights_punctual");
    node["extensions"]["KHR_lights_punctual"] = {{"light", lights.size() - 1}};
    return true;
}

// -- point instancers

void Writer::instancer(const usd::Prim& prim, Json& children)
{
    const auto positions =
        usd::start_as<std::vector<Vec3d>>(prim.attribute("positions")).value_or(std::vector<Vec3d>());
    const auto which = usd::start_as<std::vector<int>>(prim.attribute("protoIndices")).value_or(std::vector<int>());
    // Single precision where the stage has it, else halves.
    auto turns = usd::start_as<std::vector<Quatd>>(prim.attribute("orientationsf"));
    if (!turns || turns->empty()) turns = usd::start_as<std::vector<Quatd>>(prim.attribute("orientations"));
    const auto       scales = usd::start_as<std::vector<Vec3d>>(prim.attribute("scales"));
    const auto       ids    = usd::start_as<std::vector<double>>(prim.attribute("ids"));
    std::set<double> hidden;
    // Ids name items; without a list an item's id is its number.
    for (const double id :
         usd::start_as<std::vector<double>>(prim.attribute("invisibleIds")).value_or(std::vector<double>()))
        hidden.insert(id);
    for (const double id : listed_ids(prim.metadata("inactiveIds").to_text())) hidden.insert(id);
    std::vector<usd::Prim> prototypes;
    instancers_.push_back(prim.path());
    for (const usd::Path& path : prim.relationship("prototypes").forwarded()) {
        // A prototype that holds the instancer would write itself without end.
        const bool endless =
            std::ranges::any_of(instancers_, [&](const usd::Path& instancer) { return instancer.has_prefix(path); });
        if (endless)
            lose("instancer", Severity::warning, sf::LossAction::dropped, "visual", prim, path.text(), {},
                 "this prototype holds the instancer itself");
        prototypes.push_back(endless ? usd::Prim() : stage.prim_at(path));
    }
    // The shorter array counts, as in OpenUSD.
    const std::size_t count = std::min(positions.size(), which.size());
    if (positions.size() != which.size() || (turns && !turns->empty() && turns->size() < count) ||
        (scales && !scales->empty() && scales->size() < count))
        lose("instancer", Severity::warning, sf::LossAction::dropped, "visual", prim,
             fmt::format("{} positions, {} prototypes", positions.size(), which.size()), {},
             "its arrays have different lengths; the shortest counts");
    for (const char* moved : {"positions", "orientations", "orientationsf", "scales", "protoIndices", "invisibleIds"})
        if (prim.attribute(moved).varying())
            lose("instancer-animation", Severity::warning, sf::LossAction::dropped, "visual", prim, moved,
                 "the default time", "glTF animates nodes and not their items");
    std::vector<std::vector<usd::Matrix4d>> items(prototypes.size());
    for (std::size_t i = 0; i < count; ++i) {
        if (which[i] < 0 || gltf::at(which[i]) >= prototypes.size() || !prototypes[gltf::at(which[i])]) continue;
        // Hidden items are left out; glTF has no invisible nodes.
        if (hidden.contains(ids && i < ids->size() ? (*ids)[i] : static_cast<double>(i))) continue;
        const Quatd q = turns && i < turns->size() ? (*turns)[i] : Quatd{};
        const Vec3d s = scales && i < scales->size() ? (*scales)[i] : Vec3d{1, 1, 1};
        if (!is_finite(positions[i]) || !is_finite(s) || !is_finite(q)) continue;
        items[gltf::at(which[i])].push_back(item_matrix(positions[i], q, s));
    }
    for (std::size_t p = 0; p < prototypes.size(); ++p) {
        if (items[p].empty()) continue;
        // Meshes of the prototype, each with its transform in it.
        struct One {
            usd::Prim     prim;
            usd::Matrix4d local;
        };
        std::vector<One> meshes;
        bool             simple = true;
        const auto       visit  = [&](const auto& self, const usd::Prim& at, const usd::Matrix4d& above) -> void {
            if (usd::start_or<std::string>(at.attribute("visibility"), "inherited") == "invisible") return;
            const usd::Matrix4d local = stage.local_matrix(at) * above;
            const std::string   type  = at.type_name().text();
            // What is not shown (guides, proxies) is not copied either.
            if (at.is_a("Gprim") && shows(at)) meshes.push_back({at, local});
            simple =
                simple && type != "PointInstancer" && !is_skinned(at) && !type.ends_with("Light") && type != "Camera";
            if (trs_of(local).sheared) simple = false;
            if (type == "PointInstancer") return;
            for (const usd::Prim& child : at.children()) self(self, child, local);
        };
        visit(visit, prototypes[p], usd::Matrix4d());
        for (const One& one : meshes)  // an item's unequal scale shears what is turned in it
            for (const usd::Matrix4d& item : items[p]) simple = simple && !trs_of(one.local * item).sheared;
        if (!options.expand_instances && simple) {
            for (const One& one : meshes) instanced(one.prim, items[p], one.local, children);
            continue;
        }
        if (!options.expand_instances)
            lose("instancer", Severity::info, sf::LossAction::converted, "visual", prim,
                 fmt::format("{} items of {}", items[p].size(), prototypes[p].path().text()), "nodes",
                 "the prototype is more than meshes with a position, a rotation and a scale");
        // Copies of one prototype get nodes of their own; `copies_` keeps them out of the table of paths.
        const bool outer = std::exchange(copies_, true);
        for (std::size_t i = 0; i < items[p].size(); ++i) {
            Json holder{{"name", fmt::format("{}_{}", prototypes[p].name().text(), i)}};
            transform(holder, in_metres(items[p][i]), prim);
            const int index = out.add("nodes", Json::object());
            if (prototypes[p].is_a("Xformable") && keep(prototypes[p]))
                holder["children"] = Json::array({node(prototypes[p])});
            out.at("nodes", index) = std::move(holder);
            children.push_back(index);
        }
        copies_ = outer;
    }
    instancers_.pop_back();
}

int Writer::instanced(const usd::Prim& prim, const std::vector<usd::Matrix4d>& items, const usd::Matrix4d& below,
                      Json& children)
{
    const int m = mesh(prim, false);
    if (m < 0) return -1;
    // Each item's transform with the mesh's own below it: T R S, three accessors.
    std::vector<float> t, q, s;
    for (const usd::Matrix4d& item : items) {
        const Trs trs = trs_of(in_metres(below * item));
        for (std::size_t c = 0; c < 3; ++c)
            t.push_back(static_cast<float>(trs.t[c])), s.push_back(static_cast<float>(trs.s[c]));
        for (const double v : {trs.q.x, trs.q.y, trs.q.z, trs.q.w}) q.push_back(static_cast<float>(v));
    }
    Json attributes;
    attributes["TRANSLATION"] = out.numbers(t, "VEC3", Target::none, false);
    attributes["ROTATION"]    = out.numbers(q, "VEC4", Target::none, false);
    attributes["SCALE"]       = out.numbers(s, "VEC3", Target::none, false);
    out.use("EXT_mesh_gpu_instancing", true);
    children.push_back(
        out.add("nodes", {{"name", prim.name().text()},
                          {"mesh", m},
                          {"extensions", {{"EXT_mesh_gpu_instancing", {{"attributes", std::move(attributes)}}}}}}));
    return m;
}

// -- variants that change looks alone

void Writer::variants()
{
    if (options.source.empty()) return;
    // Variant states are opened anew from the source, so that composition decides what differs.
    struct Set {
        usd::Path                path;
        std::string              name, current;
        std::vector<std::string> names;
    };
    std::vector<Set> sets;
    for (const usd::Prim& prim : stage.traverse({.instance_proxies = false}))
        for (const auto& use : usd::variant_sets(prim))
            if (use.variants.size() > 1) sets.push_back({prim.path(), use.name, use.selection, use.variants});
    // What a state has beside looks: prims, their schemas, transforms, shapes.
    // Two states of a variant set are equal in structure if this text is: then only looks differ, which glTF can hold
    // side by side.
    const auto structure = [&](const usd::Stage& of) {
        std::string text;
        for (const usd::Prim& prim : of.traverse()) {
            const std::string type = prim.type_name().text();
            // Materials are left out of the comparison: they may differ.
            if (type == "Material" || type == "Shader" || type == "NodeGraph") continue;
            text += prim.path().text() + " " + type;
            for (const usd::Token& api : prim.authored_apis())
                if (api.text() != "MaterialBindingAPI") text += " " + api.text();
            if (prim.is_a("Xformable"))
                for (const double v : of.local_matrix(prim).m) text += fmt::format(" {}", v);
            for (const char* name :
                 {"points", "faceVertexIndices", "size", "radius", "height", "visibility", "indices"})
                if (const usd::Attribute a = prim.attribute(name); a.authored()) text += a.value().to_json(64);
            text += "\n";
        }
        return text;
    };
    const std::string                                               own    = structure(stage);
    std::size_t                                                     states = 0;
    std::vector<std::string>                                        names;
    std::map<std::pair<int, int>, std::vector<std::pair<int, int>>> mappings;  ///< primitive -> variant, material
    std::vector<std::shared_ptr<const usd::Stage>>                  opened;
    for (const Set& set : sets) {
        std::vector<std::shared_ptr<const usd::Stage>> of_set;
        bool                                           looks = true;
        for (const std::string& name : set.names) {
            usd::OpenOptions open = options.open;
            open.variant_selections.emplace_back(set.path.text() + "{" + set.name + "}", name);
            auto other = usd::Stage::open(options.source, open);
            looks      = other && structure(**other) == own;
            if (!looks) break;
            of_set.push_back(*other);
        }
        if (!looks) {
            lose("variant-structural", Severity::warning, sf::LossAction::dropped, "material", stage.prim_at(set.path),
                 fmt::format("variants '{}'", set.name), fmt::format("'{}'", set.current),
                 "they change more than looks; the selected one is written");
            continue;
        }
        for (std::size_t v = 0; v < of_set.size(); ++v) {
            // Each state opens the stage again; 64 is a bound for time, not for glTF.
            if (++states > 64) {
                lose("variant-structural", Severity::warning, sf::LossAction::dropped, "material",
                     stage.prim_at(set.path), fmt::format("variants '{}'", set.name), {},
                     "more than 64 states are not written");
                break;
            }
            const int variant = static_cast<int>(names.size());
            // One set gives its own words, several need the set's name to be told apart.
            names.push_back(sets.size() == 1 ? set.names[v] : set.name + "=" + set.names[v]);
            for (const WrittenPart& part : parts) {
                const usd::Prim there = of_set[v]->prim_at(part.prim);
                if (!there) continue;
                usd::Prim look = bound_look(*of_set[v], there);
                // A subset without a binding has that of its mesh.
                if (!look && there.type_name().text() == "GeomSubset") look = bound_look(*of_set[v], there.parent());
                if (!look) continue;
                const int m  = materials.write(look, part.double_sided, part.uv_sets);
                auto&     to = mappings[{part.mesh, part.primitive}];
                if (std::none_of(to.begin(), to.end(), [&](const auto& x) { return x.first == variant; }))
                    to.emplace_back(variant, m);
            }
        }
        opened.insert(opened.end(), of_set.begin(), of_set.end());
    }
    if (names.empty()) return;
    Json list = Json::array();
    for (const std::string& name : names) list.push_back({{"name", name}});
    out.extension("KHR_materials_variants")["variants"] = std::move(list);
    out.use("KHR_materials_variants");
    // Variants with the same material share one mapping.
    for (const auto& [primitive, rows] : mappings) {
        std::map<int, std::vector<int>> by_material;
        for (const auto& [variant, material] : rows) by_material[material].push_back(variant);
        Json said = Json::array();
        for (const auto& [material, which] : by_material) said.push_back({{"material", material}, {"variants", which}});
        out.at("meshes", primitive.first)["primitives"][gltf::at(primitive.second)]["extensions"]
                                         ["KHR_materials_variants"]["mappings"] = std::move(said);
    }
}

// -- what glTF has no word for, a class an entry

void Writer::unread()
{
    // Prefixes of properties that some writer reads.
    static const char* const kRead[] = {"xformOp",
                                        "visibility",
                                        "purpose",
                                        "points",
                                        "faceVertex",
                                        "normals",
                                        "holeIndices",
                                        "orientation",
                                        "doubleSided",
                                        "extent",
                                        "subdivisionScheme",
                                        "primvars:",
                                        "indices",
                                        "elementType",
                                        "familyName",
                                        "size",
                                        "radius",
                                        "height",
                                        "axis",
                                        "width",
                                        "length",
                                        "inputs:",
                                        "outputs:",
                                        "info:",
                                        "skel:",
                                        "joints",
                                        "bindTransforms",
                                        "restTransforms",
                                        "translations",
                                        "rotations",
                                        "scales",
                                        "blendShape",
                                        "offsets",
                                        "normalOffsets",
                                        "pointIndices",
                                        "positions",
                                        "orientations",
                                        "protoIndices",
                                        "invisibleIds",
                                        "ids",
                                        "prototypes",
                                        "projection",
                                        "verticalAperture",
                                        "horizontalAperture",
                                        "focalLength",
                                        "clippingRange",
                                        "treatAsPoint",
                                        "curveVertexCounts",
                                        "type",
                                        "wrap",
                                        "widths",
                                        "material:",
                                        "collection:",
                                        "subsetFamily:",
                                        "colorSpace",
                                        "basis"};
    std::size_t              bodies  = 0;
    usd::Prim                first;
    const auto               count = [&](const usd::Prim& prim) {
        if (bodies++ == 0) first = prim;
    };
    for (const usd::Prim& prim : stage.traverse({.instance_proxies = false})) {
        const std::string type = prim.type_name().text();
        bool physics           = type.starts_with("Physics") || type.starts_with("Mjc") || type.starts_with("Newton");
        for (const usd::Token& api : prim.authored_apis()) {
            const std::string& name = api.text();
            physics = physics || name.starts_with("Physics") || name.starts_with("Newton") || name.starts_with("Mjc") ||
                      name.starts_with("Physx") || name.starts_with("ExtendedPhysics");
            if (name.starts_with("Ros"))
                lose_class("ros-interfaces", Severity::info, sf::LossAction::dropped, "ros", prim,
                           "interfaces and frames of ROS", "glTF cannot express them");
        }
        if (physics) count(prim);
        if (prim.attribute("visibility").varying())
            lose("visibility-animation", Severity::warning, sf::LossAction::dropped, "visual", prim,
                 "samples of visibility", "the default time", "nodes of glTF are always seen");
        for (const usd::Token& token : prim.authored_property_names()) {
            const std::string& name = token.text();
            const auto         has  = [&](std::string_view prefix) { return name.starts_with(prefix); };
            if (has("physics:") || has("physx") || has("newton:") || has("mjc:") || has("ros:") ||
                has("ext_physics:") || has("limit:") || has("drive:") || has("state:") || has("mechane:"))
                continue;
            if (std::any_of(std::begin(kRead), std::end(kRead), [&](const char* read) { return has(read); })) continue;
            lose_class("property", Severity::info, sf::LossAction::dropped, "metadata", prim,
                       (type.empty() ? std::string("prim") : type) + "." + name, "glTF cannot express it");
        }
    }
    if (bodies > 0)
        losses.add({"physics",
                    Severity::info,
                    sf::LossAction::dropped,
                    "kinematics",
                    first.site(),
                    first.path().text(),
                    fmt::format("{} prims of physics", bodies),
                    {},
                    "glTF says what is seen; bodies, joints and colliders are no part of it"});
}

}  // namespace mechane::exporter::gltf
