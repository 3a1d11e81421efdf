// Attributes of one's own: a table says which property of the simulation an attribute of a vendor is, and in which unit.
// Shows make_resolver and LoadOptions::tables.
//
//     sample_cpp_own_resolver samples/usd/acme_arm.usda
#include <mechane/mechane.h>

#include <cmath>
#include <cstdio>

using namespace mechane;

int main(int argc, char** argv)
{
    const std::string file = argc > 1 ? argv[1] : "samples/usd/acme_arm.usda";
    const Resolver    acme = make_resolver("acme", {{.property  = Property::joint_armature,
                                                     .attribute = "acme:rotorInertia",
                                                     .unit      = AttributeUnit::mass_or_inertia,
                                                     .factor    = 100 * 100}})  // a gear of 100 : 1
                              .expect();
    const auto  model    = load(file, {.resolvers = {"acme", "newton"}, .tables = {acme}}).expect();
    const DofId elbow    = model->find_dof("/arm/elbow").expect();
    const auto  armature = double(model->arrays().joint_armature[elbow.index()]);
    std::printf("the elbow's rotor of 2e-5 kg m2 weighs %.2f kg m2 behind its gear\n", armature);
    return std::abs(armature - 0.2) < 1e-6 ? 0 : 1;
}
