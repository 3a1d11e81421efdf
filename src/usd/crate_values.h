#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mechane::usd {

/// What a token can be the name of. Names that no path can hold end OpenUSD's composition.
enum class NameKind : std::uint8_t { none, property, prim };  // a prim's name is also a property's

/// What OpenUSD does with the tokens or paths of a field.
enum class FieldMeaning : std::uint8_t { any, arcs, prim_names, property_names };

/// Follows values of a crate into the file: every index into the tokens, strings and paths,
/// every offset and every count that the library would trust. Values that were found good are remembered, so shared
/// ones cost once and cycles end.
class CrateValues {
  public:
    /// What indices may point to.
    struct Tables {
        std::size_t           strings = 0;
        std::vector<NameKind> tokens;  ///< what each token may name
        std::vector<bool>
            arc_paths;  ///< whether an arc may lead to a path: the pseudo-root and properties would end composition
    };
    CrateValues(std::string_view bytes, int minor, const Tables& tables) : bytes_(bytes), minor_(minor), tables_(tables)
    {
    }

    /// The 64 bits of a value: flags for array, inlined and compressed, the type, then an index, the bits themselves or
    /// an offset. `meaning`: what the field that holds it takes its tokens or paths for.
    /// @return an empty text, or what is wrong
    std::string check(std::uint64_t rep, FieldMeaning meaning)
    {
        meaning_ = meaning;
        return check(rep, 0);
    }

  private:
    class Reader;
    std::string check(std::uint64_t rep, int depth);
    std::string check_array(std::uint64_t rep);
    std::string check_samples(Reader& reader, int depth);
    std::string check_nested(Reader& reader, int depth);
    std::string check_dictionary(Reader& reader, int depth);
    std::string check_list_op(Reader& reader, unsigned type, int depth);
    std::string check_item(Reader& reader, unsigned type, int depth);

    std::string_view        bytes_;
    int                     minor_;
    const Tables&           tables_;
    FieldMeaning            meaning_ = FieldMeaning::any;
    std::set<std::uint64_t> good_;
};

}  // namespace mechane::usd
