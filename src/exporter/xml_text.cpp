// Text of XML: numbers with the fewest digits, escaped words, and a small tree of elements that prints itself.
// URDF, SDFormat and MJCF are written with it.
//
// One space of indentation a level and one element a line, so that files can be compared by lines.

#include "exporter/xml_text.h"

#include <fmt/format.h>

#include <cmath>

#include "core/markup.h"

namespace mechane::exporter {

std::string number_text(double v)
{
    // NaN and infinity are no numbers of these formats.
    if (std::isnan(v)) return "0";
    if (std::isinf(v)) return v > 0 ? "1e30" : "-1e30";
    // What a stage holds as a float is that float, and its shortest text reads "0.8", not "0.800000011920929".
    if (const auto single = static_cast<float>(v); static_cast<double>(single) == v)
        return fmt::format("{}", v == 0 ? 0.0F : single);
    return fmt::format("{}", v);
}

namespace {
// Rotations of quarter turns leave 1e-17, which would hide that two poses are the same.
double without_noise(double v) { return std::abs(v) < 1e-15 ? 0 : v; }
}  // namespace

std::string numbers_text(const Vec3d& v)
{
    return number_text(without_noise(v.x)) + " " + number_text(without_noise(v.y)) + " " +
           number_text(without_noise(v.z));
}

namespace {
/// XML 1.0 knows no control characters but tab and line breaks.
std::string xml_escaped(std::string_view text)
{
    std::string allowed(text);
    for (char& c : allowed)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return markup_escaped(allowed);
}
}  // namespace

XmlNode& XmlNode::add(std::string name)
{
    children_.emplace_back(std::move(name));
    return children_.back();
}

XmlNode& XmlNode::set(std::string_view attribute, std::string_view value)
{
    attributes_.emplace_back(attribute, value);
    return *this;
}
XmlNode& XmlNode::set(std::string_view attribute, double value)
{ return set(attribute, std::string_view(number_text(value))); }
XmlNode& XmlNode::set(std::string_view attribute, const Vec3d& value)
{ return set(attribute, std::string_view(numbers_text(value))); }

XmlNode& XmlNode::text(std::string value)
{
    text_ = std::move(value);
    return *this;
}

XmlNode& XmlNode::leaf(std::string name, std::string_view value)
{
    add(std::move(name)).text(std::string(value));
    return *this;
}
XmlNode& XmlNode::leaf(std::string name, double value)
{ return leaf(std::move(name), std::string_view(number_text(value))); }
XmlNode& XmlNode::leaf(std::string name, const Vec3d& value)
{ return leaf(std::move(name), std::string_view(numbers_text(value))); }

// Sections that got nothing (an <actuator> without actuators) are not written.
void XmlNode::drop_empty()
{
    std::erase_if(children_, [](const XmlNode& c) { return c.empty(); });
}

void XmlNode::print(std::string& out, int depth) const
{
    const std::string blank(static_cast<std::size_t>(2 * depth), ' ');
    out += blank + "<" + name_;
    for (const auto& [key, value] : attributes_) out += " " + key + "=\"" + xml_escaped(value) + "\"";
    if (children_.empty() && text_.empty()) {
        out += "/>\n";
    } else if (children_.empty()) {
        out += ">" + xml_escaped(text_) + "</" + name_ + ">\n";
    } else {
        out += ">\n";
        for (const XmlNode& c : children_) c.print(out, depth + 1);
        out += blank + "</" + name_ + ">\n";
    }
}

std::string XmlNode::document() const
{
    std::string out = "<?xml version=\"1.0\"?>\n";
    print(out, 0);
    return out;
}

}  // namespace mechane::exporter
