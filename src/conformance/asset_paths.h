#pragma once
#include <string>

namespace mechane::conformance {

/// What an authored asset path looks like.
enum class PathKind {
    anonymous,  ///< of a layer in memory
    relative,   ///< begins with ./ or ../
    search,     ///< relative without either
    absolute,   ///< /a, \a, C:..., file: of this machine
    package,    ///< package://
    scheme      ///< any other scheme
};
struct AssetPathForm {
    PathKind    kind = PathKind::relative;
    std::string scheme;  ///< lower case, "omniverse"
    std::string file;    ///< of relative ones: forward slashes, without format arguments and what lies in a package
    bool        backslashes = false;
    bool        well_formed = true;   ///< of package URIs (rep-0158 1.2.5-j)
    bool        upper_case  = false;  ///< of package URIs
};
AssetPathForm form_of(const std::string& authored);

/// The file that a path names on the disk: without format arguments, and of what lies in a package the package.
/// Brackets that do not end the path belong to a name ("sub[1].usda").
std::string outer_file(const std::string& authored);

/// True for a name with <UDIM> or # in it.
bool is_pattern(const std::string& path);

/// Whether a file's name is one that a pattern's name stands for.
bool is_of_pattern(const std::string& name, const std::string& pattern);

}  // namespace mechane::conformance
