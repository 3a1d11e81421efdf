// The layers of a robot while they are written. One call names a prim, a property and the role of the layer, so that
// writers need not know whether the result is one layer or a folder of them. The first failure is kept, and told by
// finish(): calls in between need no check each.
//
// The folder is that of REP-0158: an entry of references over base, materials, physics and ROS, payloads of geometry,
// and the vendors' layers above the entry, so that an asset without them stays free of any engine's words.
#include "sourceformats/usd_sheet.h"

#include <fmt/format.h>

#include "mechane/core/letters.h"
#include "mechane/sourceformats/codes.h"

namespace mechane::sourceformats {
namespace {

// In the order of Role. Geometry is binary, since it is numbers alone; the others are read by people.
constexpr const char* kFiles[kRoles] = {"base.usda", "geometries.usdc", "materials.usda", "physics.usda",
                                        "ros.usda",  "newton.usda",     "mujoco.usda"};

}  // namespace

Sheet::Sheet(Layout layout, std::string name) : layout_(layout), name_(std::move(name)) {}

void Sheet::check(const Result<void>& done, const std::string& path)
{
    if (!done && !failed_)
        failed_ = make_diagnostic(kWriteFailed, {.prim = path}, fmt::format("{}: {}", path, done.error().message));
}

void Sheet::metadata(usd::Layer& layer, const std::string& prim)
{
    const usd::Path root = usd::Path::root();
    // Metres, kilograms and z upwards are what the readers deliver, and what REP-0158 asks of every layer. One time
    // code a second makes times of samples seconds.
    check(layer.set_field(root, "defaultPrim", usd::make_value("token", prim)), "/");
    check(layer.set_field(root, "metersPerUnit", usd::make_value("double", 1.0)), "/");
    check(layer.set_field(root, "kilogramsPerUnit", usd::make_value("double", 1.0)), "/");
    check(layer.set_field(root, "timeCodesPerSecond", usd::make_value("double", 1.0)), "/");
    check(layer.set_field(root, "upAxis", usd::make_value("token", std::string("Z"))), "/");
}

usd::Layer& Sheet::layer(Role role)
{
    // In a single layer all roles share the first slot. Layers without content are never made.
    auto& slot = layers_[single() ? 0 : static_cast<std::size_t>(role)];
    if (!slot) {
        slot.emplace();
        metadata(*slot, !single() && role == Role::geometries ? "Geometries" : name_);
    }
    return *slot;
}

// Parents come before children: a path is mostly one name more, which is cheaper than reading the whole text.
const usd::Path& Sheet::path_of(const std::string& path)
{
    if (last_ != nullptr && path == last_->first) return last_->second;  // values of one prim come one after the other
    auto found = paths_.find(path);
    if (found == paths_.end()) {
        const std::size_t end    = path.find('{') == std::string::npos ? path.rfind('/') : 0;  // variants are no names
        const auto        parent = end == 0 || end == std::string::npos ? paths_.end() : paths_.find(path.substr(0, end));
        found = paths_.emplace(path, parent == paths_.end() ? usd::Path(path)
                                                            : parent->second.child(usd::Token(path.substr(end + 1)))).first;
    }
    last_ = &*found;
    return found->second;
}

void Sheet::define(Role role, const std::string& path, const std::string& type, const Place& place)
{
    // A prim is defined once a layer. A second call leaves its type and its place alone.
    if (!defined_.emplace(single() ? 0 : static_cast<int>(role), path).second) return;
    check(layer(role).define(path_of(path), type), path);
    if (single()) places_.try_emplace(path, place);
}

void Sheet::apply(Role role, const std::string& path, const std::string& api)
{
    if (applied_.emplace(single() ? 0 : static_cast<int>(role), path + "\n" + api).second)
        check(layer(role).apply_api(path_of(path), api), path);
}

void Sheet::attribute(Role role, const std::string& path, const std::string& name, const std::string& type, bool custom)
{ check(layer(role).define_attribute(path_of(path).property(name), type, false, custom), path); }

void Sheet::put(Role role, const std::string& path, const std::string& name, const std::string& type,
                const usd::Value& value, const Place& place, bool uniform)
{
    const usd::Path property = path_of(path).property(name);
    if (layer(role).kind(property) == usd::SpecKind::none)  // a point is no plain float3
        // Attributes of our own are custom; those of schemas are not.
        check(layer(role).define_attribute(property, type, uniform, name.starts_with("mechane:")), path);
    if (value.empty())
        check(make_diagnostic(kWriteFailed, {}, fmt::format("{} has no value of type {}", name, type)), path);
    else
        check(layer(role).set(property, value), path);
    note(path, name, place);
}

void Sheet::put_sample(Role role, const std::string& path, const std::string& name, const std::string& type,
                       double time, const usd::Value& value)
{
    const usd::Path property = path_of(path).property(name);
    if (layer(role).kind(property) == usd::SpecKind::none) check(layer(role).define_attribute(property, type), path);
    if (value.empty())
        check(make_diagnostic(kWriteFailed, {}, fmt::format("{} has no value of type {}", name, type)), path);
    else
        check(layer(role).set_sample(property, time, value), path);
}

void Sheet::variant(Role role, const std::string& path, const std::string& set, const std::string& name)
{ check(layer(role).add_variant(path_of(path), set, name), path); }

void Sheet::select_variant(Role role, const std::string& path, const std::string& set, const std::string& name)
{ check(layer(role).select_variant(path_of(path), set, name), path); }

// Where in the source a property came from: findings about the stage then name the line of the source.
void Sheet::note(const std::string& path, const std::string& property, const Place& place)
{
    if (single() && place.file) places_[path + "." + property] = place;
}

void Sheet::field(Role role, const std::string& path, const std::string& key, const std::string& type,
                  const std::string& value)
{ check(layer(role).set_field(path_of(path), key, usd::make_value(type, value)), path); }

void Sheet::custom_data(const std::string& path, const std::string& name, const usd::Value& value, Role role)
{
    usd::Layer&     into = layer(role);
    const usd::Path at   = path_of(path);
    if (into.kind(at) == usd::SpecKind::none) check(into.define(at, {}, usd::Specifier::over), path);
    // A layer that says nothing else of the prim holds an over, which adds an opinion and no prim.
    check(into.set_field(at, "customData:" + name, value), path);
}

void Sheet::property_field(Role role, const std::string& path, const std::string& property, const std::string& key,
                           const std::string& value)
{ check(layer(role).set_field(path_of(path).property(property), key, usd::make_value("token", value)), path); }

void Sheet::property_field(Role role, const std::string& path, const std::string& property, const std::string& key,
                           int value)
{ check(layer(role).set_field(path_of(path).property(property), key, usd::make_value("int", value)), path); }

void Sheet::target(Role role, const std::string& path, const std::string& name, const std::vector<std::string>& targets,
                   const Place& place)
{
    std::vector<usd::Path> paths;
    for (const std::string& t : targets) paths.push_back(path_of(t));
    check(layer(role).set_targets(path_of(path).property(name), paths), path);
    note(path, name, place);
}

void Sheet::connect(Role role, const std::string& path, const std::string& name, const std::string& type,
                    const std::string& source)
{
    const usd::Path property = path_of(path).property(name);
    check(layer(role).define_attribute(property, type), path);
    check(layer(role).set_connections(property, {usd::Path(source)}), path);
}

void Sheet::order(const std::string& path, const std::vector<std::string>& ops)
{
    const usd::Path property = path_of(path).property("xformOpOrder");
    check(layer(Role::base).define_attribute(property, "token[]", true), path);
    check(layer(Role::base).set(property, usd::make_value("token[]", ops)), path);
}

void Sheet::pose(const std::string& path, const Posed& X)
{
    // Position then orientation; a scale comes from the shape writer, which orders it last.
    set(Role::base, path, "xformOp:translate", "double3", X.p, {});
    set(Role::base, path, "xformOp:orient", "quatd", X.q, {});
    order(path, {"xformOp:translate", "xformOp:orient"});
}

void Sheet::extra(const std::string& path, const Extra& extra)
{
    const Role role = extra.layer == Extra::Layer::newton ? Role::newton : Role::mujoco;
    if (!extra.api.empty()) apply(role, path, extra.api);
    if (extra.name.empty()) return;
    const auto value = usd::parse_value(extra.type, extra.text);
    if (!value) return check(value.error(), path);
    // The schemas of MuJoCo declare their attributes uniform, those of Newton do not.
    const bool uniform = extra.name.starts_with("mjc:") || extra.name.starts_with("mechane:");
    put(role, path, extra.name, extra.type, *value, extra.place, uniform);
}

void Sheet::payload(const std::string& path, const std::string& prim)
{ check(layer(Role::base).add_payload(path_of(path), {std::string("./") + kFiles[1], usd::Path(prim)}), path); }

Result<UsdRobot> Sheet::finish(std::vector<std::pair<std::string, std::string>> textures)
{
    UsdRobot out;
    out.name                   = name_;
    out.textures               = std::move(textures);
    const std::string root     = "/" + name_;
    const auto        identity = [&](usd::Layer& l) {
        // Version 0.1.0: a conversion states where it begins; whoever keeps the asset counts on from there.
        check(l.set_field(usd::Path(root), "assetInfo:identifier", usd::make_value("string", "urn:mechane:" + name_)),
              root);
        check(l.set_field(usd::Path(root), "assetInfo:name", usd::make_value("string", name_)), root);
        check(l.set_field(usd::Path(root), "assetInfo:version", usd::make_value("string", std::string("0.1.0"))), root);
    };
    if (single()) {
        identity(layer(Role::base));
        out.entry = name_ + ".usda";
        out.layers.push_back({out.entry, std::move(layer(Role::base))});
    } else {
        usd::Layer entry;
        metadata(entry, name_);
        check(entry.define(usd::Path(root), "Xform"), root);
        check(entry.set_field(usd::Path(root), "kind", usd::make_value("token", std::string("component"))), root);
        identity(entry);
        // References are listed with the strongest first: ROS and physics say more about a prim than the base does.
        for (const Role role : {Role::ros, Role::physics, Role::materials, Role::base})
            if (layers_[static_cast<std::size_t>(role)])
                check(entry.add_reference(usd::Path(root),
                                          {std::string("./") + kFiles[static_cast<int>(role)], usd::Path()}),
                      root);
        std::string stem = name_;  // a robot called "materials" is no layer of materials
        // Suffixes are compared without, and in lower case, since some file systems do not tell cases apart.
        for (const std::string file : kFiles) {
            if (file.substr(0, file.rfind('.')) == lower_case(name_)) stem = name_ + "_asset";
        }
        out.entry = stem + ".usda";
        for (int role = 0; role < kRoles; ++role)
            if (auto& l = layers_[static_cast<std::size_t>(role)]) out.layers.push_back({kFiles[role], std::move(*l)});
        out.layers.push_back({out.entry, std::move(entry)});
        // A vendor's words lie over the asset, in an entry of their own.
        for (const auto& [role, vendor] : {std::pair{Role::newton, "newton"}, std::pair{Role::mujoco, "mujoco"}}) {
            if (!layers_[static_cast<std::size_t>(role)]) continue;
            usd::Layer with;
            metadata(with, name_);
            // The vendor's layer over the entry: sublayers too are listed with the strongest first.
            check(with.set_sublayers({std::string("./") + kFiles[static_cast<int>(role)], "./" + out.entry}), "/");
            out.layers.push_back({fmt::format("{}_{}.usda", stem, vendor), std::move(with)});
        }
    }
    if (range_)
        for (LayerFile& l : out.layers) {
            check(l.layer.set_field(usd::Path::root(), "startTimeCode", usd::make_value("double", range_->first)), "/");
            check(l.layer.set_field(usd::Path::root(), "endTimeCode", usd::make_value("double", range_->second)), "/");
        }
    out.places = std::move(places_);
    if (failed_) return *failed_;
    return out;
}

}  // namespace mechane::sourceformats
