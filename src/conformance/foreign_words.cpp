// Words of vendors that nobody knows: properties with unknown namespaces and schemas that are registered nowhere. They
// are noted in the layer that says them, beside those of known vendors.
// Only prims that take part in the simulation make a namespace a vendor's; elsewhere it may be anybody's metadata.
// Called by Facts.

#include "conformance/foreign_words.h"

#include <algorithm>
#include <set>
#include <string>

#include "conformance/by_name.h"
#include "conformance/vendors.h"
#include "mechane/usd/schemas.h"
#include "mechane/usd/stage_layers.h"

namespace mechane::conformance {
namespace {

std::string namespace_of(std::string_view property) { return std::string(unknown_namespace(property)); }

/// The vendor of an applied schema that is neither bundled nor of a known vendor; empty for all others.
std::string stranger_of(std::string_view api)
{
    static const std::set<std::string_view> kBundled = [] {
        std::set<std::string_view> names;
        for (const usd::SchemaInfo& schema : usd::bundled_schemas()) names.insert(schema.identifier);
        return names;
    }();
    return kBundled.count(api.substr(0, api.find(':'))) != 0 ? std::string() : unknown_vendor_of_schema(api);
}

/// Bodies, joints, colliders, scenes, articulation roots and physics materials, switched on or not.
bool is_simulated(const PrimFacts& prim)
{
    if (prim.is(kBody | kJoint | kCollider | kScene | kArticulationRoot)) return true;
    return std::any_of(prim.apis.begin(), prim.apis.end(), [](const usd::Token& api) {
        return api.text() == "PhysicsRigidBodyAPI" || api.text() == "PhysicsCollisionAPI" ||
               api.text() == "PhysicsMaterialAPI";
    });
}

class Words {
  public:
    Words(const Facts& facts, std::vector<AssetLayer>& layers) : facts_(facts), layers_(layers) {}

    void run()
    {
        for (const PrimFacts& prim : facts_.prims) {
            const bool simulated = is_simulated(prim);
            for (const usd::Token& name : prim.properties)
                if (const std::string& space = namespace_(name);
                    !space.empty() && !usd::is_built_in(prim.prim, name))
                    add(prim, name, space, simulated);
            if (simulated) schemas(prim);
        }
    }

  private:
    const Facts&             facts_;
    std::vector<AssetLayer>& layers_;
    ByName<std::string>      namespace_{namespace_of}, stranger_{stranger_of};

    AssetLayer* layer_of(const usd::ArcPlace& place)
    {
        const auto at = std::find_if(layers_.begin(), layers_.end(),
                                     [&](const AssetLayer& layer) { return layer.layer.name == place.layer; });
        return at == layers_.end() || !at->inside ? nullptr : &*at;
    }

    static void note(AssetLayer& layer, bool vendor, const std::string& space, usd::Path path, const std::string& what)
    {
        auto& known = (vendor ? layer.vendors : layer.foreign)[space];
        if (std::any_of(known.begin(), known.end(), [&](const RoleExample& use) { return use.path == path; })) return;
        if (vendor) {
            layer.roles |= kVendorRole;
            layer.first.emplace(kVendorRole, RoleExample{path, what});
        }
        known.push_back({std::move(path), what});
    }

    void add(const PrimFacts& prim, const usd::Token& name, const std::string& space, bool simulated)
    {
        for (const usd::ArcPlace& place : usd::arc_places(prim.prim, name))
            if (AssetLayer* layer = layer_of(place)) note(*layer, simulated, space, place.path, name.text());
    }

    /// Applied schemas that are registered nowhere.
    void schemas(const PrimFacts& prim)
    {
        for (const usd::Token& api : prim.apis) {
            const std::string& vendor = stranger_(api);
            if (vendor.empty()) continue;
            const std::vector<usd::Token> known = prim.prim.applied_apis();  // of the user's plug-ins too
            if (std::find(known.begin(), known.end(), api) != known.end()) continue;
            for (const usd::ArcPlace& place : usd::arc_places(prim.prim)) {
                AssetLayer* layer = layer_of(place);
                if (layer == nullptr) continue;
                const auto own = layer->layer.layer->apis(place.path);
                if (std::find(own.begin(), own.end(), api) != own.end())
                    note(*layer, true, vendor, place.path, api.text());
            }
        }
    }
};

}  // namespace

void note_foreign_words(const Facts& facts, std::vector<AssetLayer>& layers) { Words(facts, layers).run(); }

}  // namespace mechane::conformance
