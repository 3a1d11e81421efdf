// The poses of all links and joints of an SDFormat file as libsdformat resolves them, one a line:
//   link NAME x y z qw qx qy qz     in the frame of its model
//   joint NAME x y z qw qx qy qz    the same
//   axis NAME x y z                 in the joint's frame
// Built by tests/differential/test_sdformat.py where the library is installed (Debian: libsdformat-dev).
#include <iostream>
#include <sdf/sdf.hh>
#include <string>

namespace {

void line(const std::string& kind, const std::string& name, const ignition::math::Pose3d& X)
{
    std::cout << kind << ' ' << name << ' ' << X.Pos().X() << ' ' << X.Pos().Y() << ' ' << X.Pos().Z() << ' '
              << X.Rot().W() << ' ' << X.Rot().X() << ' ' << X.Rot().Y() << ' ' << X.Rot().Z() << '\n';
}

void model(const sdf::Model& m, const ignition::math::Pose3d& X_WM, const std::string& prefix)
{
    for (uint64_t i = 0; i < m.LinkCount(); ++i) {
        ignition::math::Pose3d X;
        if (m.LinkByIndex(i)->SemanticPose().Resolve(X, "__model__").empty())
            line("link", prefix + m.LinkByIndex(i)->Name(), X_WM * X);
    }
    for (uint64_t i = 0; i < m.JointCount(); ++i) {
        const sdf::Joint&      j = *m.JointByIndex(i);
        ignition::math::Pose3d X;
        if (j.SemanticPose().Resolve(X, "__model__").empty()) line("joint", prefix + j.Name(), X_WM * X);
        ignition::math::Vector3d axis;
        if (j.Axis(0) != nullptr && j.Axis(0)->ResolveXyz(axis, j.Name()).empty())
            std::cout << "axis " << prefix << j.Name() << ' ' << axis.X() << ' ' << axis.Y() << ' ' << axis.Z() << '\n';
    }
    for (uint64_t i = 0; i < m.ModelCount(); ++i) {
        const sdf::Model&      inner = *m.ModelByIndex(i);
        ignition::math::Pose3d X;
        if (inner.SemanticPose().Resolve(X, "__model__").empty()) model(inner, X_WM * X, prefix + inner.Name() + "_");
    }
}

}  // namespace

int main(int count, char** arguments)
{
    if (count != 2) return 2;
    std::cout.precision(17);
    sdf::Root         root;
    const sdf::Errors errors = root.Load(arguments[1]);
    for (const auto& e : errors) std::cerr << e.Message() << '\n';
    if (root.Model() != nullptr) {
        ignition::math::Pose3d X;
        root.Model()->SemanticPose().Resolve(X);
        model(*root.Model(), root.Model()->RawPose(), "");
    }
    return errors.empty() ? 0 : 1;
}
