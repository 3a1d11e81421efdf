// XML by expat: elements with the line that each begins in. Whoever reads an attribute marks it as used, so that what
// nobody read can be reported (source.cpp).
//
// Document types are refused: entities could expand without bound or name other files, and no robot format needs
// them. Depth, elements and bytes are limited. A file that breaks off keeps what was read before, with a finding.
#include "sourceformats/xml.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "mechane/core/visible.h"
#include "mechane/sourceformats/codes.h"

namespace mechane::sourceformats {
namespace {

/// What expat's handlers build. They are C functions: nothing may leave them but by a stopped parser.
struct Reader {
    XML_Parser                         parser = nullptr;
    std::shared_ptr<const std::string> file;
    XmlLimits                          limits;
    XmlElement                         root;  ///< without a name: the document
    std::vector<XmlElement*>           open;
    std::size_t                        elements = 0;
    const Code*                        refused  = nullptr;
    std::string                        why;

    void stop(const Code& code, std::string message)
    {
        if (refused == nullptr) refused = &code, why = std::move(message);
        XML_StopParser(parser, XML_FALSE);
    }
};

void XMLCALL begin(void* data, const XML_Char* name, const XML_Char** attributes)
{
    auto& r = *static_cast<Reader*>(data);
    if (r.refused != nullptr) return;
    if (r.open.size() > r.limits.depth)
        return r.stop(kLimit, fmt::format("elements are nested more than {} deep", r.limits.depth));
    if (++r.elements > r.limits.elements)
        return r.stop(kLimit, fmt::format("there are more than {} elements", r.limits.elements));
    // Pointers to open elements stay valid: only the innermost one's list grows, and nothing in that list is open.
    XmlElement& element = r.open.back()->children.emplace_back();
    element.name        = name;
    element.place       = {r.file, static_cast<int>(XML_GetCurrentLineNumber(r.parser))};
    for (const XML_Char** at = attributes; *at != nullptr; at += 2) element.attributes.push_back({at[0], at[1]});
    r.open.push_back(&element);
}

void XMLCALL end(void* data, const XML_Char*)
{
    auto& r = *static_cast<Reader*>(data);
    // The first entry is the document itself, which has no end tag.
    if (r.refused == nullptr && r.open.size() > 1) r.open.pop_back();
}

void XMLCALL characters(void* data, const XML_Char* text, int length)
{
    auto& r = *static_cast<Reader*>(data);
    if (r.refused == nullptr) r.open.back()->text.append(text, static_cast<std::size_t>(length));
}

void XMLCALL doctype(void* data, const XML_Char*, const XML_Char*, const XML_Char*, int)
{ static_cast<Reader*>(data)->stop(kXmlRefused, "the file declares a document type"); }

}  // namespace

Site site_of(const Place& place)
{
    Site site;
    if (place.file) site.layer = *place.file;
    site.line = place.line;
    return site;
}

const std::string* XmlElement::find(std::string_view attribute) const
{
    // Asking for an attribute marks the element as read, also where the attribute is not there.
    used = true;
    for (const XmlAttribute& a : attributes)
        if (a.name == attribute) return a.used = true, &a.value;
    return nullptr;
}

/// Like find(); the value has an entry of its own in the loss report and is not counted again.
const std::string* XmlElement::take(std::string_view attribute) const
{
    const std::string* value = find(attribute);
    for (const XmlAttribute& a : attributes)
        if (a.name == attribute) a.told = true;
    return value;
}

const std::string* XmlElement::peek(std::string_view attribute) const
{
    for (const XmlAttribute& a : attributes)
        if (a.name == attribute) return &a.value;
    return nullptr;
}

std::string XmlElement::get(std::string_view attribute, std::string_view otherwise) const
{
    const std::string* value = find(attribute);
    return value != nullptr ? *value : std::string(otherwise);
}

const XmlElement* XmlElement::child(std::string_view child_name) const
{
    for (const XmlElement& c : children)
        if (c.name == child_name) return c.used = true, &c;
    return nullptr;
}

void XmlElement::set(std::string_view attribute, std::string value)
{
    for (XmlAttribute& a : attributes)
        if (a.name == attribute) {
            a.value = std::move(value);
            return;
        }
    attributes.push_back({std::string(attribute), std::move(value)});
}

void XmlElement::use_all() const
{
    used = true;
    for (const XmlAttribute& a : attributes) a.used = true;
    for (const XmlElement& c : children) c.use_all();
}

Result<XmlElement> parse_xml(std::string_view text, const std::string& shown, Diagnostics& found,
                             const XmlLimits& limits)
{
    // expat takes the length as an int.
    if (text.size() > limits.bytes || text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        return make_diagnostic(kLimit, {.layer = shown}, fmt::format("the file has more than {} bytes", limits.bytes));
    Reader reader;
    reader.file   = std::make_shared<const std::string>(shown);
    reader.limits = limits;
    reader.open.push_back(&reader.root);
    reader.parser = XML_ParserCreate(nullptr);
    if (reader.parser == nullptr) return make_diagnostic(kLimit, {.layer = shown}, "there is no memory for a parser");
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, begin, end);
    XML_SetCharacterDataHandler(reader.parser, characters);
    XML_SetStartDoctypeDeclHandler(reader.parser, doctype);
    const XML_Status  status = XML_Parse(reader.parser, text.data(), static_cast<int>(text.size()), XML_TRUE);
    const Site        at{.layer  = shown,
                         .line   = static_cast<int>(XML_GetCurrentLineNumber(reader.parser)),
                         .column = static_cast<int>(XML_GetCurrentColumnNumber(reader.parser)) + 1};
    const std::string message = status == XML_STATUS_ERROR ? XML_ErrorString(XML_GetErrorCode(reader.parser)) : "";
    XML_ParserFree(reader.parser);
    // A document type is no damage but a refusal: nothing of such a file is used.
    if (reader.refused == &kXmlRefused) return make_diagnostic(kXmlRefused, at, reader.why);
    if (reader.refused != nullptr) {
        if (reader.root.children.empty()) return make_diagnostic(*reader.refused, at, reader.why);
        found.add(*reader.refused, at, reader.why + "; what follows was left out");
    } else if (status == XML_STATUS_ERROR) {
        if (reader.root.children.empty()) return make_diagnostic(kXmlInvalid, at, message);
        found.add(kXmlInvalid, at, message);
    }
    if (reader.root.children.empty()) return make_diagnostic(kXmlInvalid, at, "the file holds no element");
    XmlElement root = std::move(reader.root.children.front());
    return root;
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kSpace = " \t\r\n\f\v";
    const std::size_t          first  = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// from_chars does not depend on the locale. It knows no leading plus, which sources write.
std::optional<double> parse_number(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    double value         = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    // Too small for a double reads as 0. Too large is an error, since infinity is no value of any attribute.
    if (ec == std::errc::result_out_of_range && end == text.data() + text.size())  // a tiny number is zero
        return text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos
                   ? std::optional(0.0)
                   : std::nullopt;
    if (ec != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

std::optional<std::vector<double>> parse_numbers(std::string_view text)
{
    std::vector<double> out;
    text = trimmed(text);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n\f\v"), text.size());
        const auto        one = parse_number(text.substr(0, end));
        if (!one) return std::nullopt;
        out.push_back(*one);
        text = trimmed(text.substr(end));
    }
    return out;
}

}  // namespace mechane::sourceformats
