// What pulls on a robot: the vector of its scene, which a flag of MuJoCo may turn off.
#include <algorithm>

#include "mechane/sourceformats/robot_tree.h"

namespace mechane::sourceformats {

Vec3d gravity_of(const RobotTree& tree)
{
    const Vec3d earth{0, 0, -9.81};
    if (!tree.scene) return earth;
    const bool off = std::ranges::any_of(tree.scene->extras, [](const Extra& e) {
        return e.name == "mjc:flag:gravity" && (e.text == "0" || e.text == "false");
    });
    return off ? Vec3d{} : tree.scene->gravity.value_or(earth);
}

}  // namespace mechane::sourceformats
