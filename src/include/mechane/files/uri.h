#pragma once
#include <string>
#include <string_view>

/// Names of files in URIs (RFC 3986, section 2).
namespace mechane::files {

/// A relative path as a URI: what is neither unreserved nor a slash is escaped byte by byte.
std::string uri_of(std::string_view path);

/// The path that a URI names: "%20" is a space. What is no escape, as in "100%.bin", stays as it is.
std::string path_of_uri(std::string_view uri);

}  // namespace mechane::files
