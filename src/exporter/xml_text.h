#pragma once
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mechane/math/pose.h"

/// XML as text: elements in the order in which they are said, two blanks a level, numbers as the shortest text that reads
/// back to the same value.
namespace mechane::exporter {

class XmlNode {
  public:
    explicit XmlNode(std::string name) : name_(std::move(name)) {}

    XmlNode& add(std::string name);
    XmlNode& set(std::string_view attribute, std::string_view value);
    XmlNode& set(std::string_view attribute, double value);
    XmlNode& set(std::string_view attribute, const Vec3d& value);
    XmlNode& text(std::string value);
    /// A child that holds nothing but a text or numbers.
    XmlNode& leaf(std::string name, std::string_view value);
    XmlNode& leaf(std::string name, double value);
    XmlNode& leaf(std::string name, const Vec3d& value);

    [[nodiscard]] bool               empty() const { return children_.empty() && attributes_.empty() && text_.empty(); }
    [[nodiscard]] bool               childless() const { return children_.empty(); }
    [[nodiscard]] const std::string& name() const { return name_; }
    void                             drop_last() { children_.pop_back(); }
    void                             drop_empty();  ///< children that hold nothing
    [[nodiscard]] std::string        document() const;

  private:
    std::string                                      name_, text_;
    std::vector<std::pair<std::string, std::string>> attributes_;
    std::list<XmlNode>                               children_;  // references stay good
    void                                             print(std::string& out, int depth) const;
};

std::string number_text(double v);
std::string numbers_text(const Vec3d& v);

}  // namespace mechane::exporter
