// Writes a built-in scene as MJCF, so that MuJoCo steps the same bodies, joints and shapes (bench/step_peers.py).
// usage: bench_step_mjcf SCENE DT [CONDIM] > scene.xml
// CONDIM 6, the default, has friction against sliding, spinning and rolling, as ours has; 3, MuJoCo's own, against
// sliding alone.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "mechane/run/builtin_scenes.h"

using namespace mechane;

namespace {

std::string text(const Vec3d& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x, v.y, v.z); }
/// MJCF writes w first.
std::string text(const Quatd& q) { return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", q.w, q.x, q.y, q.z); }

class Writer {
  public:
    Writer(const model::ModelBuilder& b, int condim) : b_(b), condim_(condim), joint_of_(b.bodies.size(), -1)
    {
        for (std::size_t j = 0; j < b.joints.size(); ++j)
            joint_of_[static_cast<std::size_t>(b.joints[j].child)] = static_cast<int>(j);
    }

    std::string document(double dt)
    {
        out_ = "<mujoco>\n<compiler angle=\"radian\" autolimits=\"true\"/>\n";
        out_ += fmt::format("<option timestep=\"{:.17g}\"/>\n<size memory=\"4G\"/>\n", dt);
        assets();
        out_ += "<worldbody>\n";
        for (const auto& shape : b_.shapes)
            if (shape.body < 0) geom(shape);
        for (std::size_t body = 0; body < b_.bodies.size(); ++body)
            if (parent_of(body) < 0) write_body(body);
        return out_ + "</worldbody>\n</mujoco>\n";
    }

  private:
    /// A mesh that stands still: MuJoCo knows surfaces as fields of heights, and of meshes their hulls.
    static bool is_field(const model::BuilderShape& shape)
    { return shape.type == model::GeoType::mesh && shape.body < 0; }
    static bool is_hull(const model::BuilderShape& shape)
    { return (shape.type == model::GeoType::mesh && shape.body >= 0) || shape.type == model::GeoType::convex_mesh; }
    void assets()
    {
        out_ += "<asset>\n";
        for (const auto& shape : b_.shapes) {
            if (!is_hull(shape) && !is_field(shape)) continue;
            const auto [at, fresh] = names_.try_emplace(shape.source.get(), fmt::format("asset_{}", names_.size()));
            if (!fresh) continue;
            if (is_field(shape)) {
                field(*shape.source, at->second);
                continue;
            }
            out_ += fmt::format("<mesh name=\"{}\" vertex=\"", at->second);
            for (const Vec3d& p : shape.source->points) out_ += text(p) + " ";
            out_ += "\"/>\n";
        }
        out_ += "</asset>\n";
    }
    /// A grid about the origin, in the order of `geometry::grid_mesh` (y fastest).
    void field(const geometry::Mesh& mesh, const std::string& name)
    {
        const auto& p    = mesh.points;
        std::size_t rows = 1;
        while (rows < p.size() && p[rows].x == p[0].x) ++rows;
        const std::size_t columns = p.size() / rows;
        const Vec3d       half    = 0.5 * (p.back() - p.front());
        double            low = kInfinity, high = -kInfinity;
        for (const Vec3d& q : p) low = std::min(low, q.z), high = std::max(high, q.z);
        const Vec3d middle = 0.5 * (p.back() + p.front());
        if (columns * rows != p.size() || !(half.x > 0 && half.y > 0) || std::abs(low) > 1e-2 ||
            std::abs(middle.x) + std::abs(middle.y) > 1e-9) {
            std::fprintf(stderr, "the scene has a mesh that is no grid about the origin from z = 0 on\n");
            std::exit(2);
        }
        out_ +=
            fmt::format("<hfield name=\"{}\" nrow=\"{}\" ncol=\"{}\" size=\"{:.17g} {:.17g} {:.17g} 1\" elevation=\"",
                        name, rows, columns, half.x, half.y, high - low);
        // Rows are along x, the first at the largest y, as in a picture.
        for (std::size_t r = rows; r-- > 0;)
            for (std::size_t c = 0; c < columns; ++c)
                out_ += fmt::format("{:.9g} ", (p[c * rows + r].z - low) / (high - low));
        out_ += "\"/>\n";
    }
    [[nodiscard]] int parent_of(std::size_t body) const
    { return joint_of_[body] < 0 ? -1 : b_.joints[static_cast<std::size_t>(joint_of_[body])].parent; }

    void write_body(std::size_t index)
    {
        const auto& body  = b_.bodies[index];
        const int   above = parent_of(index);
        const Posed here  = above < 0 ? body.q : inverse(b_.bodies[static_cast<std::size_t>(above)].q) * body.q;
        out_ += fmt::format("<body pos=\"{}\" quat=\"{}\">\n", text(here.p), text(here.q));
        const Mat33d& I = body.inertia;
        out_ += fmt::format(
            "<inertial pos=\"{}\" mass=\"{:.17g}\" fullinertia=\"{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}\"/>\n",
            text(body.com), body.mass, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
        if (joint_of_[index] >= 0) joint(b_.joints[static_cast<std::size_t>(joint_of_[index])]);
        for (const std::int32_t shape : body.shapes) geom(b_.shapes[static_cast<std::size_t>(shape)]);
        for (std::size_t child = 0; child < b_.bodies.size(); ++child)
            if (parent_of(child) == static_cast<int>(index)) write_body(child);
        out_ += "</body>\n";
    }

    /// The scenes put the child's anchor at its origin, and start every joint where MuJoCo's reference is.
    void joint(const model::BuilderJoint& joint)
    {
        if (joint.type == model::JointType::free) {
            out_ += "<freejoint/>\n";
            return;
        }
        if (joint.type == model::JointType::ball) {
            out_ += "<joint type=\"ball\"/>\n";
            return;
        }
        for (const auto& dof : joint.angular_axes)
            out_ += fmt::format(
                "<joint type=\"hinge\" axis=\"{}\" range=\"{:.17g} {:.17g}\" ref=\"{:.17g}\" damping=\"{:.17g}\" "
                "armature=\"{:.17g}\"/>\n",
                text(dof.axis), dof.limit_lower, dof.limit_upper, dof.initial_q, dof.damping, dof.armature);
    }

    void geom(const model::BuilderShape& shape)
    {
        const Vec3d& s = shape.scale;
        std::string  kind, size;
        if (shape.type == model::GeoType::plane)
            kind = "plane", size = "0 0 1";
        else if (shape.type == model::GeoType::sphere)
            kind = "sphere", size = fmt::format("{:.17g}", s.x);
        else if (shape.type == model::GeoType::box)
            kind = "box", size = text(s);
        else if (shape.type == model::GeoType::capsule)
            kind = "capsule", size = fmt::format("{:.17g} {:.17g}", s.x, s.y);
        else if (is_field(shape))
            kind = "hfield";
        else if (is_hull(shape))
            kind = "mesh";
        else {
            std::fprintf(stderr, "the scene has a shape that this writer does not know\n");
            std::exit(2);
        }
        const bool        off = shape.config.collision_group == 0;
        const std::string shaped =
            size.empty() ? fmt::format("{}=\"{}\"", kind, names_.at(shape.source.get())) : "size=\"" + size + "\"";
        out_ += fmt::format(
            "<geom type=\"{}\" {} pos=\"{}\" quat=\"{}\" friction=\"{:.17g} {:.17g} {:.17g}\" "
            "condim=\"{}\"{}/>\n",
            kind, shaped, text(shape.xform.p), text(shape.xform.q), shape.config.mu, shape.config.mu_torsional,
            shape.config.mu_rolling, condim_, off ? " contype=\"0\" conaffinity=\"0\"" : "");
    }

    const model::ModelBuilder&                   b_;
    int                                          condim_;
    std::vector<int>                             joint_of_;
    std::string                                  out_;
    std::map<const geometry::Mesh*, std::string> names_;  ///< of assets
};

}  // namespace

int main(int argc, char** argv)
{
    const auto scene  = run::builtin_scene(argc > 1 ? argv[1] : "");
    const int  condim = argc == 4 ? std::atoi(argv[3]) : 6;
    if (argc < 3 || argc > 4 || !scene || (condim != 1 && condim != 3 && condim != 4 && condim != 6)) {
        std::fprintf(stderr, "usage: bench_step_mjcf SCENE DT [CONDIM]\n");
        return 2;
    }
    std::fputs(Writer(*scene, condim).document(std::atof(argv[2])).c_str(), stdout);
    return 0;
}
