#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mechane::usd {

/// Lines and columns of the prims and properties of usda text. Of text that is not well formed it knows the entries up
/// to the fault, or wrong ones, never worse.
class TextIndex {
  public:
    struct Place {
        int line = 0, column = 0;  ///< 1-based; 0 when unknown
    };

    TextIndex() = default;
    /// One pass over the text.
    explicit TextIndex(std::string_view text);

    /// Where "/a/b" or "/a{set=name}b.prop" begins.
    [[nodiscard]] Place find(std::string_view path) const;
    /// Path, variants left out, of the last prim that begins on this line or before it; empty when none does.
    [[nodiscard]] std::string prim_at(int line) const;

  private:
    friend class TextScanner;
    struct Entry {
        std::uint64_t path;  ///< hash; among a hundred thousand two are equal in one layer of three billion
        Place         place;
    };
    struct Prim {
        std::string  name;
        std::int32_t parent;  ///< -1 at the top
        Place        place;
    };
    std::vector<Entry> entries_;  ///< by hash, of equal ones in the order of the text
    std::vector<Prim>  prims_;    ///< in the order of the text
};

}  // namespace mechane::usd
