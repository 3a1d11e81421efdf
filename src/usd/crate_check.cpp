#include "usd/crate_check.h"

#include <fmt/format.h>

#include <pxr/sdf/path.h>

#include <algorithm>
#include <map>

#include "usd/crate_codec.h"
#include "usd/crate_values.h"

namespace mechane::usd {
namespace {

constexpr std::size_t   kBootstrap = 88;   ///< magic, version, offset of the table of contents, reserved bytes
constexpr std::uint32_t kNoField   = ~0u;  ///< ends a field set

struct Crate {
    std::string_view                        bytes;
    int                                     minor = 0;  ///< of version 0.minor
    std::map<std::string, std::string_view> sections;
    std::size_t                             field_count = 0;
    CrateValues::Tables                     tables;
    std::vector<std::int32_t>               field_sets;
    std::vector<bool>                       path_known;  ///< paths that the tree of paths reaches
    std::vector<bool>         path_element;  ///< by token: can be an element of a path that is no property of a prim
    std::vector<FieldMeaning> meanings;      ///< by token: of the field with this name
};

/// A list of integers of a section: its compressed size, then the stream.
std::optional<std::vector<std::int32_t>> integers(CrateCursor& cursor, std::uint64_t count)
{
    const auto size   = cursor.read<std::uint64_t>();
    const auto stream = cursor.take(size);
    if (cursor.bad() || count > 0x7fffffffull) return std::nullopt;
    return decompress_integers(stream, static_cast<std::size_t>(count));
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
        if (!crate.sections.emplace(name, section).second) return fmt::format("section {} appears twice", name);
    }
    for (const char* needed : {"TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"})
        if (!crate.sections.contains(needed)) return fmt::format("section {} is missing", needed);
    return {};
}

std::string check_tokens(Crate& crate)
{
    CrateCursor cursor(crate.sections["TOKENS"]);
    const auto  count = cursor.read<std::uint64_t>(), size = cursor.read<std::uint64_t>(),
                compressed = cursor.read<std::uint64_t>();
    const auto  stream     = cursor.take(compressed);
    if (cursor.bad() || size / 256 > stream.size() || count > size) return "the tokens are longer than their section";
    if (count == 0) return {};
    auto text = decompress(stream, static_cast<std::size_t>(size));
    if (!text || text->size() != size) return "the tokens cannot be unpacked";
    if (text->back() != '\0' || static_cast<std::uint64_t>(std::count(text->begin(), text->end(), '\0')) < count)
        return "there are fewer tokens than the file says";
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string token = text->c_str() + at;
        at += token.size() + 1;
        const bool identifier = pxr::SdfPath::IsValidIdentifier(token);
        crate.tables.tokens.push_back(identifier                                         ? NameKind::prim
                                      : pxr::SdfPath::IsValidNamespacedIdentifier(token) ? NameKind::property
                                                                                         : NameKind::none);
        // Besides names of prims: variant selections, targets in brackets, attributes of relationships.
        crate.path_element.push_back(identifier || token.starts_with('{') || token.starts_with('[') ||
                                     token.starts_with('.'));
        crate.meanings.push_back(token == "inheritPaths" || token == "specializes" ? FieldMeaning::arcs
                                 : token == "primChildren"                         ? FieldMeaning::prim_names
                                 : token == "properties"                           ? FieldMeaning::property_names
                                                                                   : FieldMeaning::any);
    }
    return {};
}

std::string check_strings(Crate& crate)
{
    CrateCursor cursor(crate.sections["STRINGS"]);
    const auto  count = cursor.read<std::uint64_t>();
    if (cursor.bad() || count > cursor.left() / 4) return "there are fewer strings than the file says";
    for (std::uint64_t i = 0; i < count; ++i)
        if (cursor.read<std::uint32_t>() >= crate.tables.tokens.size()) return "a string is none of the tokens";
    crate.tables.strings = static_cast<std::size_t>(count);
    return {};
}

std::string check_fields(Crate& crate)
{
    CrateCursor cursor(crate.sections["FIELDS"]);
    const auto  count = cursor.read<std::uint64_t>();
    const auto  names = integers(cursor, count);
    if (!names || !all_below(*names, crate.tables.tokens.size())) return "a field's name is none of the tokens";
    const auto size   = cursor.read<std::uint64_t>();
    const auto stream = cursor.take(size);
    if (cursor.bad()) return "the fields are longer than their section";
    crate.field_count = static_cast<std::size_t>(count);
    if (count == 0) return {};
    const auto reps = decompress(stream, crate.field_count * 8);
    if (!reps || reps->size() != crate.field_count * 8) return "the fields cannot be unpacked";
    CrateCursor values(*reps);
    CrateValues checked(crate.bytes, crate.minor, crate.tables);
    for (std::size_t i = 0; i < crate.field_count; ++i)
        if (std::string what =
                checked.check(values.read<std::uint64_t>(), crate.meanings[static_cast<std::size_t>((*names)[i])]);
            !what.empty())
            return what;
    return {};
}

std::string check_field_sets(Crate& crate)
{
    CrateCursor cursor(crate.sections["FIELDSETS"]);
    const auto  count = cursor.read<std::uint64_t>();
    auto        sets  = integers(cursor, count);
    if (!sets) return "the sets of fields cannot be unpacked";
    for (const std::int32_t field : *sets)
        if (static_cast<std::uint32_t>(field) != kNoField && static_cast<std::uint32_t>(field) >= crate.field_count)
            return "a set names a field that is not there";
    if (!sets->empty() && static_cast<std::uint32_t>(sets->back()) != kNoField)
        return "the last set of fields has no end";
    crate.field_sets = std::move(*sets);
    return {};
}

/// The tree of paths, encoded depth-first: per entry its index, the name's token (negative: a property), and how far
/// the next sibling is (0: next, no child; -1: only a child; -2: neither; more: both). Every entry must be reached
/// once, and every index given once.
std::string check_paths(Crate& crate)
{
    CrateCursor cursor(crate.sections["PATHS"]);
    const auto  paths = cursor.read<std::uint64_t>(), encoded = cursor.read<std::uint64_t>();
    if (cursor.bad() || paths > 0x7fffffffull || encoded > paths) return "the paths are more than their section says";
    const auto indices = integers(cursor, encoded), names = integers(cursor, encoded),
               jumps = integers(cursor, encoded);
    if (!indices || !names || !jumps) return "the paths cannot be unpacked";
    if (paths / 1024 > crate.bytes.size()) return "the paths are more than the file can hold";
    if (!all_below(*indices, static_cast<std::size_t>(paths))) return "a path's index is too large";
    crate.path_known.assign(static_cast<std::size_t>(paths), false);
    crate.tables.arc_paths.assign(static_cast<std::size_t>(paths), true);
    const std::size_t count = indices->size();
    std::vector<bool> reached(count, false);
    struct Sibling {
        std::size_t at;
        bool        in_property;
    };
    std::vector<Sibling> siblings;
    if (count > 0) siblings.push_back({0, false});
    while (!siblings.empty()) {
        auto [at, in_property] = siblings.back();
        siblings.pop_back();
        for (;;) {
            if (at >= count || reached[at]) return "the tree of paths runs into itself";
            reached[at]      = true;
            const auto index = static_cast<std::size_t>((*indices)[at]);
            if (crate.path_known[index]) return "two paths have one index";
            crate.path_known[index] = true;
            const auto name         = (*names)[at];
            if (at != 0) {
                const auto token = static_cast<std::size_t>(name < 0 ? -static_cast<std::int64_t>(name) : name);
                if (token >= crate.tables.tokens.size()) return "a path's name is none of the tokens";
                if (name < 0 ? crate.tables.tokens[token] == NameKind::none : !crate.path_element[token])
                    return "a path has a name that is not valid";
            }
            const auto jump               = (*jumps)[at];
            const bool property           = in_property || name < 0;
            crate.tables.arc_paths[index] = at != 0 && !property;
            if (jump > 0) siblings.push_back({at + static_cast<std::size_t>(jump), in_property});
            if (jump < -1) break;  // a leaf
            in_property = jump == 0 ? in_property : property;
            ++at;
        }
    }
    return {};
}

std::string check_specs(Crate& crate)
{
    CrateCursor cursor(crate.sections["SPECS"]);
    const auto  count = cursor.read<std::uint64_t>();
    const auto  paths = integers(cursor, count), sets = integers(cursor, count), types = integers(cursor, count);
    if (!paths || !sets || !types) return "the specs cannot be unpacked";
    for (std::size_t i = 0; i < paths->size(); ++i) {
        const auto path = static_cast<std::uint32_t>((*paths)[i]), set = static_cast<std::uint32_t>((*sets)[i]);
        if (path >= crate.path_known.size() || !crate.path_known[path]) return "a spec has a path that is not there";
        const bool starts = set < crate.field_sets.size() &&
                            (set == 0 || static_cast<std::uint32_t>(crate.field_sets[set - 1]) == kNoField);
        if (!starts) return "a spec has fields that are not there";
        if ((*types)[i] < 1 || (*types)[i] > 11) return "a spec is of an unknown kind";
    }
    return {};
}

/// Crates before 0.4 hold their tables plainly, and the library takes the indices in them on trust. What the values and
/// the tree of paths hold is not looked at.
std::string check_plain(Crate& crate)
{
    CrateCursor tokens(crate.sections["TOKENS"]);
    const auto  token_count = tokens.read<std::uint64_t>(), size = tokens.read<std::uint64_t>();
    const auto  text = tokens.take(size);
    if (tokens.bad() || static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\0')) < token_count)
        return "there are fewer tokens than the file says";
    CrateCursor strings(crate.sections["STRINGS"]);
    const auto  string_count = strings.read<std::uint64_t>();
    if (strings.bad() || string_count > strings.left() / 4) return "there are fewer strings than the file says";
    for (std::uint64_t i = 0; i < string_count; ++i)
        if (strings.read<std::uint32_t>() >= token_count) return "a string is none of the tokens";
    CrateCursor fields(crate.sections["FIELDS"]);
    crate.field_count = static_cast<std::size_t>(fields.read<std::uint64_t>());
    if (fields.bad() || crate.field_count > fields.left() / 16) return "there are fewer fields than the file says";
    for (std::size_t i = 0; i < crate.field_count; ++i) {
        (void)fields.read<std::uint32_t>();  // padding
        if (fields.read<std::uint32_t>() >= token_count) return "a field's name is none of the tokens";
        (void)fields.read<std::uint64_t>();
    }
    CrateCursor sets(crate.sections["FIELDSETS"]);
    const auto  set_entries = sets.read<std::uint64_t>();
    if (sets.bad() || set_entries > sets.left() / 4) return "there are fewer sets of fields than the file says";
    std::vector<std::uint32_t> field_sets;
    for (std::uint64_t i = 0; i < set_entries; ++i) {
        field_sets.push_back(sets.read<std::uint32_t>());
        if (field_sets.back() != kNoField && field_sets.back() >= crate.field_count)
            return "a set names a field that is not there";
    }
    if (!field_sets.empty() && field_sets.back() != kNoField) return "the last set of fields has no end";
    CrateCursor paths(crate.sections["PATHS"]);
    const auto  path_count = paths.read<std::uint64_t>();
    CrateCursor specs(crate.sections["SPECS"]);
    const auto  spec_count = specs.read<std::uint64_t>();
    const bool  padded     = crate.minor == 0;
    if (specs.bad() || spec_count > specs.left() / (padded ? 16 : 12))
        return "there are fewer specs than the file says";
    for (std::uint64_t i = 0; i < spec_count; ++i) {
        if (padded) (void)specs.read<std::uint32_t>();
        if (specs.read<std::uint32_t>() >= path_count) return "a spec has a path that is not there";
        const auto set = specs.read<std::uint32_t>(), type = specs.read<std::uint32_t>();
        if (set >= field_sets.size() || (set != 0 && field_sets[set - 1] != kNoField))
            return "a spec has fields that are not there";
        if (type < 1 || type > 11) return "a spec is of an unknown kind";
    }
    return {};
}

}  // namespace

std::string check_crate(std::string_view bytes)
{
    Crate crate{.bytes = bytes};
    if (std::string what = read_contents(crate); !what.empty()) return what;
    if (crate.minor < kFirstCheckedMinor) return check_plain(crate);
    for (const auto check : {check_tokens, check_strings, check_paths, check_fields, check_field_sets, check_specs})
        if (std::string what = check(crate); !what.empty()) return what;
    return {};
}

}  // namespace mechane::usd
