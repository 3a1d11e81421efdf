// The edits that repairs make, and where: the layer of the asset that says the value, else the one that says its
// family, else the one that defines the prim, else the entry.
// An edit in the layer that wins changes what is composed; one in a weaker layer would not show. A layer that several
// prims share is not edited for one of them: then the entry overrides.
// Each edit is noted with its value before and after. With an overlay everything goes to the overlay.
// Invariant: layers outside of the asset are never edited.
// Called by all repairs.

#include "conformance/fixes/repair.h"

#include <algorithm>

#include "conformance/fixes/variant_paths.h"
#include "conformance/instance_copies.h"
#include "mechane/usd/written_times.h"

namespace mechane::conformance {
namespace {

/// "physics:" of "physics:mass": values of one schema stand together.
std::string family_of(const std::string& name) { return name.substr(0, name.find(':') + 1); }

std::string key_of(const std::string& layer, const usd::Path& prim) { return layer + "\n" + prim.text(); }

}  // namespace

/// Counted once for the pass, over all prims and instances of the stage.
void Repair::read_users()
{
    if (!users_.empty()) return;
    for (const usd::Prim& prim : facts.stage.traverse({.all = true, .instance_proxies = true})) {
        const bool        proxy = prim.is_instance_proxy();
        const std::string first = proxy ? first_shown(facts.stage, prim.path().text()) : std::string();
        for (const usd::SpecPlace& at : usd::spec_places(prim)) {
            ++users_[key_of(at.layer, at.path)];
            subjects_.emplace(key_of(at.layer, without_variants(at.path)), prim);
            const auto [shown, fresh] = shown_.try_emplace(key_of(at.layer, at.path), first);
            if (!fresh && shown->second != first) shown->second.clear();
        }
    }
}

usd::Prim Repair::subject(const EditPlace& at)
{
    read_users();
    const auto found = subjects_.find(key_of(at.file, without_variants(at.path.prim())));
    return found == subjects_.end() ? usd::Prim() : found->second;
}

std::vector<EditPlace> Repair::places(const usd::Prim& prim, const usd::Token& property)
{
    std::vector<EditPlace> found;
    for (const auto& [at, offset, scale] : usd::timed_places(prim, property))
        if (usd::Layer* layer = work.layer(at.layer))
            found.push_back({layer, at.layer, property.empty() ? at.path : at.path.parent(), offset, scale});
    return found;
}

EditPlace Repair::place(const usd::Prim& prim, const usd::Token& property)
{
    if (work.has_overlay()) {
        if (prim.is_instance_proxy()) return {};
        return {work.layer(work.entry().string()), work.entry().string(), prim.path()};
    }
    if (!property.empty())
        if (const auto said = places(prim, property); !said.empty()) return said.front();
    const std::vector<EditPlace> all    = places(prim);
    const std::string            family = property.empty() ? "" : family_of(property.text());
    if (!family.empty())
        for (const EditPlace& at : all)
            for (const usd::Token& name : at.layer->properties(at.path))
                if (name.text().starts_with(family)) return at;
    for (const EditPlace& at : all)
        if (!at.layer->field(at.path, "typeName").empty()) return at;
    if (!all.empty()) return all.front();
    // What only layers outside say is overridden in the entry.
    if (prim.is_instance_proxy()) return {};
    return {work.layer(work.entry().string()), work.entry().string(), prim.path()};
}

EditPlace Repair::own_place(const usd::Prim& prim, const usd::Token& property)
{
    const EditPlace at = place(prim, property);
    // What instances share is said once for all of them, unless something else is made of it too.
    if (prim.is_instance_proxy()) return at && is_of_one_prototype(at) ? at : EditPlace{};
    if (at && !shared(at)) return at;
    return {work.layer(work.entry().string()), work.entry().string(), prim.path()};
}

EditPlace Repair::field_place(const usd::Prim& prim, const usd::Token& key, bool own)
{
    const EditPlace without = own ? own_place(prim) : place(prim);
    if (work.has_overlay() || prim.is_instance_proxy()) return without;
    const EditPlace entry{work.layer(work.entry().string()), work.entry().string(), prim.path()};
    for (const usd::SpecPlace& spec : usd::spec_places(prim)) {
        const EditPlace at{work.layer(spec.layer), spec.layer, spec.path};
        if (!at) return entry;  // what a layer outside says is not known
        if (at.file == without.file && at.path == without.path) return without;  // wins over what is weaker
        if (!at.layer->field(at.path, key).empty()) return own && shared(at) ? entry : at;
    }
    return without;
}

bool Repair::refuse_linked(const usd::Prim& prim, const std::vector<usd::Token>& operations)
{
    if (!linked_) {
        linked_.emplace();
        for (const PrimFacts& other : facts.prims)
            for (const usd::Token& name : other.properties) {
                const usd::Attribute attribute = other.prim.attribute(name);
                for (const usd::Path& target :
                     attribute ? attribute.connections() : other.prim.relationship(name).targets())
                    if (target.is_property() && target.name().text().starts_with("xformOp:"))
                        linked_->emplace(target, other.prim.path().property(name));
            }
    }
    for (const usd::Token& operation : operations) {
        const usd::Path path = prim.path().property(operation);
        const auto      by   = linked_->find(path);
        if (by == linked_->end() && prim.attribute(operation).connections().empty()) continue;
        refuse("linked-operation", by == linked_->end() ? path.text() + " has a connection, which the repair would lose"
                                                        : by->second.text() + " names " + path.text() +
                                                              ", which the repair would remove; let it name another");
        return true;
    }
    return false;
}

EditPlace Repair::root() { return {work.layer(work.entry().string()), work.entry().string(), usd::Path::root()}; }

bool Repair::is_of_one_prototype(const EditPlace& place)
{
    read_users();
    const auto shown = shown_.find(key_of(place.file, place.path));
    return shown != shown_.end() && !shown->second.empty();
}

bool Repair::shared(const EditPlace& place)
{
    read_users();
    const auto known = users_.find(key_of(place.file, place.path));
    return known != users_.end() && known->second > 1;
}

void Repair::note(const std::string& file, const usd::Path& path, std::string field, std::string before,
                  std::string after)
{
    ++edits_;
    result_.edits.push_back(
        {rule_, phase_, work.relative(file), path.text(), std::move(field), std::move(before), std::move(after)});
}

bool Repair::done(const Result<void>& edit, const EditPlace& place)
{
    if (edit) return true;
    refuse("refused", place.path.text() + ": " + edit.error().message);
    return false;
}

bool Repair::set(const EditPlace& prim, const usd::Token& property, std::string_view type, const usd::Value& value,
                 bool uniform, bool custom)
{
    if (!prim) return refuse("external-layer", "no layer of the asset has an opinion about the prim"), false;
    if (value.empty()) return refuse("refused", "there is no value of type " + std::string(type)), false;
    const EditPlace   at     = prim.property(property);
    const usd::Value  old    = at.layer->value(at.path);
    const std::string before = old.empty() ? "" : old.to_text();
    // A value that is there already makes no edit, so that passes come to an end.
    if (!old.empty() && old.type_name() == value.type_name() && before == value.to_text()) return true;
    const usd::SpecKind kind = at.layer->kind(at.path);
    if (kind == usd::SpecKind::relationship && !done(at.layer->remove(at.path), at)) return false;
    const bool known = kind == usd::SpecKind::attribute &&
                       at.layer->field(at.path, "typeName").get<std::string>().value_or("") == type;
    if (!known && !done(at.layer->define_attribute(at.path, type, uniform, custom), at)) return false;
    if (!done(at.layer->set(at.path, value), at)) return false;
    note(at.file, at.path, "default", before, value.to_text());
    return true;
}

bool Repair::set_sample(const EditPlace& prim, const usd::Token& property, std::string_view type, double time,
                        const usd::Value& value)
{
    const EditPlace at = prim.property(property);
    if (at.layer->kind(at.path) == usd::SpecKind::none && !done(at.layer->define_attribute(at.path, type), at))
        return false;
    if (!done(at.layer->set_sample(at.path, (time - at.offset) / at.scale, value), at)) return false;
    note(at.file, at.path, "timeSamples", "", value.to_text());
    return true;
}

bool Repair::set_stage_targets(const usd::Prim& prim, const EditPlace& at, const usd::Token& property,
                               std::vector<usd::Path> targets)
{
    // What the layer has below the prim that an arc brings in has the same names on the stage; that prim itself has the
    // name that the stage gives it.
    usd::Path layer = without_variants(at.path), stage = prim.path();
    while (!layer.parent().is_root() && !stage.parent().is_root() && layer.name() == stage.name()) {
        layer = layer.parent();
        stage = stage.parent();
    }
    if (!std::ranges::all_of(targets, [&](const usd::Path& t) { return t.has_prefix(stage); })) {
        EditPlace entry = root();
        entry.path      = prim.path();
        return set_targets(entry, property, targets);
    }
    for (usd::Path& target : targets) target = target.with_prefix_replaced(stage, layer);
    return set_targets(at, property, targets);
}

bool Repair::set_targets(const EditPlace& prim, const usd::Token& property, const std::vector<usd::Path>& targets)
{
    if (!prim) return refuse("external-layer", "no layer of the asset has an opinion about the prim"), false;
    const EditPlace at = prim.property(property);
    std::string     before, after;
    for (const usd::Path& target : at.layer->targets(at.path)) before += "<" + target.text() + ">";
    for (const usd::Path& target : targets) after += "<" + target.text() + ">";
    if (!done(at.layer->set_targets(at.path, targets), at)) return false;
    note(at.file, at.path, "targetPaths", before, after);
    return true;
}

/// Where a layer outside says it too, removing is not enough: the value is blocked in the entry.
bool Repair::erase(const usd::Prim& prim, const usd::Token& property)
{
    const usd::Relationship relation = prim.relationship(property);
    const bool              targets  = static_cast<bool>(relation) && relation.authored();
    if (work.has_overlay()) {
        const EditPlace at = place(prim, property);
        if (!at) return refuse("instance", "the prim lies inside an instance"), false;
        if (targets) return set_targets(at, property, {});
        const EditPlace spec = at.property(property);
        const auto      type = prim.attribute(property).type_name();
        if (!done(spec.layer->define_attribute(spec.path, type), spec) || !done(spec.layer->block(spec.path), spec))
            return false;
        note(spec.file, spec.path, "default", prim.attribute(property).value().to_text(), "None");
        return true;
    }
    bool outside = false;
    for (const usd::SpecPlace& at : usd::spec_places(prim, property)) {
        usd::Layer* layer = work.layer(at.layer);
        if (layer == nullptr) {
            outside = true;
            continue;
        }
        const std::string before = targets                         ? "targets"
                                   : layer->value(at.path).empty() ? ""
                                                                   : layer->value(at.path).to_text();
        if (!done(layer->remove(at.path), {layer, at.layer, at.path})) return false;
        note(at.layer, at.path, "spec", before, "");
    }
    if (!outside) return true;
    const EditPlace at = own_place(prim);
    if (!at) return refuse("external-layer", "the opinion is outside the asset"), false;
    const EditPlace spec = at.property(property);
    if (targets) return set_targets(at, property, {});
    return done(spec.layer->define_attribute(spec.path, prim.attribute(property).type_name()), spec) &&
           done(spec.layer->block(spec.path), spec);
}

bool Repair::apply_api(const EditPlace& prim, const usd::Token& name)
{
    if (!prim) return refuse("external-layer", "no layer of the asset has an opinion about the prim"), false;
    const auto had = prim.layer->apis(prim.path);
    if (std::find(had.begin(), had.end(), name) != had.end()) return true;
    if (!done(prim.layer->apply_api(prim.path, name), prim)) return false;
    note(prim.file, prim.path, "apiSchemas", "", name.text());
    return true;
}

bool Repair::remove_api(const usd::Prim& prim, const usd::Token& name)
{
    bool gone = false;
    if (!work.has_overlay())
        for (const EditPlace& at : places(prim)) {
            const auto had = at.layer->apis(at.path);
            if (std::find(had.begin(), had.end(), name) == had.end()) continue;
            if (!done(at.layer->remove_api(at.path, name, false), at)) return false;
            note(at.file, at.path, "apiSchemas", name.text(), "");
            gone = true;
        }
    for (const usd::SpecPlace& at : usd::spec_places(prim))
        gone = gone && (work.layer(at.layer) != nullptr);  // somebody outside may apply it too
    if (gone) return true;
    const EditPlace at = own_place(prim);
    if (!at) return refuse("external-layer", "the schema is applied outside the asset"), false;
    if (!done(at.layer->remove_api(at.path, name, true), at)) return false;
    note(at.file, at.path, "apiSchemas", name.text(), "delete");
    return true;
}

bool Repair::set_field(const EditPlace& at, const usd::Token& key, const usd::Value& value)
{
    if (!at) return refuse("external-layer", "no layer of the asset has an opinion about the prim"), false;
    const usd::Value  old    = at.layer->field(at.path, key);
    const std::string before = old.empty() ? "" : old.to_text();
    if (!old.empty() && before == value.to_text() && old.type_name() == value.type_name()) return true;
    if (!done(at.layer->set_field(at.path, key, value), at)) return false;
    note(at.file, at.path, key.text(), before, value.to_text());
    return true;
}

bool Repair::define(const EditPlace& prim, const usd::Token& type)
{
    if (!prim) return refuse("external-layer", "no layer of the asset has an opinion about the prim"), false;
    if (!done(prim.layer->define(prim.path, type), prim)) return false;
    note(prim.file, prim.path, "typeName", "", type.text());
    return true;
}

void Repair::refuse(std::string reason, std::string message)
{
    result_.left.push_back({rule_, finding_ == nullptr ? "" : finding_->site.prim,
                            finding_ == nullptr ? "" : finding_->site.property, std::move(reason), std::move(message)});
    if (finding_ != nullptr) result_.left.back().layer = finding_->site.layer;
}

void Repair::remark(std::string reason, std::string message)
{
    refuse(std::move(reason), std::move(message));
    result_.left.back().remark = true;
}

bool Repair::unsafe(const std::string& message)
{
    if (!options.unsafe) refuse("unsafe", message + "; --unsafe does it");
    return options.unsafe;
}

}  // namespace mechane::conformance
