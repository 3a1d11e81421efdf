#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mechane::usd {

/// What a token can be the name of. Names that no path can hold end OpenUSD's composition.
enum class NameKind : std::uint8_t { none, property, prim };  // a prim's name is also a property's

/// What OpenUSD does with the tokens or paths of a field.
enum class FieldMeaning : std::uint8_t { any, arcs, targets, prim_names, property_names, expressions, path_expression };

/// Follows values of a crate into the file: every index into the tokens, strings and paths, every offset and every
/// count that the library would trust. It knows every type of value of the format and refuses what it does not know.
/// Values that were found good are remembered, with what they unpack to, so shared ones cost once.
class CrateValues {
  public:
    /// What indices may point to.
    struct Tables {
        std::vector<std::string_view> texts;         ///< of the tokens
        std::vector<NameKind>         tokens;        ///< what each token may name
        std::vector<std::uint32_t>    strings;       ///< the token that each string is
        std::vector<bool>             arc_paths;     ///< whether an arc may lead to a path: the pseudo-root and
                                                     ///< properties would end composition
        std::vector<bool>             target_paths;  ///< whether a path is one that a relationship may name
        std::size_t                   max_nesting = 4096;  ///< parentheses in a path expression
    };
    CrateValues(std::string_view bytes, int minor, const Tables& tables) : bytes_(bytes), minor_(minor), tables_(tables)
    {
    }

    /// The 64 bits of a value: flags for array, inlined, compressed and edit, the type, then an index, the bits
    /// themselves or an offset. `meaning`: what the field that holds it takes its tokens or paths for.
    /// @return an empty text, or what is wrong
    std::string check(std::uint64_t rep, FieldMeaning meaning);

    /// Bytes that the compressed arrays, each counted once, and the value of most entries unpack to.
    [[nodiscard]] std::uint64_t unpacked() const;

    /// Names and texts of the expression variables that were met.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }

    /// The tokens of a list of names that was found good.
    [[nodiscard]] std::vector<std::uint32_t> names(std::uint64_t rep) const;

  private:
    class Reader;
    std::string check(std::uint64_t rep, int depth);
    std::string check_inlined(unsigned type, std::uint64_t payload);
    std::string check_stored(std::uint64_t rep, unsigned type, int depth);
    std::string check_array(std::uint64_t rep);
    std::string check_packed(Reader& reader, unsigned type, std::uint64_t count, std::size_t each);
    std::string check_edit(std::uint64_t rep, int depth);
    std::string check_list(Reader& reader, unsigned type);
    std::string check_samples(Reader& reader, int depth);
    std::string check_times(std::uint64_t rep, std::uint64_t& count);
    std::string check_nested(Reader& reader, int depth);
    std::string check_dictionary(Reader& reader, int depth);
    std::string check_spline(Reader& reader, int depth);
    std::string check_list_op(Reader& reader, unsigned type, int depth);
    std::string check_item(Reader& reader, unsigned type, int depth);
    std::string check_expression(std::string_view text) const;
    [[nodiscard]] std::string_view string_at(std::uint64_t index) const;
    /// The text of a string, or of an array of them; else nothing.
    [[nodiscard]] std::string text_of(std::uint64_t rep) const;

    std::string_view                       bytes_;
    int                                    minor_;
    const Tables&                          tables_;
    FieldMeaning                           meaning_ = FieldMeaning::any;
    std::map<std::uint64_t, std::uint64_t> good_;      ///< what each value unpacks to [bytes]
    std::set<std::uint64_t>                open_;      ///< values that are being looked into
    std::uint64_t                          cost_ = 0;  ///< of the value that is being looked into [bytes]
    std::uint64_t                          unpacked_ = 0, largest_ = 0;
    std::vector<std::pair<std::string, std::string>> variables_;
};

/// Whether a field of this name may hold a value of these 64 bits. Only fields that the library's own tables are made
/// of are known here; all others may hold anything.
bool field_may_hold(std::string_view field, std::uint64_t rep);

}  // namespace mechane::usd
