// What kind of path an authored asset path is: relative, searched for, absolute, of a package, with a scheme.
// Input: the text as it was authored. Output: its kind, its scheme and its form with forward slashes; whether a
// package:// address is well formed and stays in its package.
// Nothing is resolved or opened here. Called by the rules and repairs of REP-0158 1.2.5.

#include "conformance/asset_paths.h"

#include <algorithm>
#include <cctype>
#include "mechane/core/letters.h"

namespace mechane::conformance {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// "<name>/<path>" behind package://.
void judge_package(std::string_view rest, AssetPathForm& form)
{
    const std::size_t      slash = rest.find('/');
    const std::string_view name  = rest.substr(0, slash),
                           path  = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
    form.well_formed =
        !name.empty() && !path.empty() && is_letter(name[0]) && path.find_first_of("?#") == std::string_view::npos;
    for (const char c : name) {
        form.well_formed &= std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        form.upper_case |= std::isupper(static_cast<unsigned char>(c)) != 0;
    }
    int depth = 0;  // ".." must not climb out of the package
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end  = std::min(path.find('/', at), path.size());
        const auto        part = path.substr(at, end - at);
        depth += part == ".." ? -1 : part == "." || part.empty() ? 0 : 1;
        form.well_formed &= depth >= 0;
        at = end + 1;
    }
}

}  // namespace

AssetPathForm form_of(const std::string& authored)
{
    AssetPathForm form;
    if (authored.starts_with("anon:")) return form.kind = PathKind::anonymous, form;
    std::string       path  = outer_file(authored);
    const std::size_t colon = path.find(':');
    // "C:" is a drive of Windows and not a scheme of one letter.
    if (colon == 1 && is_letter(path[0])) return form.kind = PathKind::absolute, form;  // a drive
    if (colon != std::string::npos && colon > 1 && path.find('/') > colon &&
        std::all_of(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
            return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
        })) {
        form.scheme = lower_case(path.substr(0, colon));
        form.kind   = form.scheme == "package" ? PathKind::package
                      : form.scheme == "file"  ? PathKind::absolute
                                               : PathKind::scheme;
        if (form.kind == PathKind::package) {
            const bool slashes = path.compare(colon, 3, "://") == 0;
            judge_package(std::string_view(path).substr(std::min(path.size(), colon + (slashes ? 3 : 1))), form);
            form.well_formed &= slashes;
        }
        return form;
    }
    if (path.starts_with('/') || path.starts_with('\\')) return form.kind = PathKind::absolute, form;
    form.backslashes = path.find('\\') != std::string::npos;
    std::replace(path.begin(), path.end(), '\\', '/');
    form.file = path;
    form.kind = path.starts_with("./") || path.starts_with("../") ? PathKind::relative : PathKind::search;
    return form;
}

std::string outer_file(const std::string& authored)
{
    std::string path = authored.substr(0, authored.find(":SDF_FORMAT_ARGS:"));
    if (!path.ends_with(']')) return path;
    // A package's own name may hold brackets too.
    const std::size_t package = lower_case(path).find(".usdz["), inner = path.find('[');
    if (package != std::string::npos)
        path.resize(package + std::string_view(".usdz").size());
    else if (inner != std::string::npos)
        path.resize(inner);
    return path;
}

bool is_pattern(const std::string& path)
{
    return path.find("<UDIM>") != std::string::npos || path.find("<UVTILE>") != std::string::npos ||
           path.find('#') != std::string::npos;
}

bool is_of_pattern(const std::string& name, const std::string& pattern)
{
    std::size_t open = std::string::npos, length = 0;
    for (const std::string_view mark : {"<UDIM>", "<UVTILE>"})
        if (const std::size_t at = pattern.find(mark); at < open) open = at, length = mark.size();
    if (const std::size_t frame = pattern.find('#'); frame < open)
        open = frame, length = pattern.find_last_of('#') + 1 - frame;
    if (open == std::string::npos) return name == pattern;
    return name.size() >= pattern.size() - length && name.starts_with(pattern.substr(0, open)) &&
           name.ends_with(pattern.substr(open + length));
}

}  // namespace mechane::conformance
