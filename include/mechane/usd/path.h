#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mechane::usd {

/// An interned name. Eight bytes, compared by identity; `a < b` is the order of texts. Holds OpenUSD's token out of
/// sight.
/// Making one from text costs a look into a table that all threads share; copying counts a reference.
class Token {
  public:
    Token() noexcept;
    /// The empty text is the empty token, as the default.
    Token(std::string_view text);  // NOLINT: implicit on purpose, names are written as literals
    Token(const char* text) : Token(std::string_view(text)) {}
    Token(const std::string& text) : Token(std::string_view(text)) {}
    Token(const Token& other) noexcept;
    Token(Token&& other) noexcept;
    Token& operator=(const Token& other) noexcept;
    Token& operator=(Token&& other) noexcept;
    ~Token();

    /// Holds as long as some token of this text does.
    [[nodiscard]] const std::string& text() const noexcept;
    [[nodiscard]] bool               empty() const noexcept;
    /// Costs a comparison of pointers; the order compares texts, so that sorted lists are the same in every run.
    bool                      operator==(const Token& other) const noexcept;
    std::strong_ordering      operator<=>(const Token& other) const noexcept;
    [[nodiscard]] std::size_t hash() const noexcept;

    struct Access;  ///< src/usd only
  private:
    friend struct Access;
    alignas(8) std::byte storage_[8];
};

/// A path of a prim or property on a composed stage. Eight bytes, compared by identity. Paths order like OpenUSD's:
/// by element, parents before children.
class Path {
  public:
    Path() noexcept;  ///< the empty path
    /// "/robot/arm", "/robot/arm.physics:mass", "/robot{size=big}arm"; nothing is looked up on a stage.
    explicit Path(std::string_view text);  ///< empty when the text is no valid path
    Path(const Path& other) noexcept;
    Path(Path&& other) noexcept;
    Path& operator=(const Path& other) noexcept;
    Path& operator=(Path&& other) noexcept;
    ~Path();

    /// The pseudo-root, which holds the stage's own metadata.
    static Path root();  ///< "/"

    [[nodiscard]] bool empty() const noexcept;
    /// As OpenUSD writes it; made anew at each call.
    [[nodiscard]] std::string text() const;
    /// Of an attribute or a relationship: "/prim.name".
    [[nodiscard]] bool is_property() const noexcept;
    /// Of "/" alone.
    [[nodiscard]] bool  is_root() const noexcept;
    [[nodiscard]] Token name() const;    ///< last element
    [[nodiscard]] Path  parent() const;  ///< of a property: its prim
    [[nodiscard]] Path  prim() const;    ///< the prim part of a property path
    /// Nothing is looked up: whether there is such a prim, the stage says. A name that is no identifier gives the empty
    /// path.
    [[nodiscard]] Path child(const Token& name) const;
    /// Names may have namespaces: "physics:mass".
    [[nodiscard]] Path property(const Token& name) const;
    [[nodiscard]] bool has_prefix(const Path& prefix) const noexcept;  ///< true for the path itself
    /// The path itself where it does not begin with `from`.
    [[nodiscard]] Path with_prefix_replaced(const Path& from, const Path& to) const;

    bool                 operator==(const Path& other) const noexcept;
    std::strong_ordering operator<=>(const Path& other) const noexcept;
    /// Differs from run to run: nothing that is printed may depend on it.
    [[nodiscard]] std::size_t hash() const noexcept;

    struct Access;  ///< src/usd only
  private:
    friend struct Access;
    alignas(8) std::byte storage_[8];
};

}  // namespace mechane::usd

template <>
struct std::hash<mechane::usd::Token> {
    std::size_t operator()(const mechane::usd::Token& t) const noexcept { return t.hash(); }
};
template <>
struct std::hash<mechane::usd::Path> {
    std::size_t operator()(const mechane::usd::Path& p) const noexcept { return p.hash(); }
};
