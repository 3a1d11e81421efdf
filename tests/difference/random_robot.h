#pragma once
#include <fmt/format.h>
#include <cmath>
#include <numbers>
#include <string>

#include "mechane/geometry/mass.h"
#include "mechane/math/random.h"
#include "mechane/sourceformats/robot_tree.h"

namespace mechane::test {

/// What a robot drawn by chance may have.
struct Draw {
    bool turned_frames = false;  ///< joints that turn elsewhere than at the child's frame
    bool drives        = false;  ///< gains
    bool balls         = false;  ///< joints of three axes
    bool round_shapes  = false;  ///< capsules and ellipsoids
    bool fixed         = true;   ///< links that are fixed to others
};

inline Posed random_pose(Random& r, double far = 0.4) { return {r.vec(far), normalized(r.rotation())}; }

/// A tree of links with masses of real bodies: moments are those of a turned box.
inline sourceformats::RobotTree random_robot(Random& r, const Draw& may = {})
{
    namespace sf = sourceformats;
    sf::RobotTree tree;
    tree.name             = "robot";
    tree.format           = "test";
    const int links       = 2 + static_cast<int>(r.below(7));
    int       last_moving = -1;
    for (int l = 0; l < links; ++l) {
        sf::Link link;
        link.name         = fmt::format("link_{}", l);
        const double mass = r.uniform(0.2, 5);
        const auto   box  = geometry::box_mass({r.uniform(0.02, 0.2), r.uniform(0.02, 0.2), r.uniform(0.02, 0.2)}, 1);
        const Mat33d R    = to_matrix(normalized(r.rotation()));
        link.inertial = sf::Inertial{mass, r.vec(0.1), (mass / box.mass) * (R * box.inertia * transpose(R)), true, {}};
        tree.links.push_back(link);
        if (l == 0) continue;
        sf::Joint joint;
        joint.name   = fmt::format("joint_{}", l);
        joint.parent = static_cast<int>(r.below(static_cast<std::uint32_t>(l)));
        joint.child  = l;
        joint.X_PJ   = random_pose(r);
        if (may.turned_frames && r.below(2) == 0) joint.X_CJ = random_pose(r, 0.2);
        const auto kind = r.below(6);
        if (kind == 0 && may.fixed) {
            joint.kind = sf::Joint::Kind::fixed;
        } else if (kind == 1 && may.balls) {
            joint.kind = sf::Joint::Kind::ball;
            sf::Dof dof;
            dof.name = joint.name;
            dof.axis = {0, 0, 1};
            joint.dofs.push_back(dof);
        } else {
            sf::Dof dof;
            dof.name    = joint.name;
            dof.angular = kind != 2;
            dof.axis    = r.below(2) == 0 ? r.direction() : axis_vector<double>(static_cast<int>(r.below(3)));
            joint.kind  = dof.angular ? sf::Joint::Kind::revolute : sf::Joint::Kind::prismatic;
            if (!dof.angular || r.below(3) != 0) dof.lower = -r.uniform(0.1, 1.5), dof.upper = r.uniform(0.1, 1.5);
            dof.velocity_limit = r.uniform(0.5, 5);
            if (r.below(2) == 0) dof.damping = r.uniform(0.01, 1);
            if (r.below(2) == 0) dof.friction = r.uniform(0.01, 1);
            sf::Drive drive;
            drive.max_force = r.uniform(1, 100);
            if (may.drives && r.below(2) == 0) drive.stiffness = r.uniform(1, 500), drive.damping = r.uniform(0.1, 20);
            dof.drive = drive;
            joint.dofs.push_back(dof);
            if (last_moving >= 0 && r.below(5) == 0 &&
                tree.joints[static_cast<std::size_t>(last_moving)].dofs[0].angular == dof.angular)
                joint.mimic = sf::Mimic{last_moving, r.uniform(-2, 2), r.uniform(-0.3, 0.3), {}};
            if (!joint.mimic) last_moving = static_cast<int>(tree.joints.size());
        }
        tree.links.back().X_WL =
            tree.links[static_cast<std::size_t>(joint.parent)].X_WL * joint.X_PJ * inverse(joint.X_CJ);
        tree.joints.push_back(joint);
    }
    for (int l = 0; l < links; ++l)
        for (std::uint32_t s = r.below(3); s > 0; --s) {
            sf::Shape shape;
            shape.name     = fmt::format("shape_{}_{}", l, s);
            shape.link     = l;
            shape.X_LS     = random_pose(r, 0.2);
            shape.visual   = r.below(2) == 0;
            shape.collider = !shape.visual;
            const double a = r.uniform(0.02, 0.2), b = r.uniform(0.02, 0.2), c = r.uniform(0.02, 0.2);
            switch (r.below(may.round_shapes ? 5 : 3)) {
                case 0:
                    shape.kind = sf::Shape::Kind::box, shape.size = {a, b, c};
                    break;
                case 1:
                    shape.kind = sf::Shape::Kind::sphere, shape.size = {a, a, a};
                    break;
                case 2:
                    shape.kind = sf::Shape::Kind::cylinder, shape.size = {a, b, 0};
                    break;
                case 3:
                    shape.kind = sf::Shape::Kind::capsule, shape.size = {a, b, 0};
                    break;
                default:
                    shape.kind = sf::Shape::Kind::ellipsoid, shape.size = {a, b, c};
                    break;
            }
            if (shape.collider) shape.contact = sf::Contact{1, 1, 0, {}, {}};
            tree.shapes.push_back(shape);
        }
    return tree;
}

}  // namespace mechane::test
