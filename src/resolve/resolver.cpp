// Looking up a key: authored values of all resolvers in their order, then the importer's default, then the schemas'
// fallbacks.
// That order is Newton's: a vendor's fallback never goes before what the importer was told.
// Values come back scaled to the units of the model, with the attribute and the site that they are from.
//
// A resolver is a vendor's table (newton, physx, mjc or a user's). A row of it maps attributes of a prim to one key,
// with the unit of the number, an optional conversion and a fallback.

#include "mechane/resolve/resolver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mechane/physics/value_fault.h"
#include "mechane/resolve/codes.h"
#include "mechane/usd/key_times.h"

namespace mechane::resolve {

namespace {

using physics::Dimension;

// The attribute as a plain value; arrays and tuples become lists of numbers.
std::optional<Value> plain(const usd::Value& value)
{
    if (value.empty()) return std::nullopt;
    const std::string type = value.type_name();
    if (type == "bool") return value.get<bool>();
    if (type == "string" || type == "token") {
        const auto text = value.get<std::string>();
        return text ? std::optional<Value>(*text) : std::nullopt;
    }
    // Integers and floats come out as doubles too: a value converts where nothing is lost.
    if (const auto number = value.get<double>()) return *number;
    if (const auto list = value.get<std::vector<double>>()) return *list;
    if (const auto list = value.get<std::vector<int>>()) return std::vector<double>(list->begin(), list->end());
    if (const auto v = value.get<Vec2d>()) return std::vector<double>{v->x, v->y};
    if (const auto v = value.get<Vec3d>()) return std::vector<double>{v->x, v->y, v->z};
    if (const auto v = value.get<std::array<double, 4>>()) return std::vector<double>(v->begin(), v->end());
    return std::nullopt;
}

/// What is authored and can be the attribute's value: anything else counts as not authored (physics::value_fault).
/// Values at the start of the simulation count, so that of an animated attribute the first sample is taken.
std::optional<Value> usable(const usd::Prim& prim, const std::string& name)
{
    auto value = plain(usd::start_authored(prim.attribute(name)));
    return value && physics::value_fault(prim, usd::Token(name)) ? std::nullopt : value;
}

Value scaled(Value value, double by)
{
    if (by == 1) return value;
    if (auto* number = std::get_if<double>(&value)) *number *= by;
    // Conversions of lists are linear as well: each entry has the unit of the row.
    if (auto* list = std::get_if<std::vector<double>>(&value))
        for (double& x : *list) x *= by;
    return value;
}

/// What a row makes of values; one without a conversion takes the first.
std::optional<Value> converted(const Row& row, const Inputs& in)
{
    if (row.convert) return row.convert(in);
    return in.authored.empty() ? std::nullopt : in.authored.front();
}

std::optional<Resolved> authored_by(const Resolver& resolver, const Row& row, const usd::Prim& prim,
                                    const Context& context)
{
    std::vector<std::optional<Value>> values(row.attributes.size());
    std::size_t                       first = row.attributes.size();
    for (std::size_t i = 0; i < row.attributes.size(); ++i) {
        values[i] = usable(prim, row.attributes[i]);
        // The first authored attribute names the answer; a conversion may use the others as well.
        if (values[i] && first == row.attributes.size()) first = i;
    }
    // A row without attributes asks code of the user's about every prim.
    if (first == row.attributes.size() && !row.attributes.empty()) return std::nullopt;
    auto value = converted(row, {prim, values, context});
    if (!value) return std::nullopt;
    Resolved answer;
    // Conversion comes before scaling, as the conversion's rules are about authored numbers.
    answer.value    = scaled(std::move(*value), factor(row.unit, context.scale, context.motion));
    answer.layer    = Layer::authored;
    answer.resolver = resolver.name;
    if (row.attributes.empty()) {
        answer.site = prim.site();
        return answer;
    }
    answer.attribute = row.attributes[first];
    answer.site      = prim.attribute(row.attributes[first]).site();
    return answer;
}

// The tables that ship with the program carry their fallbacks in themselves.
bool is_shipped(std::string_view name) { return name == "newton" || name == "physx" || name == "mjc"; }

std::optional<Resolved> schema_default(const Resolver& resolver, const Row& row, const usd::Prim& prim,
                                       const Context& context)
{
    // A conversion reads its first value even in a row without attributes.
    std::vector<std::optional<Value>> values(std::max<std::size_t>(row.attributes.size(), 1));
    values.front() = row.fallback;
    // A table of the user's may leave its defaults to the schema that it speaks of. In the tables that ship, a row
    // without one has none.
    if (!row.fallback && !is_shipped(resolver.name))
        for (std::size_t i = 0; i < row.attributes.size(); ++i)
            values[i] = plain(prim.attribute(row.attributes[i]).value());
    if (!values.front()) return std::nullopt;
    auto value = converted(row, {prim, values, context});
    if (!value) return std::nullopt;
    Resolved answer;
    answer.value    = scaled(std::move(*value), factor(row.unit, context.scale, context.motion));
    answer.layer    = Layer::schema;
    answer.resolver = resolver.name;
    if (!row.attributes.empty()) answer.attribute = row.attributes.front();
    return answer;
}

// Findings about how a value is spelled. They are made for the winner only.
void note_use(const Row& row, const Resolved& answer, Diagnostics* found)
{
    if (!found) return;
    if (!row.replaced_by.empty())
        found->add(kDeprecatedAttr, answer.site, fmt::format("{} is an older spelling", answer.attribute),
                   fmt::format("Author {} instead.", row.replaced_by));
    if (row.nonschema) found->add(kNonschemaAttr, answer.site, fmt::format("{} is in no schema", answer.attribute));
}

}  // namespace

double factor(Unit unit, const physics::UnitScale& scale, Motion motion)
{
    // One attribute serves sliding and turning joints: what its number means follows from the motion.
    // Where a row's unit has the ending deg, the authored number of a turning joint is per degree; with rad it is per
    // radian.
    const bool turns = motion == Motion::angular;
    switch (unit) {
        case Unit::si:
            return 1;
        case Unit::length:
            return scale.factor(Dimension::length);
        case Unit::mass_or_inertia:
            // A sliding joint's armature is a mass in kg, a turning one's an inertia in kg m^2.
            return scale.factor(turns ? Dimension::inertia : Dimension::mass);
        case Unit::force_or_torque:
            return scale.factor(turns ? Dimension::torque : Dimension::force);
        case Unit::stiffness_deg:
            return scale.factor(turns ? Dimension::angular_stiffness : Dimension::linear_stiffness);
        case Unit::damping_deg:
            return scale.factor(turns ? Dimension::angular_damping : Dimension::linear_damping);
        case Unit::stiffness_rad:
            return scale.factor(turns ? Dimension::angular_stiffness_radians : Dimension::linear_stiffness);
        case Unit::damping_rad:
            return scale.factor(turns ? Dimension::angular_damping_radians : Dimension::linear_damping);
        case Unit::position_deg:
            return scale.factor(turns ? Dimension::angle : Dimension::length);
        case Unit::contact_stiffness:
            return scale.factor(Dimension::linear_stiffness);
        case Unit::contact_damping:
            return scale.factor(Dimension::linear_damping);
        case Unit::volume_stiffness:
            return scale.factor(Dimension::volume_stiffness);
    }
    return 1;
}

// For messages. Numbers have the shortest text that reads back as the same double.
std::string to_text(const Value& value)
{
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    return fmt::format("({})", fmt::join(std::get<std::vector<double>>(value), ", "));
}

std::string_view to_string(Layer layer)
{
    switch (layer) {
        case Layer::authored:
            return "authored";
        case Layer::importer:
            return "importer";
        case Layer::schema:
            return "schema";
        case Layer::none:
            return "none";
    }
    return "";
}

std::vector<const Row*> Resolver::rows_of(Key key) const
{
    std::vector<const Row*> found;
    for (const Row& row : rows)
        if (row.key == key) found.push_back(&row);
    return found;
}

bool Resolver::owns(std::string_view attribute) const
{
    const auto within = [&](std::string_view space) {
        return attribute.size() > space.size() && attribute.starts_with(space) && attribute[space.size()] == ':';
    };
    // A name space owns what begins with it and a colon: `physx` does not own `physxScene:...`.
    if (within(name) || std::any_of(namespaces.begin(), namespaces.end(), within)) return true;
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
        return std::find(row.attributes.begin(), row.attributes.end(), attribute) != row.attributes.end();
    });
}

// Flags count as 0 and 1, since vendors spell switches both ways.
std::optional<double> Resolved::number() const
{
    if (!value) return std::nullopt;
    if (const auto* x = std::get_if<double>(&*value)) return *x;
    if (const auto* b = std::get_if<bool>(&*value)) return *b ? 1.0 : 0.0;
    return std::nullopt;
}

std::optional<bool> Resolved::flag() const
{
    if (!value) return std::nullopt;
    if (const auto* b = std::get_if<bool>(&*value)) return *b;
    if (const auto* x = std::get_if<double>(&*value)) return *x != 0;
    return std::nullopt;
}

std::optional<std::string> Resolved::text() const
{
    if (!value) return std::nullopt;
    if (const auto* s = std::get_if<std::string>(&*value)) return *s;
    return std::nullopt;
}

std::optional<std::vector<double>> Resolved::numbers() const
{
    if (!value) return std::nullopt;
    if (const auto* list = std::get_if<std::vector<double>>(&*value)) return *list;
    return std::nullopt;
}

bool ResolverList::has(std::string_view name) const
{
    return std::any_of(resolvers_.begin(), resolvers_.end(), [&](const Resolver& r) { return r.name == name; });
}

// Authored values: the resolvers in their order, the rows of each in theirs; the first usable answer wins.
Resolved ResolverList::get(const usd::Prim& prim, Key key, const Context& context,
                           const std::optional<Value>& importer_default, Diagnostics* found) const
{
    for (std::size_t r = 0; r < resolvers_.size(); ++r) {
        const Resolver& resolver = resolvers_[r];
        for (std::size_t i = 0; i < resolver.rows.size(); ++i) {
            const Row& row = resolver.rows[i];
            if (row.key != key || rests(r, i)) continue;
            if (auto answer = authored_by(resolver, row, prim, context)) {
                note_use(row, *answer, found);
                if (context.log != nullptr) note_answers(prim, key, context, &row, *answer);
                return std::move(*answer);
            }
        }
    }
    Resolved answer;
    if (context.log != nullptr) note_answers(prim, key, context, nullptr, answer);
    // Nothing is authored. The importer's default is in the units of the model already and is not scaled.
    if (importer_default) {
        answer.value = importer_default;
        answer.layer = Layer::importer;
        return answer;
    }
    // Last the fallbacks of the schemas, in the same order of resolvers and rows.
    for (const Resolver& resolver : resolvers_)
        for (const Row& row : resolver.rows) {
            if (row.key != key) continue;
            if (auto fallback = schema_default(resolver, row, prim, context)) return std::move(*fallback);
        }
    return answer;
}

/// Rows whose attributes no prim of the stage authors are skipped: most rows on most stages.
void ResolverList::rest_unauthored(const std::unordered_set<usd::Token>& authored)
{
    // Resting rows are kept by the place of resolver and row, so a list that changes later needs a new call.
    resting_.clear();
    for (const Resolver& resolver : resolvers_) {
        std::vector<bool>& rests = resting_.emplace_back();
        for (const Row& row : resolver.rows)
            rests.push_back(!row.attributes.empty() &&
                            std::none_of(row.attributes.begin(), row.attributes.end(),
                                         [&](const std::string& name) { return authored.contains(usd::Token(name)); }));
    }
}

// What became of each attribute of the key: of the winner's row, of rows that lost, of rows that declined.
void ResolverList::note_answers(const usd::Prim& prim, Key key, const Context& context, const Row* winner,
                                const Resolved& answer) const
{
    using physics::Use;
    for (std::size_t r = 0; r < resolvers_.size(); ++r) {
        const Resolver& resolver = resolvers_[r];
        for (std::size_t i = 0; i < resolver.rows.size(); ++i) {
            const Row& row = resolver.rows[i];
            if (row.key != key || rests(r, i)) continue;
            for (const std::string& name : row.attributes) {
                const auto raw = usable(prim, name);
                if (!raw) continue;
                if (&row == winner) {
                    // A value that equals what was authored was used as it stands; otherwise the log shows the number
                    // that came out.
                    const bool same = *raw == *answer.value;
                    context.log->note(prim, name, same ? Use::used : Use::converted,
                                      same ? std::string(to_string(key))
                                           : fmt::format("{} = {}", to_string(key), to_text(*answer.value)));
                } else if (winner != nullptr && name == answer.attribute) {
                    continue;  // another row of the same attribute
                } else if (authored_by(resolver, row, prim, context)) {
                    context.log->note(prim, name, Use::overridden,
                                      fmt::format("{} of resolver {} goes first", answer.attribute, answer.resolver));
                } else {
                    // The conversion refused the value.
                    context.log->note(
                        prim, name, Use::ignored,
                        fmt::format("{} is not a usable {}; it asks for the default", to_text(*raw), to_string(key)));
                }
            }
        }
    }
}

// For keys that two prims may answer, such as a material and its shape: marks the values of the prim that lost.
void ResolverList::note_lost(const usd::Prim& prim, Key key, const Context& context, const std::string& winner,
                             bool was_noted) const
{
    if (context.log == nullptr || !prim) return;
    for (const Resolver& resolver : resolvers_)
        for (const Row& row : resolver.rows) {
            if (row.key != key) continue;
            for (const std::string& name : row.attributes) {
                if (!usable(prim, name)) continue;
                const std::string said = winner + " goes first";
                if (was_noted)
                    context.log->correct(prim, name, physics::Use::overridden, said);
                else
                    context.log->note(prim, name, physics::Use::overridden, said);
            }
        }
}

// All answers in order of rank, for callers that combine them.
std::vector<Resolved> ResolverList::authored(const usd::Prim& prim, Key key, const Context& context) const
{
    std::vector<Resolved> answers;
    for (const Resolver& resolver : resolvers_)
        for (const Row& row : resolver.rows) {
            if (row.key != key) continue;
            if (auto answer = authored_by(resolver, row, prim, context)) answers.push_back(std::move(*answer));
        }
    return answers;
}

/// Everything that a prim authors in the name spaces of the resolvers, known or not: solvers and users read it as it
/// stands.
std::vector<Collected> ResolverList::collect(const usd::Prim& prim, Owners* known) const
{
    Owners own;
    if (known == nullptr) known = &own;
    std::vector<Collected> out(resolvers_.size());
    for (const usd::Token& name : prim.unordered_property_names()) {
        // Names repeat from prim to prim; who owns one is found out once.
        const auto [place, fresh] = known->try_emplace(name, resolvers_.size());
        if (fresh)
            for (std::size_t i = 0; i < resolvers_.size(); ++i) place->second[i] = resolvers_[i].owns(name.text());
        for (std::size_t i = 0; i < resolvers_.size(); ++i) {
            if (!place->second[i]) continue;
            const usd::Attribute attribute = prim.attribute(name);
            // Relationships share the name space; they are no attributes.
            if (!attribute || prim.relationship(name).authored()) continue;
            usd::Value value = attribute.authored_value();
            // A blocked attribute has no value and is not there for anybody.
            if (value.empty() && attribute.blocked()) continue;
            out[i].emplace(name.text(), std::move(value));
        }
    }
    return out;
}

}  // namespace mechane::resolve
