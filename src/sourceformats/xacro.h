#pragma once
#include <map>
#include <string>

#include "mechane/core/result.h"
#include "sourceformats/file_finder.h"
#include "sourceformats/xml.h"

namespace mechane::sourceformats {

/// True when the document has an element or attribute of xacro's namespace.
bool uses_xacro(const XmlElement& root);

/// Expands xacro (ROS's macro language for XML): properties, arguments, macros with defaults and blocks, includes,
/// conditions, expressions. Elements keep the place where they were written; what a macro makes stands where the macro
/// has it. What is not known is left out, and `found` says so by name.
/// @param arguments  of `<xacro:arg>`, by name
/// @param found      gets SOURCE_XACRO, SOURCE_INCLUDE, SOURCE_LIMIT and what reading the included files gives
XmlElement expand_xacro(const XmlElement& root, const std::string& file,
                        const std::map<std::string, std::string>& arguments, const FileFinder& finder,
                        Diagnostics& found);

}  // namespace mechane::sourceformats
