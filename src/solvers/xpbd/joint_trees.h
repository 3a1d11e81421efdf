#pragma once
#include <cstddef>
#include <vector>

#include "solvers/xpbd/joint_rows.h"
#include "solvers/xpbd/small_factor.h"

namespace mechane::solvers::xpbd {

/// Joints that depend on each other, of one world.
struct JointGroup {
    std::vector<std::size_t> tree;  ///< joints that span trees of bodies, parents before children
    std::vector<std::size_t> rest;  ///< joints that close loops, or hold a child that nothing moves
};
/// Joints by world. One between worlds makes one group of all: their bodies depend on each other.
std::vector<JointGroup> group_joints(const std::vector<shared::JointLayout>& joints, const shared::Bodies& bodies);

/// Solves trees of joints exactly, linearized where the bodies are: what a drive at the tip asks of the root is there
/// at once.
class JointTrees {
  public:
    /// Room for so many joints and bodies.
    void resize(std::size_t joints, std::size_t bodies);
    /// One pass over the tree of a group: impulses of all rows, at once on the bodies. Groups may go side by side.
    /// @param places  of all joints; those of the group are made anew
    /// @param near    angles near which single ones are looked for; they follow
    /// @param memory  of the step, by joint
    void hold(const JointGroup& group, const std::vector<shared::JointLayout>& joints, const model::Control& control,
              const JointSettings& settings, double h, std::vector<shared::JointPlace>& places,
              std::vector<double>& near, std::vector<JointMemory>& memory, shared::Bodies& bodies);

  private:
    struct Link {
        JointSystem system;
        SmallFactor factor;                   ///< of h J M^-1 J^T + softness, as the tree beyond the joint yields
        Square      on_parent{}, on_child{};  ///< the rows, see joint_trees.cpp for their axes
        Square      yield{};                  ///< M^-1 J^T of the child, a row of this a row of the joint
        Six         own{};                    ///< what the child does without this joint's impulses
        Six         asked{}, x{};
    };

    std::vector<Link>          links_;          ///< by joint
    std::vector<Square>        mass_;           ///< by body, with what hangs on it
    std::vector<Six>           bias_, change_;  ///< by body
    std::vector<SmallFactor>   of_body_;        ///< by body
    std::vector<unsigned char> known_;          ///< by body: its change of velocity is

    void begin_body(std::size_t b, const shared::Bodies& bodies);
    void solve(const JointGroup& group, const std::vector<shared::JointPlace>& places, double h,
               const shared::Bodies& bodies);
};

}  // namespace mechane::solvers::xpbd
