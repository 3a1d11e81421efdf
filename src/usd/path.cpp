// Token and Path: OpenUSD's interned strings and paths behind types of this project, in the same eight bytes.
// Nothing that is public names a type of OpenUSD, so that users of the library compile without its headers.

#include "mechane/usd/path.h"

#include <algorithm>
#include <new>
#include <utility>

#include "usd/handles.h"

namespace mechane::usd {

using pxr::SdfPath;
using pxr::TfToken;

static_assert(sizeof(TfToken) == 8 && sizeof(SdfPath) == 8, "Token and Path hold OpenUSD's handles in eight bytes");

namespace {
/// Letters, digits and underscores in parts that colons divide, as most names are; OpenUSD's own check decodes UTF-8.
bool is_plain_name(const std::string& name)
{
    bool start = true;
    for (const char c : name) {
        const bool digit = c >= '0' && c <= '9';
        if (c == ':' ? start : !(digit && !start) && c != '_' && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'))
            return false;
        start = c == ':';
    }
    return !start;
}

/// "/a/b/c" or "/a/b.c:d" of plain names, built from its names: OpenUSD's parser takes five times as long. Empty for
/// any other text.
SdfPath plain_path(std::string_view text)
{
    SdfPath path = SdfPath::AbsoluteRootPath();
    while (text.starts_with('/')) {
        const std::size_t end = std::min(text.find_first_of("/.", 1), text.size());
        const std::string name(text.substr(1, end - 1));
        if (!is_plain_name(name) || name.find(':') != std::string::npos) return {};
        path = path.AppendChild(TfToken(name));
        text.remove_prefix(end);
    }
    if (text.starts_with('.')) {
        const std::string name(text.substr(1));
        if (path == SdfPath::AbsoluteRootPath() || !is_plain_name(name)) return {};
        return path.AppendProperty(TfToken(name));
    }
    return text.empty() && path != SdfPath::AbsoluteRootPath() ? path : SdfPath();
}

}  // namespace

Token::Token() noexcept { new (storage_) TfToken; }
Token::Token(std::string_view text) { new (storage_) TfToken(std::string(text)); }
Token::Token(const Token& other) noexcept { new (storage_) TfToken(unwrap(other)); }
Token::Token(Token&& other) noexcept { new (storage_) TfToken(std::move(Access::of(other))); }
Token& Token::operator=(const Token& other) noexcept
{
    Access::of(*this) = unwrap(other);
    return *this;
}
Token& Token::operator=(Token&& other) noexcept
{
    Access::of(*this) = std::move(Access::of(other));
    return *this;
}
Token::~Token() { Access::of(*this).~TfToken(); }

const std::string& Token::text() const noexcept { return unwrap(*this).GetString(); }
bool               Token::empty() const noexcept { return unwrap(*this).IsEmpty(); }
bool               Token::operator==(const Token& other) const noexcept { return unwrap(*this) == unwrap(other); }
/// By text: the order of handles differs from run to run.
std::strong_ordering Token::operator<=>(const Token& other) const noexcept { return text() <=> other.text(); }
std::size_t          Token::hash() const noexcept { return unwrap(*this).Hash(); }

Path::Path() noexcept { new (storage_) SdfPath; }
Path::Path(std::string_view text)
{
    SdfPath path = plain_path(text);
    if (path.IsEmpty()) {
        const std::string copy(text);
        if (SdfPath::IsValidPathString(copy)) path = SdfPath(copy);
    }
    new (storage_) SdfPath(std::move(path));
}
Path::Path(const Path& other) noexcept { new (storage_) SdfPath(unwrap(other)); }
Path::Path(Path&& other) noexcept { new (storage_) SdfPath(std::move(Access::of(other))); }
Path& Path::operator=(const Path& other) noexcept
{
    Access::of(*this) = unwrap(other);
    return *this;
}
Path& Path::operator=(Path&& other) noexcept
{
    Access::of(*this) = std::move(Access::of(other));
    return *this;
}
Path::~Path() { Access::of(*this).~SdfPath(); }

Path Path::root() { return wrap(SdfPath::AbsoluteRootPath()); }

bool        Path::empty() const noexcept { return unwrap(*this).IsEmpty(); }
std::string Path::text() const { return unwrap(*this).GetString(); }
bool        Path::is_property() const noexcept { return unwrap(*this).IsPropertyPath(); }
bool        Path::is_root() const noexcept { return unwrap(*this) == SdfPath::AbsoluteRootPath(); }
Token       Path::name() const { return wrap(unwrap(*this).GetNameToken()); }
Path        Path::parent() const { return wrap(unwrap(*this).GetParentPath()); }
Path        Path::prim() const { return wrap(unwrap(*this).GetPrimPath()); }
Path        Path::child(const Token& name) const
{ return SdfPath::IsValidIdentifier(name.text()) ? wrap(unwrap(*this).AppendChild(unwrap(name))) : Path(); }
Path Path::property(const Token& name) const
{
    const bool valid = is_plain_name(name.text()) || SdfPath::IsValidNamespacedIdentifier(name.text());
    return valid ? wrap(unwrap(*this).AppendProperty(unwrap(name))) : Path();
}
bool Path::has_prefix(const Path& prefix) const noexcept { return unwrap(*this).HasPrefix(unwrap(prefix)); }
Path Path::with_prefix_replaced(const Path& from, const Path& to) const
{ return wrap(unwrap(*this).ReplacePrefix(unwrap(from), unwrap(to))); }

bool                 Path::operator==(const Path& other) const noexcept { return unwrap(*this) == unwrap(other); }
std::strong_ordering Path::operator<=>(const Path& other) const noexcept
{
    if (*this == other) return std::strong_ordering::equal;
    return unwrap(*this) < unwrap(other) ? std::strong_ordering::less : std::strong_ordering::greater;
}
std::size_t Path::hash() const noexcept { return unwrap(*this).GetHash(); }

}  // namespace mechane::usd
