// Material bindings by UsdShade's rules: direct and by collection, for each purpose, with strengths.
// A table of all bindings is made once for each stage; a prim asks the prims above it that have one.

#include "mechane/usd/material_binding.h"

#include <fmt/format.h>
#include <pxr/sdf/schema.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "mechane/usd/codes.h"
#include "usd/binding_table.h"
#include "usd/stage_impl.h"

namespace mechane::usd {
namespace {

const Token kMaterial("Material"), kStrength("bindMaterialAs"), kStronger("strongerThanDescendants"),
    kApi("MaterialBindingAPI");
constexpr std::string_view kBinding = "material:binding";

bool is_binding(std::string_view name)
{ return name.starts_with(kBinding) && (name.size() == kBinding.size() || name[kBinding.size()] == ':'); }

/// True when some layer has a binding on this prim. Looks at names only: most prims have none.
bool may_bind(const PrimRecord& prim)
{
    return for_each_site(prim, [](const pxr::SdfLayerRefPtr& layer, const SiteNode& at, std::size_t) {
        const pxr::VtValue names = layer->GetField(at.path, pxr::SdfChildrenKeys->PropertyChildren);
        if (!names.IsHolding<pxr::TfTokenVector>()) return false;
        const auto& list = names.UncheckedGet<pxr::TfTokenVector>();
        return std::any_of(list.begin(), list.end(),
                           [](const pxr::TfToken& name) { return is_binding(name.GetString()); });
    });
}

class Scan {
  public:
    explicit Scan(const Stage& stage) : stage_(stage) {}

    BindingTable run()
    {
        const auto& prims = stage_.impl().prims;
        out_.nearest.assign(prims.size(), BindingTable::kNone);
        for (std::uint32_t i = 1; i < prims.size(); ++i) {
            // Parents come first in stage order, so that each prim takes over its parent's answer.
            out_.nearest[i] = out_.nearest[prims[i].parent];
            if (!may_bind(prims[i])) continue;
            auto bindings = bindings_of(stage_.prim_at(prims[i].path));
            if (bindings.empty()) continue;
            out_.at.emplace(i, std::move(bindings));
            out_.nearest[i] = i;
        }
        return std::move(out_);
    }

  private:
    /// Collection bindings in property order, then direct ones: the first that applies wins at its prim.
    std::vector<MaterialBinding> bindings_of(const Prim& prim)
    {
        std::vector<MaterialBinding> collections, direct;
        for (const Token& name : prim.authored_property_names()) {
            if (!is_binding(name.text())) continue;
            const Relationship relationship = prim.relationship(name);
            if (!relationship.authored()) continue;
            const std::string rest =
                name.text().size() == kBinding.size() ? "" : name.text().substr(kBinding.size() + 1);
            if (rest.starts_with("collection:")) {
                if (auto binding = of_collection(relationship, rest.substr(11)))
                    collections.push_back(std::move(*binding));
            } else if (rest.find(':') == std::string::npos) {
                if (auto binding = of_target(relationship, relationship.forwarded(), rest))
                    direct.push_back(std::move(*binding));
            }
        }
        if (!collections.empty() || !direct.empty())
            if (!prim.has_api(kApi))
                out_.found.add(kBindingApiMissing, prim.site(),
                               fmt::format("<{}> binds a material without MaterialBindingAPI", prim.path().text()));
        collections.insert(collections.end(), std::make_move_iterator(direct.begin()),
                           std::make_move_iterator(direct.end()));
        return collections;
    }

    std::optional<MaterialBinding> of_target(const Relationship& relationship, const std::vector<Path>& targets,
                                             std::string purpose)
    {
        if (targets.empty() || (targets.size() == 1 && targets.front().is_property())) return std::nullopt;
        if (targets.size() > 1) {
            out_.found.add(kBindingNotMaterial, relationship.site(),
                           fmt::format("{} points to {} prims, where one Material is bound", relationship.name().text(),
                                       targets.size()));
            return std::nullopt;
        }
        Prim material = stage_.prim_at(targets.front());
        if (!material || !material.is_a(kMaterial)) {
            out_.found.add(kBindingNotMaterial, relationship.site(),
                           fmt::format("{} points to <{}>, which is not a Material", relationship.name().text(),
                                       targets.front().text()));
            material = {};  // it hides the bindings above all the same
        }
        const auto strength = relationship.metadata(kStrength).get<Token>();
        return MaterialBinding{.purpose  = std::move(purpose),
                               .material = material,
                               .stronger = strength && *strength == kStronger,
                               .members  = {}};
    }

    /// `rest` is "name" or "purpose:name".
    std::optional<MaterialBinding> of_collection(const Relationship& relationship, const std::string& rest)
    {
        const std::size_t colon = rest.find(':');
        if (colon != std::string::npos && rest.find(':', colon + 1) != std::string::npos) return std::nullopt;
        std::vector<Path> targets = relationship.forwarded();
        const auto        named   = std::find_if(targets.begin(), targets.end(), [](const Path& target) {
            return target.is_property() && target.name().text().starts_with("collection:");
        });
        if (targets.size() != 2 || named == targets.end()) {
            out_.found.add(
                kBindingNotMaterial, relationship.site(),
                fmt::format("{} needs two targets, a collection and a Material", relationship.name().text()));
            return std::nullopt;
        }
        const Path  collection_path = *named;
        const Token name(collection_path.name().text().substr(11));
        const Prim  owner = stage_.prim_at(collection_path.prim());
        targets.erase(named);
        auto binding = of_target(relationship, targets, colon == std::string::npos ? "" : rest.substr(0, colon));
        if (!binding) return std::nullopt;
        if (!owner.has_api(Token("CollectionAPI:" + name.text()))) {
            out_.found.add(
                kBindingNotMaterial, relationship.site(),
                fmt::format("{} names <{}>, which is not a collection: CollectionAPI:{} is not applied there",
                            relationship.name().text(), collection_path.text(), name.text()));
            return std::nullopt;
        }
        binding->from_collection = true;
        binding->members         = collection(owner, name, &out_.found);
        return binding;
    }

    const Stage& stage_;
    BindingTable out_;
};

const BindingTable& table_of(const Stage& stage)
{
    const Stage::Impl& impl = stage.impl();
    std::call_once(impl.bindings_once,
                   [&] { impl.bindings = std::make_unique<BindingTable>(build_binding_table(stage)); });
    return *impl.bindings;
}

}  // namespace

BindingTable build_binding_table(const Stage& stage) { return Scan(stage).run(); }

Prim Stage::bound_material(Prim prim, const Token& purpose) const
{
    if (!prim) return {};
    const BindingTable& table = table_of(*this);
    std::uint32_t       first = table.nearest[prim.index()];
    if (first == BindingTable::kNone) return {};
    std::vector<std::string_view> wanted{purpose.text()};
    if (!purpose.empty()) wanted.emplace_back();
    for (const std::string_view one : wanted) {
        const MaterialBinding* winner = nullptr;
        // From the prim upwards: a binding above wins only if it is stronger than descendants, and the topmost such one
        // wins.
        for (std::uint32_t i = first; i != BindingTable::kNone;
             i               = i == 0 ? BindingTable::kNone : table.nearest[impl_->prims[i].parent]) {
            for (const MaterialBinding& binding : table.at.at(i)) {
                if (binding.purpose != one || (binding.from_collection && !binding.members.contains(prim.path())))
                    continue;
                if (winner == nullptr || binding.stronger) winner = &binding;
                break;  // the first that applies is the prim's own
            }
        }
        if (winner != nullptr) return winner->material;
    }
    return {};
}

void check_material_bindings(const Stage& stage, Diagnostics& found) { found.append(table_of(stage).found); }

}  // namespace mechane::usd
