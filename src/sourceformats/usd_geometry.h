#pragma once
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mechane/sourceformats/robot_tree.h"
#include "sourceformats/usd_names.h"
#include "sourceformats/usd_sheet.h"

namespace mechane::sourceformats {

/// Writes shapes: each distinct form once into the layer of geometries, behind a payload, and where it is used its
/// pose, look and what it does in contacts.
class ShapeWriter {
  public:
    ShapeWriter(const RobotTree& tree, Sheet& sheet, std::string robot)
        : tree_(tree), sheet_(sheet), robot_(std::move(robot))
    {
    }

    void write_materials();
    void write_contact(const Place& place);
    void write(const Shape& shape, const std::string& path, bool collider);

    /// Pictures that materials use, and their names in the result.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> textures() const { return textures_; }

  private:
    const RobotTree&                                 tree_;
    Sheet&                                           sheet_;
    std::string                                      robot_;
    std::vector<std::string>                         materials_;
    std::vector<std::pair<std::string, std::string>> textures_;
    Siblings                                         forms_, looks_, contacts_, pictures_;
    std::map<std::string, std::string>               known_forms_;
    std::vector<std::pair<Contact, std::string>>     known_contacts_;
    std::string                                      default_contact_;

    std::string form(const Shape& shape, const std::string& path, bool collider);
    void        form_at(const Shape& shape, const std::string& path, Role role, bool collider);
    void        mesh_at(const Shape& shape, const std::string& path, Role role, bool collider);
    std::string contact(const Contact& contact, const Place& place);
    std::string texture(const std::string& file);
};

}  // namespace mechane::sourceformats
