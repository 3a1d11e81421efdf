// Copies of point instancers' items as prims: a session layer that adds to each instancer a child for every item, with
// the item's transform, and a reference to the prototype.
// Bodies and colliders in prototypes then become bodies and colliders of the stage. The stage is opened again with that
// session; `customData` marks what was added.
// Units, times and frames are the stage's; an item's ops stand before those of its prototype's root, as in
// UsdGeomPointInstancer.

#include "mechane/usd/instancer_copies.h"

#include <fmt/format.h>
#include <pxr/ar/defaultResolverContext.h>
#include <pxr/gf/quatd.h>
#include <pxr/gf/quatf.h>
#include <pxr/gf/vec3d.h>
#include <pxr/gf/vec3f.h>
#include <pxr/sdf/attributeSpec.h>
#include <pxr/sdf/changeBlock.h>
#include <pxr/sdf/primSpec.h>
#include <pxr/sdf/proxyTypes.h>
#include <pxr/sdf/schema.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mechane/usd/codes.h"
#include "mechane/usd/start_value.h"
#include "usd/handles.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

using namespace pxr;

constexpr const char* kItemKey      = "mechaneItem";
constexpr const char* kPrototypeKey = "mechanePrototype";
constexpr const char* kLayerKey     = "mechaneInstancers";
constexpr const char* kOpenedKey    = "mechaneOpened";
constexpr const char* kTranslate    = "xformOp:translate:item";
constexpr const char* kOrient       = "xformOp:orient:item";
constexpr const char* kScale        = "xformOp:scale:item";

/// One instancer of the stage and what its items are copies of.
struct Instancer {
    Prim              prim;
    std::vector<Prim> prototypes;  ///< as the relationship lists them; invalid where there is nothing to copy
    std::vector<int>  items;       ///< index of its prototype, -1 for none
    std::vector<char> invisible;
    bool              physical = false;  ///< a prototype holds physics
    double            prims    = 0;      ///< what its copies add, those of instancers in them included
    enum class Mark : char { fresh, open, done } mark = Mark::fresh;
};

bool holds_physics(const Prim& prototype)
{
    static const Token kBody("PhysicsRigidBodyAPI"), kCollider("PhysicsCollisionAPI"), kJoint("PhysicsJoint"),
        kNewton("NewtonCollisionAPI");
    for (const Prim& prim : prototype.subtree())
        if (prim.has_api(kBody) || prim.has_api(kCollider) || prim.has_api(kNewton) || prim.is_a(kJoint)) return true;
    return false;
}

/// Counts of what is wrong with an instancer, told in one finding.
class Complaints {
  public:
    void add(std::string what) { ++counts_[std::move(what)]; }
    void report(const Prim& instancer, std::vector<InstancerComplaint>& found) const
    {
        for (const auto& [what, count] : counts_)
            found.push_back({instancer.site(),
                             count == 1 ? fmt::format("<{}>: {}", instancer.path().text(), what)
                                        : fmt::format("<{}>: {} ({} times)", instancer.path().text(), what, count)});
    }

  private:
    std::map<std::string, std::size_t> counts_;
};

/// The array that counts at the default time: the default, else the earliest sample.
/// The importer reads a stage at its default time. Where only samples are authored, the first stands for the start of
/// the simulation.
template <class T>
std::vector<T> first_array(const Prim& prim, const char* name)
{ return start_as<std::vector<T>>(prim.attribute(Token(name))).value_or(std::vector<T>()); }

/// ids are int64[]; older files have int[].
std::vector<std::int64_t> ids_of(const Prim& prim, const char* name)
{
    const Attribute           attribute = prim.attribute(Token(name));
    const Value               value     = attribute.value(start_of(attribute));
    const VtValue*            held      = Value::Access::of(value);
    std::vector<std::int64_t> out;
    if (held == nullptr) return out;
    if (held->IsHolding<VtArray<std::int64_t>>())
        for (const std::int64_t id : held->UncheckedGet<VtArray<std::int64_t>>()) out.push_back(id);
    else if (held->IsHolding<VtArray<int>>())
        for (const int id : held->UncheckedGet<VtArray<int>>()) out.push_back(id);
    return out;
}

/// inactiveIds is metadata that composes as a list op: each layer adds to or takes from the list.
std::set<std::int64_t> inactive_ids(const Stage::Impl& stage, const Prim& prim)
{
    std::set<std::int64_t> out;
    const VtValue          held = compose_metadata(stage, stage.record(prim), TfToken(), TfToken("inactiveIds"));
    if (held.IsHolding<SdfInt64ListOp>()) {
        std::vector<std::int64_t> ids;
        held.UncheckedGet<SdfInt64ListOp>().ApplyOperations(&ids);
        out.insert(ids.begin(), ids.end());
    }
    return out;
}

/// Order of work: read all instancers, measure what their copies add (and refuse before anything is made), then author.
class Copier {
  public:
    Copier(const Stage& stage, bool with_looks, std::vector<InstancerComplaint>& found)
        : stage_(stage), impl_(stage.impl()), with_looks_(with_looks), found_(found)
    {
        static const TfToken kType("PointInstancer");
        for (std::uint32_t i = 1; i < impl_.prims.size(); ++i)
            if (impl_.prims[i].type_name == kType) {
                const Prim prim = stage.prim_at(impl_.prims[i].path);
                if (prim && prim.active()) list_.push_back({.prim = prim});
            }
        std::sort(list_.begin(), list_.end(),
                  [](const Instancer& a, const Instancer& b) { return a.prim.index() < b.prim.index(); });
    }

    [[nodiscard]] bool nothing() const { return list_.empty(); }

    /// Adds to a session layer; false when there was nothing to add.
    Result<bool> copy(const SdfLayerRefPtr& session)
    {
        for (Instancer& one : list_) read(one);
        for (Instancer& one : list_) measure(one);
        // A double: products of counts may exceed any integer.
        double prims = static_cast<double>(impl_.prims.size());
        for (const Instancer& one : list_) prims += wanted(one) ? one.prims : 0;
        if (prims > static_cast<double>(impl_.options.limits.max_prims))
            return make_diagnostic(kLimit, {.layer = stage_.source()},
                                   fmt::format("the items of point instancers would make {:.0f} prims, the limit is {}",
                                               prims, impl_.options.limits.max_prims),
                                   "Raise it with --stage-limit prims=N, or leave the items out with --option "
                                   "point_instancers=ignore.");
        layer_ = session;
        // One notice for all edits; there may be millions.
        const SdfChangeBlock block;
        for (const Instancer& one : list_)
            if (wanted(one) && write(one)) expanded_.push_back(TfToken(one.prim.path().text()));
        if (expanded_.empty()) return false;
        VtDictionary data = layer_->GetCustomLayerData();
        data[kLayerKey]   = VtValue(VtTokenArray(expanded_.begin(), expanded_.end()));
        data[kOpenedKey]  = VtValue(VtTokenArray(opened_.begin(), opened_.end()));
        layer_->SetCustomLayerData(data);
        return true;
    }

  private:
    // Copies of mere looks are made only on demand: a forest of instanced trees would be a million prims without
    // physics.
    [[nodiscard]] bool wanted(const Instancer& one) const { return one.physical || with_looks_; }

    /// Instancers at or below a prim.
    /// The list is sorted by prim index, and a subtree is a contiguous range of indices.
    [[nodiscard]] std::pair<std::size_t, std::size_t> inside(const Prim& prim) const
    {
        const std::uint32_t end   = impl_.record(prim).subtree_end;
        const auto          below = [](const Instancer& one, std::uint32_t index) { return one.prim.index() < index; };
        return {
            static_cast<std::size_t>(std::lower_bound(list_.begin(), list_.end(), prim.index(), below) - list_.begin()),
            static_cast<std::size_t>(std::lower_bound(list_.begin(), list_.end(), end, below) - list_.begin())};
    }

    void read(Instancer& one)
    {
        Complaints wrong;
        const auto targets = one.prim.relationship(Token("prototypes")).forwarded();
        for (const Path& target : targets) {
            Prim prototype = target.is_property() ? Prim() : stage_.prim_at(target);
            if (!prototype) {
                wrong.add(fmt::format("its prototype <{}> does not exist", target.text()));
                // A reference to an ancestor would be a cycle of arcs, which composition refuses.
            } else if (one.prim.path().has_prefix(target)) {
                wrong.add(fmt::format("its prototype <{}> holds the instancer itself", target.text()));
                prototype = {};
            } else if (!prototype.active()) {
                prototype = {};  // switched off, and so are its copies
            }
            one.prototypes.push_back(prototype);
        }
        one.items                             = first_array<int>(one.prim, "protoIndices");
        const std::vector<std::int64_t> ids   = ids_of(one.prim, "ids");
        const std::set<std::int64_t>    off   = inactive_ids(impl_, one.prim);
        const auto                      names = ids_of(one.prim, "invisibleIds");
        const std::set<std::int64_t>    unseen(names.begin(), names.end());
        // Without ids that fit, an item's index is its id (UsdGeomPointInstancer).
        const bool own_ids = !ids.empty() && ids.size() == one.items.size();
        if (!ids.empty() && !own_ids)
            wrong.add(
                fmt::format("ids has {} elements, expected {}; items count from 0", ids.size(), one.items.size()));
        one.invisible.assign(one.items.size(), 0);
        for (std::size_t i = 0; i < one.items.size(); ++i) {
            const std::int64_t id = own_ids ? ids[i] : static_cast<std::int64_t>(i);
            one.invisible[i]      = unseen.count(id) != 0;
            int& item             = one.items[i];
            if (item < 0 || static_cast<std::size_t>(item) >= one.prototypes.size()) {
                wrong.add(
                    fmt::format("protoIndices names prototype {}, and there are {}", item, one.prototypes.size()));
                item = -1;
            } else if (!one.prototypes[static_cast<std::size_t>(item)] || off.count(id) != 0) {
                item = -1;
            }
        }
        const auto positions = first_array<Vec3d>(one.prim, "positions");
        if (positions.size() != one.items.size()) {
            wrong.add(fmt::format("positions has {} elements, expected {} as protoIndices; none of its items is there",
                                  positions.size(), one.items.size()));
            one.items.clear();
        }
        for (std::size_t i = 0; i < one.items.size(); ++i)
            if (one.items[i] >= 0 && !is_finite(positions[i])) {
                wrong.add("the position of an item is not finite; it is left out");
                one.items[i] = -1;
            }
        wrong.report(one.prim, found_);
    }

    /// What the copies add, instancers in prototypes first. An instancer that would hold itself loses that prototype.
    /// Depth first with marks: an instancer that is met while it is open holds itself by way of others.
    void measure(Instancer& one)
    {
        if (one.mark != Instancer::Mark::fresh) return;
        one.mark = Instancer::Mark::open;
        std::vector<double> size(one.prototypes.size(), 0);
        for (std::size_t p = 0; p < one.prototypes.size(); ++p) {
            Prim& prototype = one.prototypes[p];
            if (!prototype) continue;
            const auto [begin, end] = inside(prototype);
            for (std::size_t i = begin; i < end; ++i) {
                // Depth is bounded by the nesting of instancers, each of which is open once.
                measure(list_[i]);
                if (list_[i].mark == Instancer::Mark::open) {
                    Complaints wrong;
                    wrong.add(fmt::format("its prototype <{}> holds the instancer itself, by way of <{}>",
                                          prototype.path().text(), list_[i].prim.path().text()));
                    wrong.report(one.prim, found_);
                    prototype = {};
                    break;
                }
                size[p] += list_[i].prims;
                one.physical = one.physical || list_[i].physical;
            }
            if (!prototype) {
                for (int& item : one.items)
                    if (item == static_cast<int>(p)) item = -1;
                continue;
            }
            size[p] += impl_.record(prototype).subtree_end - prototype.index();
            one.physical = one.physical || holds_physics(prototype);
        }
        for (const int item : one.items)
            if (item >= 0) one.prims += size[static_cast<std::size_t>(item)];
        one.mark = Instancer::Mark::done;
    }

    /// One of the arrays that move items, at a time.
    template <class T>
    struct Array {
        Attribute           attribute;
        std::vector<double> times;  ///< of the samples that fit
        std::vector<T>      first;
    };
    template <class T>
    Array<T> array_of(const Instancer& one, const char* name, Complaints& wrong) const
    {
        Array<T> out{one.prim.attribute(Token(name)), {}, first_array<T>(one.prim, name)};
        if (out.first.empty()) return out;
        if (out.first.size() != one.items.size()) {
            wrong.add(fmt::format("{} has {} elements, expected {}; it is not used", name, out.first.size(),
                                  one.items.size()));
            out.first.clear();
            return out;
        }
        if (!out.attribute.varying()) return out;
        for (const double time : out.attribute.time_samples())
            if (const auto at = out.attribute.authored_value(time).template get<std::vector<T>>();
                at && at->size() == one.items.size())
                out.times.push_back(time);
            else
                wrong.add(fmt::format("a sample of {} has another number of elements; it is not used", name));
        return out;
    }

    static SdfAttributeSpecHandle author(const SdfPrimSpecHandle& prim, const char* name, const char* type,
                                         const VtValue& value, bool uniform = false)
    {
        const auto spec = SdfAttributeSpec::New(prim, name, SdfSchema::GetInstance().FindType(type),
                                                uniform ? SdfVariabilityUniform : SdfVariabilityVarying);
        if (spec) spec->SetDefaultValue(value);
        return spec;
    }
    static VtValue vt(const Vec3d& v) { return VtValue(GfVec3d(v.x, v.y, v.z)); }
    // A quaternion of length zero is no rotation: the identity stands in.
    static Quatd rotation(const Quatd& q)
    {
        const double n = dot(q, q);
        return n > 0 && std::isfinite(n) ? normalized(q) : Quatd{};
    }
    static VtValue vt(const Quatd& q)
    {
        const Quatd r = rotation(q);
        return VtValue(GfQuatd(r.w, r.x, r.y, r.z));
    }

    /// Authors one op of every copy: the value that counts without a time, and the samples.
    template <class T>
    void author_op(const Array<T>& array, const std::vector<SdfPrimSpecHandle>& specs, const char* name,
                   const char* type, const SdfLayerRefPtr& layer) const
    {
        if (array.first.empty()) return;
        for (std::size_t i = 0; i < specs.size(); ++i)
            if (specs[i]) author(specs[i], name, type, vt(array.first[i]));
        for (const double time : array.times) {
            const auto at = array.attribute.authored_value(time).template get<std::vector<T>>();
            for (std::size_t i = 0; at && i < specs.size(); ++i)
                if (specs[i])
                    layer->SetTimeSample(specs[i]->GetPath().AppendProperty(TfToken(name)), time, vt((*at)[i]));
        }
    }

    /// Instances above an instancer are opened: what lies in them cannot be added to.
    /// Descendants of an instance come from its prototype and take no opinions; instanceable = false makes them the
    /// stage's own.
    void open_instances(const Prim& instancer)
    {
        if (!instancer.is_instance_proxy() && !instancer.is_instance()) return;
        for (Prim p = instancer; p && !p.path().is_root(); p = p.parent()) {
            const TfToken path(p.path().text());
            if (!p.is_instance() || std::find(opened_.begin(), opened_.end(), path) != opened_.end()) continue;
            opened_.push_back(path);
            if (const auto spec = SdfCreatePrimInLayer(layer_, unwrap(p.path()))) spec->SetInstanceable(false);
        }
    }

    bool write(const Instancer& one)
    {
        if (std::none_of(one.items.begin(), one.items.end(), [](int item) { return item >= 0; })) return false;
        Complaints wrong;
        const auto positions = array_of<Vec3d>(one, "positions", wrong);
        // The single-precision attribute goes first, as in current schemas.
        auto orientations = array_of<Quatd>(one, "orientationsf", wrong);
        if (orientations.first.empty()) orientations = array_of<Quatd>(one, "orientations", wrong);
        const auto scales  = array_of<Vec3d>(one, "scales", wrong);
        const auto linear  = array_of<Vec3d>(one, "velocities", wrong);
        const auto angular = array_of<Vec3d>(one, "angularVelocities", wrong);
        if (one.prim.attribute(Token("protoIndices")).varying())
            wrong.add("protoIndices is animated; its first value is held");
        open_instances(one.prim);

        const SdfPrimSpecHandle above = SdfCreatePrimInLayer(layer_, unwrap(one.prim.path()));
        if (!above) return false;
        std::set<std::string> names;
        for (const Prim& child : one.prim.children({.all = true})) names.insert(child.name().text());
        std::vector<SdfPrimSpecHandle> specs(one.items.size());
        for (std::size_t i = 0; i < one.items.size(); ++i) {
            if (one.items[i] < 0) continue;
            const Prim& prototype = one.prototypes[static_cast<std::size_t>(one.items[i])];
            std::string name      = fmt::format("{}_{}", prototype.name().text(), i);
            while (!names.insert(name).second) name += '_';
            specs[i] = SdfPrimSpec::New(above, name, SdfSpecifierDef);
            if (specs[i])
                author_copy(specs[i], prototype, i, one.invisible[i] != 0, !orientations.first.empty(),
                            !scales.first.empty());
        }
        author_op(positions, specs, kTranslate, "double3", layer_);
        author_op(orientations, specs, kOrient, "quatd", layer_);
        author_op(scales, specs, kScale, "double3", layer_);
        author_velocities(one, specs, orientations.first, scales.first, linear.first, angular.first);
        wrong.report(one.prim, found_);
        return true;
    }

    void author_copy(const SdfPrimSpecHandle& spec, const Prim& prototype, std::size_t index, bool invisible,
                     bool turned, bool scaled) const
    {
        const bool moves = prototype.is_a(Token("Xformable"));
        if (!moves) spec->SetTypeName("Xform");
        spec->SetActive(true);
        spec->GetReferenceList().Prepend(SdfReference(std::string(), unwrap(prototype.path())));
        spec->SetCustomData(kItemKey, VtValue(static_cast<std::int64_t>(index)));
        spec->SetCustomData(kPrototypeKey, VtValue(prototype.path().text()));
        VtTokenArray order{TfToken(kTranslate)};
        if (turned) order.push_back(TfToken(kOrient));
        if (scaled) order.push_back(TfToken(kScale));
        const std::size_t own = order.size();
        if (moves)
            for (const Token& op : prototype.attribute(Token("xformOpOrder")).get_or<std::vector<Token>>({})) {
                if (op.text() == "!resetXformStack!")
                    order.resize(own);  // only what the instancer's item has
                else
                    order.push_back(unwrap(op));
            }
        author(spec, "xformOpOrder", "token[]", VtValue(order), true);
        if (invisible) author(spec, "visibility", "token", VtValue(TfToken("invisible")));
    }

    /// Velocities of the instancer are those of bodies that are prototypes themselves: from its space into theirs.
    void author_velocities(const Instancer& one, const std::vector<SdfPrimSpecHandle>& specs,
                           const std::vector<Quatd>& orientations, const std::vector<Vec3d>& scales,
                           const std::vector<Vec3d>& linear, const std::vector<Vec3d>& angular) const
    {
        if (linear.empty() && angular.empty()) return;
        static const Token kBody("PhysicsRigidBodyAPI");
        for (std::size_t i = 0; i < specs.size(); ++i) {
            if (!specs[i]) continue;
            const Prim& prototype = one.prototypes[static_cast<std::size_t>(one.items[i])];
            if (!prototype.has_api(kBody)) continue;
            Matrix4d item = from_pose({{}, orientations.empty() ? Quatd{} : rotation(orientations[i])});
            if (!scales.empty())
                for (int row = 0; row < 3; ++row)
                    for (int column = 0; column < 3; ++column)
                        item(row, column) *= scales[i][static_cast<std::size_t>(row)];
            // Velocities of an instancer are in its space; those of a body are in the space that its own transform
            // leads to.
            // Row vectors: the prototype's own matrix first, then the item's.
            const Matrix4d local = prototype.is_a(Token("Xformable")) ? stage_.local_matrix(prototype) * item : item;
            const auto     back  = inverse(local);
            if (!back) continue;
            const auto single = [](const Vec3d& v) { return VtValue(GfVec3f(GfVec3d(v.x, v.y, v.z))); };
            if (!linear.empty())
                author(specs[i], "physics:velocity", "vector3f", single(transform_vector(*back, linear[i])));
            if (!angular.empty())
                author(specs[i], "physics:angularVelocity", "vector3f",
                       single(rotate_inverse(decompose(local).rotation, angular[i])));
        }
    }

    const Stage&                     stage_;
    const Stage::Impl&               impl_;
    bool                             with_looks_;
    std::vector<InstancerComplaint>& found_;
    std::vector<Instancer>           list_;  ///< in stage order
    SdfLayerRefPtr                   layer_;
    std::vector<TfToken> expanded_, opened_;  ///< paths of instancers and of instances that are none any more
};

/// Paths that the session layer lists under a key.
VtTokenArray listed(const Stage& stage, const char* key)
{
    const SdfLayerRefPtr& session = stage.impl().session;
    if (!session || !session->HasCustomLayerData()) return {};
    const VtDictionary data = session->GetCustomLayerData();
    const auto         at   = data.find(key);
    return at != data.end() && at->second.IsHolding<VtTokenArray>() ? at->second.UncheckedGet<VtTokenArray>()
                                                                    : VtTokenArray();
}

bool is_below(const Path& path, const VtTokenArray& above, bool itself)
{
    return std::any_of(above.begin(), above.end(), [&](const TfToken& one) {
        const Path root(one.GetString());
        return path.has_prefix(root) && (itself || !(path == root));
    });
}

}  // namespace

Result<std::shared_ptr<const Stage>> with_instancer_copies(const Stage& stage, bool with_looks,
                                                           std::vector<InstancerComplaint>& complaints)
{
    const std::shared_ptr<const Stage> nothing;
    if (has_instancer_copies(stage)) return nothing;
    Copier copier(stage, with_looks, complaints);
    if (copier.nothing()) return nothing;
    const Stage::Impl& impl    = stage.impl();
    OpenOptions        options = impl.options;
    SdfLayerRefPtr     session = SdfLayer::CreateAnonymous("copies.usda");
    // The caller's session opinions stay: the copies are added to them.
    if (!options.session_text.empty()) session->ImportFromString(options.session_text);
    const auto added = copier.copy(session);
    if (!added) return added.error();
    if (!*added) return nothing;
    if (!session->ExportToString(&options.session_text)) return nothing;
    if (!impl.root->IsAnonymous()) return Stage::open(impl.source, options);
    std::string text, folder;
    if (!impl.root->ExportToString(&text)) return nothing;
    // A stage of text looks beside no file, but in the folder that it was given; that one comes first.
    if (const auto* context = impl.context.Get<ArDefaultResolverContext>();
        context != nullptr && context->GetSearchPath().size() > options.search_paths.size())
        folder = context->GetSearchPath().front();
    return Stage::open_text(text, folder, options);
}

bool has_instancer_copies(const Stage& stage) { return !listed(stage, kLayerKey).empty(); }

std::optional<InstancerItem> instancer_item(const Prim& prim)
{
    if (!prim) return {};
    const Prim above = prim.parent();
    if (!above || above.type_name().text() != "PointInstancer") return {};
    const auto item = prim.metadata(Token(std::string("customData:") + kItemKey)).get<std::int64_t>();
    if (!item || *item < 0) return {};
    InstancerItem out;
    out.instancer = above.path();
    out.index     = static_cast<std::size_t>(*item);
    out.prototype =
        Path(prim.metadata(Token(std::string("customData:") + kPrototypeKey)).get<std::string>().value_or(""));
    const VtTokenArray expanded = listed(prim.stage(), kLayerKey);
    out.own = std::find(expanded.begin(), expanded.end(), TfToken(above.path().text())) != expanded.end() &&
              !is_below(above.path(), listed(prim.stage(), kOpenedKey), true);
    return out;
}

bool in_opened_instance(const Prim& prim)
{ return prim && is_below(prim.path(), listed(prim.stage(), kOpenedKey), false); }

Prim instancer_copy(const Prim& prim)
{
    for (Prim p = prim; p && !p.path().is_root(); p = p.parent())
        if (instancer_item(p)) return p;
    return {};
}

}  // namespace mechane::usd
