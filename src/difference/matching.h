#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "difference/kinematics.h"
#include "mechane/difference/compare.h"

namespace mechane::difference {

/// A name as every format can write it: letters, digits and '_'.
std::string plain(const std::string& name);

/// One axis of a robot.
struct DofRef {
    int      joint = -1, dof = -1;
    bool     operator==(const DofRef&) const = default;
    explicit operator bool() const { return joint >= 0; }
};

/// Which parts of two robots are the same.
class Matching {
  public:
    /// @param needed  by entry of the report: set where it announces something; may be null
    Matching(const Kinematics& a, const Kinematics& b, const sf::LossReport* losses,
             std::vector<bool>* needed = nullptr);

    const Kinematics&                a;
    const Kinematics&                b;
    std::vector<int>                 link, link_back;    ///< by link: that of the other robot, or -1
    std::vector<int>                 joint, joint_back;  ///< by joint, also those that close loops
    std::vector<std::vector<DofRef>> dof, dof_back;

    /// Whether a joint of A and its partner run the same way, from parent to child.
    [[nodiscard]] bool same_sense(std::size_t joint_of_a) const;
    /// Names that something called `name` in A may have in B, likeliest first.
    [[nodiscard]] std::vector<std::string> names_in_b(const std::string& name) const;
    /// The reason for which the loss report announces that this value of one of these names differs; empty where it
    /// does not.
    [[nodiscard]] std::string announced(Quantity quantity, std::string_view field,
                                        const std::vector<std::string>& names) const;
    /// The same of an entry that counts things of a kind ("3 sites").
    [[nodiscard]] std::string announced_kind(Quantity quantity, std::string_view field, std::string_view plural) const;

  private:
    const sf::LossReport*                   losses_;
    std::vector<bool>*                      needed_;
    std::multimap<std::string, std::size_t> entries_;  ///< name -> entry of the report

    static std::string reason(const sf::Loss& loss);
    void               links();
    void               joints();
    void               dofs();
};

}  // namespace mechane::difference
