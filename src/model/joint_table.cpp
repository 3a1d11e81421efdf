// What types of joints have: coordinates, dofs, axes, and how rotation is stored. -1 where the joint itself says (D6).

#include "mechane/model/joint_table.h"

#include <array>

#include "mechane/core/failure.h"

namespace mechane::model {

const JointTypeInfo& joint_type_info(JointType type)
{
    static constexpr std::array<JointTypeInfo, 8> kTable = {{
        // coords dofs linear angular quaternion free_like
        {1, 1, 1, 0, false, false},      // prismatic
        {1, 1, 0, 1, false, false},      // revolute
        {4, 3, 0, 3, true, false},       // ball
        {0, 0, 0, 0, false, false},      // fixed
        {7, 6, 3, 3, true, true},        // free
        {7, 6, 3, 3, true, true},        // distance
        {-1, -1, -1, -1, false, false},  // d6
        {7, 6, 3, 3, true, true},        // rod
    }};
    const auto                                    index  = static_cast<std::size_t>(type);
    MCH_REQUIRE(index < kTable.size(), "joint_type_info", "type", "a type of joint");
    return kTable[index];
}

}  // namespace mechane::model
