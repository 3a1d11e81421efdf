#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/sourceformats/robot_tree.h"

/// XML as a tree that remembers where everything stands and what was read of it. Document types and entities of a
/// file's own are refused, so that nothing expands and nothing else is opened.
namespace mechane::sourceformats {

struct XmlAttribute {
    std::string  name, value;
    mutable bool used = false;  ///< a reader took it; what is left over is lost
    mutable bool told = false;  ///< the report has an entry of its own for it, so it is not counted as kept
};

struct XmlElement {
    std::string               name;  ///< with its prefix, as written
    Place                     place;
    std::vector<XmlAttribute> attributes;
    std::vector<XmlElement>   children;
    std::string               text;          ///< of this element alone, in one piece
    mutable bool              used = false;  ///< a reader knew the element
    mutable std::string       why{};         ///< what is not read of it is lost for this reason

    /// The value of an attribute, which then counts as read; null when there is none.
    const std::string* find(std::string_view attribute) const;
    /// The same; the report says of its own what became of it.
    const std::string* take(std::string_view attribute) const;
    /// The same, without counting it as read.
    [[nodiscard]] const std::string* peek(std::string_view attribute) const;
    [[nodiscard]] std::string        get(std::string_view attribute, std::string_view otherwise = {}) const;
    /// The first child of that name, which then counts as known; null when there is none.
    [[nodiscard]] const XmlElement* child(std::string_view child_name) const;
    void                            set(std::string_view attribute, std::string value);
    /// Everything in it counts as read.
    void use_all() const;
};

struct XmlLimits {
    std::size_t bytes    = std::size_t{256} << 20;
    std::size_t depth    = 256;
    std::size_t elements = 2'000'000;
};

/// Reads a file. Of one that is not well-formed, what stands before the fault is given, and `found` says so.
/// @param shown  the name of the file in findings
/// @param found  gets SOURCE_XML_INVALID, SOURCE_LIMIT
/// @error SOURCE_XML_REFUSED a document type; SOURCE_XML_INVALID nothing could be read; SOURCE_LIMIT
Result<XmlElement> parse_xml(std::string_view text, const std::string& shown, Diagnostics& found,
                             const XmlLimits& limits = {});

/// The numbers of a text, separated by white space; nothing when a word is no number.
std::optional<std::vector<double>> parse_numbers(std::string_view text);
/// One number, white space around it allowed.
std::optional<double> parse_number(std::string_view text);
std::string_view      trimmed(std::string_view text);

}  // namespace mechane::sourceformats
