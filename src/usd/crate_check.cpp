// Checks a crate (.usdc) in full before OpenUSD reads it: damaged offsets, counts or indices must not reach code that
// trusts them.
// It follows the format as OpenUSD writes it, versions 0.0 to 0.13, and reads nothing outside the bytes given. The
// answer is empty or the first fault in words.
// Layout: a bootstrap of 88 bytes, then sections that a table of contents at the end names (TOKENS, STRINGS, FIELDS,
// FIELDSETS, PATHS, SPECS), then values where the fields point to.
// The guard of layers calls it for every crate that is opened.

#include "usd/crate_check.h"

#include <fmt/format.h>

#include <pxr/sdf/path.h>

#include <algorithm>
#include <map>

#include "usd/crate_codec.h"
#include "usd/crate_specs.h"
#include "usd/crate_values.h"

namespace mechane::usd {
namespace {

constexpr std::size_t   kBootstrap = 88;   ///< magic, version, offset of the table of contents, reserved bytes
constexpr std::uint32_t kNoField   = ~0u;  ///< ends a field set

/// The names and the values of fields, side by side.
struct Fields {
    std::vector<std::int32_t>  names;
    std::vector<std::uint64_t> values;
};

struct Crate {
    std::string_view                        bytes;
    int                                     minor = 0;                           ///< of version 0.minor
    [[nodiscard]] bool                      plain() const { return minor < 4; }  ///< its tables are not compressed
    std::map<std::string, std::string_view> sections;
    std::string                             text;  ///< of the tokens
    CrateValues::Tables                     tables;
    std::vector<CratePath>                  paths;
    Fields                                  fields;
    std::vector<std::int32_t>               field_sets;
    std::vector<bool> path_element;  ///< by token: can be an element of a path that is no property of a prim
    std::vector<FieldMeaning>                        meanings;  ///< by token: of the field with this name
    std::uint64_t                                    unpacked = 0;
    std::vector<std::pair<std::string, std::string>> variables;

    /// A table with so many entries is longer than what such a file holds: sixteen of each byte are generous, even
    /// where packing shrinks what repeats.
    [[nodiscard]] bool too_many(std::uint64_t count) const
    { return count > 0x7fffffffull || count / 16 > bytes.size() + 4096; }
};

/// A list of integers of a section: its compressed size, then the stream.
std::optional<std::vector<std::int32_t>> integers(CrateCursor& cursor, std::uint64_t count)
{
    const auto size   = cursor.read<std::uint64_t>();
    const auto stream = cursor.take(size);
    if (cursor.bad() || count > 0x7fffffffull) return std::nullopt;
    return decompress_integers(stream, static_cast<std::size_t>(count));
}

std::optional<std::vector<std::int32_t>> plain_integers(CrateCursor& cursor, std::uint64_t count)
{
    if (count > cursor.left() / 4) return std::nullopt;
    std::vector<std::int32_t> out;
    for (std::uint64_t i = 0; i < count; ++i) out.push_back(cursor.read<std::int32_t>());
    return out;
}

bool all_below(const std::vector<std::int32_t>& values, std::size_t end)
{
    return std::all_of(values.begin(), values.end(),
                       [&](std::int32_t v) { return v >= 0 && static_cast<std::size_t>(v) < end; });
}

std::string read_contents(Crate& crate)
{
    const std::string_view bytes = crate.bytes;
    if (bytes.size() < kBootstrap + 8) return "the crate is too short";
    if (!bytes.starts_with("PXR-USDC")) return "the file does not begin as a crate";
    if (bytes[8] != 0) return "the crate is of an unknown version";
    crate.minor          = static_cast<unsigned char>(bytes[9]);
    const auto file_size = static_cast<std::int64_t>(bytes.size());
    const auto start     = CrateCursor(bytes.substr(16)).read<std::int64_t>();
    if (start < static_cast<std::int64_t>(kBootstrap) || start > file_size - 8)
        return "the table of contents lies outside the file";
    CrateCursor table(bytes.substr(static_cast<std::size_t>(start)));
    const auto  count = table.read<std::uint64_t>();
    if (count > 32 || count * 32 > table.left()) return "the table of contents is longer than the file";
    for (std::uint64_t i = 0; i < count; ++i) {
        std::string name(table.take(16));
        name             = name.c_str();  // NUL-padded
        const auto first = table.read<std::int64_t>(), size = table.read<std::int64_t>();
        if (first < static_cast<std::int64_t>(kBootstrap) || size < 0 || first > file_size || size > file_size - first)
            return fmt::format("section {} lies outside the file", name);
        const auto section = bytes.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
        // Sections that overlap would let one table pass as another.
        for (const auto& [other, bytes_of] : crate.sections)
            if (section.data() < bytes_of.data() + bytes_of.size() && bytes_of.data() < section.data() + section.size())
                return fmt::format("sections {} and {} overlap", other, name);
        if (!crate.sections.emplace(name, section).second) return fmt::format("section {} appears twice", name);
    }
    for (const char* needed : {"TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"})
        if (!crate.sections.contains(needed)) return fmt::format("section {} is missing", needed);
    return {};
}

/// The text of all tokens, each with a zero behind it.
struct TokenText {
    std::uint64_t count = 0;
    std::string   text;
    std::string   wrong;
};

TokenText unpack_tokens(const Crate& crate)
{
    CrateCursor                cursor(crate.sections.at("TOKENS"));
    const auto                 count = cursor.read<std::uint64_t>(), size = cursor.read<std::uint64_t>();
    std::optional<std::string> text;
    if (crate.plain()) {
        text = std::string(cursor.take(size));
        if (cursor.bad() || count > size) return {.wrong = "the tokens are longer than their section"};
    } else {
        const auto compressed = cursor.read<std::uint64_t>();
        const auto stream     = cursor.take(compressed);
        // LZ4 expands by 255 at the most, so a larger size is a lie; this is known before memory is taken.
        if (cursor.bad() || size / 256 > stream.size() || count > size)
            return {.wrong = "the tokens are longer than their section"};
        text = count == 0 ? std::string() : decompress(stream, static_cast<std::size_t>(size));
    }
    if (count == 0) return {};
    if (!text || text->size() != size) return {.wrong = "the tokens cannot be unpacked"};
    if (text->back() != '\0' || static_cast<std::uint64_t>(std::count(text->begin(), text->end(), '\0')) < count)
        return {.wrong = "there are fewer tokens than the file says"};
    return {.count = count, .text = std::move(*text)};
}

/// Fields whose values must be names or paths of a certain kind: the library asserts that they are.
FieldMeaning meaning_of(std::string_view field)
{
    if (field == "inheritPaths" || field == "specializes") return FieldMeaning::arcs;
    if (field == "targetPaths" || field == "connectionPaths") return FieldMeaning::targets;
    if (field == "primChildren") return FieldMeaning::prim_names;
    if (field == "properties") return FieldMeaning::property_names;
    return field == "expressionVariables" ? FieldMeaning::expressions : FieldMeaning::any;
}

std::string check_tokens(Crate& crate)
{
    TokenText tokens = unpack_tokens(crate);
    if (!tokens.wrong.empty()) return tokens.wrong;
    crate.text     = std::move(tokens.text);
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < tokens.count; ++i) {
        const std::string token = crate.text.c_str() + at;
        crate.tables.texts.push_back(std::string_view(crate.text).substr(at, token.size()));
        at += token.size() + 1;
        const bool identifier = pxr::SdfPath::IsValidIdentifier(token);
        crate.tables.tokens.push_back(identifier                                         ? NameKind::prim
                                      : pxr::SdfPath::IsValidNamespacedIdentifier(token) ? NameKind::property
                                                                                         : NameKind::none);
        // Besides names of prims: variant selections, targets in brackets, attributes of relationships.
        crate.path_element.push_back(identifier || token.starts_with('{') || token.starts_with('[') ||
                                     token.starts_with('.'));
        crate.meanings.push_back(meaning_of(token));
    }
    return {};
}

std::string check_strings(Crate& crate)
{
    CrateCursor cursor(crate.sections["STRINGS"]);
    const auto  count = cursor.read<std::uint64_t>();
    if (cursor.bad() || count > cursor.left() / 4) return "there are fewer strings than the file says";
    for (std::uint64_t i = 0; i < count; ++i) {
        crate.tables.strings.push_back(cursor.read<std::uint32_t>());
        if (crate.tables.strings.back() >= crate.tables.tokens.size()) return "a string is none of the tokens";
    }
    return {};
}

std::optional<Fields> read_fields(const Crate& crate, CrateCursor& cursor, std::uint64_t count)
{
    Fields out;
    if (crate.plain()) {
        if (count > cursor.left() / 16) return std::nullopt;
        for (std::uint64_t i = 0; i < count; ++i) {
            (void)cursor.read<std::uint32_t>();  // padding
            out.names.push_back(cursor.read<std::int32_t>());
            out.values.push_back(cursor.read<std::uint64_t>());
        }
        return out;
    }
    auto       names  = integers(cursor, count);
    const auto size   = cursor.read<std::uint64_t>();
    const auto stream = cursor.take(size);
    if (!names || cursor.bad()) return std::nullopt;
    out.names = std::move(*names);
    if (count == 0) return out;
    const auto reps = decompress(stream, static_cast<std::size_t>(count) * 8);
    if (!reps || reps->size() != count * 8) return std::nullopt;
    CrateCursor values(*reps);
    for (std::uint64_t i = 0; i < count; ++i) out.values.push_back(values.read<std::uint64_t>());
    return out;
}

std::string check_fields(Crate& crate)
{
    CrateCursor cursor(crate.sections["FIELDS"]);
    const auto  count = cursor.read<std::uint64_t>();
    if (crate.too_many(count)) return "the fields are more than the file can hold";
    auto fields = read_fields(crate, cursor, count);
    if (!fields) return "the fields cannot be unpacked";
    if (!all_below(fields->names, crate.tables.tokens.size())) return "a field's name is none of the tokens";
    CrateValues checked(crate.bytes, crate.minor, crate.tables);
    for (std::size_t i = 0; i < fields->names.size(); ++i) {
        const auto name = static_cast<std::size_t>(fields->names[i]);
        if (!field_may_hold(crate.tables.texts[name], fields->values[i]))
            return fmt::format("the field {} holds a value of another type", crate.tables.texts[name]);
        if (std::string what = checked.check(fields->values[i], crate.meanings[name]); !what.empty()) return what;
    }
    crate.fields    = std::move(*fields);
    // How much the values need once they are unpacked; the guard compares it with the size of the file.
    crate.unpacked  = checked.unpacked();
    crate.variables = checked.variables();
    return {};
}

std::string check_field_sets(Crate& crate)
{
    CrateCursor cursor(crate.sections["FIELDSETS"]);
    const auto  count = cursor.read<std::uint64_t>();
    if (crate.too_many(count)) return "the sets of fields are more than the file can hold";
    auto sets = crate.plain() ? plain_integers(cursor, count) : integers(cursor, count);
    if (!sets) return "the sets of fields cannot be unpacked";
    for (const std::int32_t field : *sets)
        if (static_cast<std::uint32_t>(field) != kNoField && static_cast<std::uint32_t>(field) >= crate.fields.names.size())
            return "a set names a field that is not there";
    // Without an end mark the library would read on beyond the list.
    if (!sets->empty() && static_cast<std::uint32_t>(sets->back()) != kNoField)
        return "the last set of fields has no end";
    crate.field_sets = std::move(*sets);
    return {};
}

/// One entry of the tree of paths: its index must be given once, its name be one. The first entry is the root.
std::string check_path(Crate& crate, std::uint64_t index, const CratePath& path, bool in_property)
{
    CratePath& place = crate.paths[index];
    if (place.known) return "two paths have one index";
    const bool first = path.parent == CratePath::kNone;
    if (!first) {
        if (path.name >= crate.tables.tokens.size()) return "a path's name is none of the tokens";
        if (path.names_property ? crate.tables.tokens[path.name] == NameKind::none : !crate.path_element[path.name])
            return "a path has a name that is not valid";
    }
    place                             = path;
    place.known                       = true;
    // Arcs lead to prims, never into properties; targets may be any path.
    crate.tables.arc_paths[index]     = !first && !in_property;
    crate.tables.target_paths[index]  = true;
    return {};
}

/// Room for the paths that the crate says it has.
std::string make_paths(Crate& crate, std::uint64_t count)
{
    if (crate.too_many(count)) return "the paths are more than the file can hold";
    crate.paths.assign(static_cast<std::size_t>(count), {});
    crate.tables.arc_paths.assign(static_cast<std::size_t>(count), true);
    crate.tables.target_paths.assign(static_cast<std::size_t>(count), false);
    return {};
}

/// The tree of paths, encoded depth-first: per entry its index, the name's token (negative: a property), and how far
/// the next sibling is (0: next, no child; -1: only a child; -2: neither; more: both). Every entry must be reached
/// once, and every index given once.
std::string check_paths(Crate& crate)
{
    CrateCursor cursor(crate.sections["PATHS"]);
    const auto  paths = cursor.read<std::uint64_t>(), encoded = cursor.read<std::uint64_t>();
    if (cursor.bad() || encoded > paths) return "the paths are more than their section says";
    if (std::string what = make_paths(crate, paths); !what.empty()) return what;
    const auto indices = integers(cursor, encoded), names = integers(cursor, encoded),
               jumps = integers(cursor, encoded);
    if (!indices || !names || !jumps) return "the paths cannot be unpacked";
    if (!all_below(*indices, static_cast<std::size_t>(paths))) return "a path's index is too large";
    const std::size_t count = indices->size();
    std::vector<bool> reached(count, false);
    struct Sibling {
        std::size_t   at;
        std::uint32_t parent;
        bool          in_property;
    };
    std::vector<Sibling> siblings;
    if (count > 0) siblings.push_back({0, CratePath::kNone, false});
    // Iterative: the depth of the tree is up to the file.
    while (!siblings.empty()) {
        auto [at, parent, in_property] = siblings.back();
        siblings.pop_back();
        for (;;) {
            if (at >= count || reached[at]) return "the tree of paths runs into itself";
            reached[at]         = true;
            const auto name     = static_cast<std::int64_t>((*names)[at]);
            const auto index    = static_cast<std::uint32_t>((*indices)[at]);
            const auto jump     = (*jumps)[at];
            const bool property = in_property || name < 0;
            if (std::string what = check_path(
                    crate, index,
                    {.parent = parent, .name = static_cast<std::uint32_t>(name < 0 ? -name : name), .names_property = name < 0},
                    property);
                !what.empty())
                return what;
            // A sibling of the root, or a step backwards, would make a circle.
            if (jump < -2 || (at == 0 && jump >= 0)) return "the tree of paths runs into itself";
            if (jump > 0) siblings.push_back({at + static_cast<std::size_t>(jump), parent, in_property});
            if (jump < -1) break;  // a leaf
            if (jump != 0) parent = index, in_property = property;
            ++at;
        }
    }
    return {};
}

/// The tree of paths before 0.4, depth-first as well: entries of index, name and flags. What follows an entry is its
/// child, else its sibling; of an entry that has both the sibling lies where a number behind the entry says.
std::string check_plain_paths(Crate& crate)
{
    const std::string_view section = crate.sections["PATHS"];
    const bool             padded  = crate.minor == 0;
    const std::size_t      size    = padded ? 16 : 12;
    const auto             paths   = CrateCursor(section).read<std::uint64_t>();
    if (section.size() < 8 || paths > (section.size() - 8) / size) return "the paths are more than their section says";
    if (std::string what = make_paths(crate, paths); !what.empty()) return what;
    constexpr std::uint8_t kChild = 1, kSibling = 2, kProperty = 4;
    struct Branch {
        std::size_t   at;
        std::uint32_t parent;
        bool          in_property;
    };
    std::vector<Branch> branches;
    if (paths > 0)
        branches.push_back(
            {static_cast<std::size_t>(section.data() - crate.bytes.data()) + 8, CratePath::kNone, false});
    while (!branches.empty()) {
        auto [at, parent, in_property] = branches.back();
        branches.pop_back();
        for (bool more = true; more;) {
            CrateCursor entry(crate.bytes.substr(at));
            if (padded) (void)entry.read<std::uint32_t>();
            const auto index = entry.read<std::uint32_t>(), name = entry.read<std::uint32_t>();
            const auto flags = entry.read<std::uint8_t>();
            if (entry.bad() || entry.left() < 3) return "the tree of paths reaches past the end of the file";
            if (index >= paths) return "a path's index is too large";
            const bool property = in_property || (flags & kProperty) != 0;
            const bool first    = parent == CratePath::kNone;
            if (std::string what = check_path(
                    crate, index, {.parent = parent, .name = name, .names_property = (flags & kProperty) != 0}, property);
                !what.empty())
                return what;
            if (first && (flags & kSibling) != 0) return "the tree of paths runs into itself";
            at += size;
            if ((flags & kChild) != 0 && (flags & kSibling) != 0) {
                const auto sibling = CrateCursor(crate.bytes.substr(at)).read<std::uint64_t>();
                if (crate.bytes.size() - at < 8 || sibling > crate.bytes.size())
                    return "the tree of paths reaches past the end of the file";
                branches.push_back({static_cast<std::size_t>(sibling), parent, in_property});
                at += 8;
            }
            if ((flags & kChild) != 0) parent = index, in_property = property;
            more = (flags & (kChild | kSibling)) != 0;
        }
    }
    return {};
}

/// Specs as three lists, whichever way the crate has them.
std::optional<CrateSpecs> read_specs(const Crate& crate, CrateCursor& cursor, std::uint64_t count)
{
    CrateSpecs out;
    if (crate.plain()) {
        const bool padded = crate.minor == 0;
        if (count > cursor.left() / (padded ? 16 : 12)) return std::nullopt;
        for (std::uint64_t i = 0; i < count; ++i) {
            if (padded) (void)cursor.read<std::uint32_t>();
            for (auto* list : {&out.paths, &out.sets, &out.types}) list->push_back(cursor.read<std::int32_t>());
        }
        return out;
    }
    for (auto* list : {&out.paths, &out.sets, &out.types}) {
        auto read = integers(cursor, count);
        if (!read) return std::nullopt;
        *list = std::move(*read);
    }
    return out;
}

std::string check_specs(Crate& crate)
{
    CrateCursor cursor(crate.sections["SPECS"]);
    const auto  count = cursor.read<std::uint64_t>();
    if (crate.too_many(count)) return "the specs are more than the file can hold";
    const auto specs = read_specs(crate, cursor, count);
    if (!specs) return "the specs cannot be unpacked";
    for (std::size_t i = 0; i < specs->paths.size(); ++i) {
        const auto path = static_cast<std::uint32_t>(specs->paths[i]), set = static_cast<std::uint32_t>(specs->sets[i]);
        if (path >= crate.paths.size() || !crate.paths[path].known) return "a spec has a path that is not there";
        const bool starts = set < crate.field_sets.size() &&
                            (set == 0 || static_cast<std::uint32_t>(crate.field_sets[set - 1]) == kNoField);
        if (!starts) return "a spec has fields that are not there";
    }
    const CrateValues names(crate.bytes, crate.minor, crate.tables);
    return check_spec_tree({.specs      = *specs,
                            .paths      = crate.paths,
                            .texts      = crate.tables.texts,
                            .names      = crate.fields.names,
                            .values     = crate.fields.values,
                            .field_sets = crate.field_sets,
                            .lists      = names});
}

}  // namespace

CrateVerdict check_crate(std::string_view bytes, std::size_t max_nesting)
{
    Crate crate{.bytes = bytes};
    crate.tables.max_nesting = max_nesting;
    if (std::string what = read_contents(crate); !what.empty()) return {.wrong = std::move(what)};
    const auto paths = crate.plain() ? check_plain_paths : check_paths;
    for (const auto check : {check_tokens, check_strings, paths, check_fields, check_field_sets, check_specs})
        if (std::string what = check(crate); !what.empty()) return {.wrong = std::move(what)};
    return {.wrong = {}, .unpacked = crate.unpacked, .variables = std::move(crate.variables)};
}

bool crate_has_token(std::string_view bytes, std::string_view token)
{
    Crate crate{.bytes = bytes};
    if (!read_contents(crate).empty()) return false;
    const std::string text = unpack_tokens(crate).text;
    for (std::size_t at = text.find(token); at != std::string::npos; at = text.find(token, at + 1))
        if ((at == 0 || text[at - 1] == '\0') && text.c_str() + at == token) return true;
    return false;
}

}  // namespace mechane::usd
