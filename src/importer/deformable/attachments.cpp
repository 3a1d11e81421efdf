// PhysicsAttachment prims: particles held at bodies, ends of cables as ball joints, and the order in which deformables
// come in (cables on bodies first, then free cables, cloth, volumes, attachments).
// Gains in SI; points in the target's frame. What cannot be made is kept in the result with the reason.
//
// hold     a particle at a point of a body or of the world (model::Attachment)
// site     one entry of indices0, with its point in coords1

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cables.h"
#include "deformables.h"
#include "reader.h"

/// PhysicsAttachment prims, and the order of the passes for deformables.
namespace mechane::importer {
namespace {

/// Whether a body belongs to an articulation of the builder.
bool is_in_articulation(const model::ModelBuilder& b, std::int32_t body, std::int32_t articulation)
{
    // An articulation of the builder may not be known yet (-1).
    if (articulation < 0) return false;
    const auto& joints = b.articulations[static_cast<std::size_t>(articulation)].joints;
    return std::any_of(joints.begin(), joints.end(), [&](std::int32_t j) {
        const model::BuilderJoint& joint = b.joints[static_cast<std::size_t>(j)];
        return joint.child == body || joint.parent == body;
    });
}

const ImportedDeformable* imported_at(const Import& run, const std::string& path)
{
    for (const ImportedDeformable& d : run.result.deformables)
        if (d.path == path) return &d;
    return nullptr;
}

class Attacher {
  public:
    Attacher(const DeformableReader& read, const usd::Prim& prim) : read_(read), run_(read.run()), prim_(prim) {}

    // The record is filled with what is authored before anything is decided: the result shows both.
    ImportedAttachment run()
    {
        out_.path     = prim_.path().text();
        out_.source0  = first_target(read_, prim_, "src0");
        out_.source1  = first_target(read_, prim_, "src1");
        out_.type0    = read_.text(prim_, "type0");
        out_.type1    = read_.text(prim_, "type1");
        out_.indices0 = read_.ints(prim_, "indices0");
        out_.indices1 = read_.ints(prim_, "indices1");
        out_.coords0  = read_.points(prim_, "coords0").value_or(std::vector<Vec3d>{});
        out_.coords1  = read_.points(prim_, "coords1").value_or(std::vector<Vec3d>{});
        out_.enabled  = read_.flag(prim_, "attachmentEnabled").value_or(true);
        attach();
        return std::move(out_);
    }

  private:
    void refuse(std::string why)
    {
        read_.warn(codes::kDeformableAttachment, prim_, why);
        out_.unsupported = std::move(why);
    }

    /// A gain in the builder's units; false where it cannot be one.
    bool gain(const char* name, double& value, double largest)
    {
        // Not authored: the default stays.
        const usd::Attribute attribute = read_.find(prim_, name);
        if (!attribute) return true;
        const usd::Value  authored = attribute.authored_value();
        const std::string type     = authored.type_name();
        const auto        number   = authored.get<double>();
        run_.took(prim_, attribute.name().text());
        // Texts and bools would convert to numbers.
        if (!number || type == "bool" || type == "string" || type == "token") {
            refuse(
                fmt::format("{} = {} is not a number; it has no effect", attribute.name().text(), authored.to_text()));
            return false;
        }
        value = *number;
        if (!(value >= 0) || value > largest) {
            refuse(fmt::format("{} = {:g}, expected a number from 0 on{}; it has no effect", attribute.name().text(),
                               value, largest == kInfinity ? ", or inf" : ""));
            return false;
        }
        const double times = read_.factor(name);
        value *= times;
        if (times != 1)
            run_.took(prim_, attribute.name().text(), physics::Use::converted,
                      fmt::format("times {:.9g}: to SI units", times));
        return true;
    }

    void attach()
    {
        // Attachments that weld cables or carry their root were made with the cables.
        // Both were made with the cables; here they are recorded only.
        if (run_.welding_attachments.contains(out_.path)) {
            out_.welded = true;
            return;
        }
        if (const auto root = run_.cable_root_joints.find(out_.path); root != run_.cable_root_joints.end()) {
            out_.joints = {root->second};
            return;
        }
        if (!gain("stiffness", out_.stiffness, kInfinity) ||
            !gain("damping", out_.damping, std::numeric_limits<double>::max()))
            return;
        const ImportedDeformable* source = imported_at(run_, out_.source0);
        if (source == nullptr) {
            if (out_.enabled)
                refuse(fmt::format("physics:src0 <{}> is not an imported deformable; it has no effect", out_.source0));
            return;
        }
        // Particles are held even where the attachment is disabled: it may be enabled later.
        const bool particles = source->kind != ImportedDeformable::Kind::cable;
        if (!out_.enabled && !particles) return;
        // The other side must be a frame.
        if (out_.type1 != "xform")
            return refuse(fmt::format("type1 = {}, expected xform; it has no effect", out_.type1));
        if (!out_.indices1.empty()) return refuse("type1 = xform has no indices1; it has no effect");
        if (out_.indices0.empty()) return refuse("indices0 names no site; it has no effect");
        if (!out_.coords1.empty() && out_.coords1.size() != out_.indices0.size())
            return refuse(fmt::format("coords1 has {} points and indices0 {} sites; it has no effect",
                                      out_.coords1.size(), out_.indices0.size()));
        if (particles)
            attach_particles(*source);
        else
            attach_cable(*source);
    }

    // Without coords1 the site is at the origin of the target.
    [[nodiscard]] Vec3d target_point(std::size_t site) const
    { return out_.coords1.empty() ? Vec3d{} : out_.coords1[site]; }

    void attach_particles(const ImportedDeformable& source)
    {
        if (out_.type0 != "point")
            return refuse(
                fmt::format("type0 = {}, expected point for cloth and soft bodies; it has no effect", out_.type0));
        const std::int32_t count = source.particle[1] - source.particle[0];
        // All sites are checked before the first is added.
        std::vector<std::pair<std::int32_t, Vec3d>> targets;
        for (std::size_t k = 0; k < out_.indices0.size(); ++k) {
            if (const int i = out_.indices0[k]; i < 0 || i >= count)
                return refuse(fmt::format("indices0 names point {} of {}; it has no effect", i, count));
            const auto target = attachment_target(read_, out_.source1, target_point(k));
            if (!target)
                return refuse(
                    fmt::format("physics:src1 <{}> is not an imported transform; it has no effect", out_.source1));
            // Newton holds particles at bodies only.
            if (target->first < 0 && run_.conventions.attachments_need_bodies)
                return refuse(fmt::format("physics:src1 <{}> is not a rigid body; it has no effect", out_.source1));
            if (!is_finite(target->second)) return refuse("coords1 holds a point that is not finite; it has no effect");
            targets.push_back(*target);
        }
        // Infinite stiffness holds exactly; finite ones are springs (solvers/soft/holds).
        for (std::size_t k = 0; k < targets.size(); ++k)
            out_.attachments.push_back(
                run_.builder.add_attachment_particle_body({.body       = targets[k].first,
                                                           .particle   = source.particle[0] + out_.indices0[k],
                                                           .body_point = targets[k].second,
                                                           .stiffness  = out_.stiffness,
                                                           .damping    = out_.damping,
                                                           .enabled    = out_.enabled}));
    }

    void attach_cable(const ImportedDeformable& source)
    {
        if (out_.type0 != "point" && out_.type0 != "segment")
            return refuse(
                fmt::format("type0 = {}, expected point or segment for cables; it has no effect", out_.type0));
        if (out_.type0 == "segment" && out_.coords0.size() != out_.indices0.size())
            return refuse(fmt::format("coords0 has {} entries and indices0 {} segments; it has no effect",
                                      out_.coords0.size(), out_.indices0.size()));
        if (out_.stiffness != kInfinity) return refuse("a cable is held by infinite stiffness only; no joint is made");
        // A site that cannot be made is left out; the others are made.
        for (std::size_t k = 0; k < out_.indices0.size(); ++k) {
            const auto anchor = anchor_of(source, k);
            if (!anchor) continue;
            const auto target = attachment_target(read_, out_.source1, target_point(k));
            if (!target) {
                read_.warn(
                    codes::kDeformableAttachment, prim_,
                    fmt::format("physics:src1 <{}> is not an imported transform; site {} is skipped", out_.source1, k));
                continue;
            }
            model::BuilderJoint joint;
            joint.label        = fmt::format("{}_site{}", out_.path, k);
            joint.type         = model::JointType::ball;
            joint.parent       = target->first;
            joint.child        = anchor->first;
            joint.parent_xform = {target->second, {}};
            joint.child_xform  = {anchor->second, {}};
            // Cable and body touch where they are tied.
            joint.collision_filter_parent = target->first >= 0;
            out_.joints.push_back(run_.builder.add_joint(std::move(joint)));
        }
    }

    /// The body of a cable's site and the point in it.
    std::optional<std::pair<std::int32_t, Vec3d>> anchor_of(const ImportedDeformable& cable, std::size_t site)
    {
        const auto skip = [&](std::string why) {
            read_.warn(codes::kDeformableAttachment, prim_, why + "; the site is skipped");
            return std::nullopt;
        };
        const int index = out_.indices0[site];
        // Coordinates of a site on a segment: u from 0 to 1 along it, then offsets across.
        if (out_.type0 == "segment") {
            if (index < 0 || index >= std::ssize(cable.segment_body) ||
                cable.segment_body[static_cast<std::size_t>(index)] < 0)
                return skip(fmt::format("segment {} of <{}> is not simulated", index, cable.path));
            const auto   s = static_cast<std::size_t>(index);
            const Vec3d& c = out_.coords0[site];
            // (u, normal, binormal): +z of the body is the tangent, +y the normal, and -x the binormal.
            return std::pair{cable.segment_body[s], Vec3d{-read_.factor({0, 1}) * c.z, read_.factor({0, 1}) * c.y,
                                                          (0.5 - c.x) * cable.segment_length[s]}};
        }
        // Points are counted over all curves of the prim.
        std::size_t first = 0, segment0 = 0;
        for (const int n : cable.vertex_counts) {
            const auto        count    = static_cast<std::size_t>(n);
            const std::size_t segments = cable.closed ? count : count > 0 ? count - 1 : 0;
            if (index >= 0 && static_cast<std::size_t>(index) < first + count && segments > 0) {
                // Segment p - 1 ends at point p; a closed curve wraps.
                const std::size_t p = static_cast<std::size_t>(index) - first;
                // The segment that ends at the point; at a curve's start the one that begins there.
                const bool        begins  = p == 0 && !cable.closed;
                const std::size_t segment = segment0 + (begins ? 0 : (p + segments - 1) % segments);
                if (cable.segment_body[segment] < 0) break;
                const double half = 0.5 * cable.segment_length[segment];
                return std::pair{cable.segment_body[segment], Vec3d{0, 0, begins ? -half : half}};
            }
            first += count;
            segment0 += segments;
        }
        return skip(fmt::format("point {} of <{}> is not simulated", index, cable.path));
    }

    const DeformableReader& read_;
    Import&                 run_;
    usd::Prim               prim_;
    ImportedAttachment      out_;
};

/// One attachment, at one end: only then is the cable a branch of the body's articulation.
/// Cables that an attachment may hang on a rigid body: each has one attachment, at one of its ends.
struct Hanging {
    usd::Prim   cable, attachment;
    std::size_t points = 0;
    bool        closed = false;
};

std::vector<Hanging> hanging_cables(const DeformableReader& read)
{
    const Import&                  run = read.run();
    std::map<std::string, Hanging> cables;
    std::map<std::string, int>     uses, first_uses;
    for (const usd::Prim& prim : run.deformables.cables) {
        std::string why;
        const auto  curve = curve_shape(read, prim, why);
        if (curve && curve->counts.size() == 1)
            cables[prim.path().text()] = {prim, {}, curve->points.size(), curve->closed};
    }
    std::vector<std::string> order;
    for (const usd::Prim& prim : run.deformables.attachments) {
        if (!read.flag(prim, "attachmentEnabled").value_or(true)) continue;
        const std::string a = first_target(read, prim, "src0"), b = first_target(read, prim, "src1");
        if (const auto cable = cables.find(a); cable != cables.end()) {
            ++first_uses[a];
            cable->second.attachment = prim;
            order.push_back(a);
        }
        // An attachment with the same cable on both sides uses it once.
        for (const std::string& one : a == b ? std::vector{a} : std::vector{a, b})
            if (cables.contains(one)) ++uses[one];
    }
    std::vector<Hanging> out;
    for (const std::string& path : order)
        // A cable that several attachments hold is no branch of one articulation.
        if (first_uses[path] == 1 && uses[path] == 1) out.push_back(cables.at(path));
    return out;
}

/// Whether the prim belongs to the scene that is imported now.
bool has_turn(const DeformableReader& read, const usd::Prim& prim)
{
    Import& run = read.run();
    if (run.scope == physics::kNone) return true;
    const usd::Prim body = DeformableReader::body_of(prim);
    for (const usd::Prim& one : {prim, body}) {
        if (!one) continue;
        const usd::Relationship owner = one.relationship("physics:simulationOwner");
        if (!owner || owner.targets().empty()) continue;
        run.took(one, "physics:simulationOwner");
        return owner.targets().front() == run.physics.scenes[static_cast<std::size_t>(run.scope)].path;
    }
    // Without an owner it belongs to the first world.
    return run.builder.current_world() == 0;
}

}  // namespace

std::string first_target(const DeformableReader& read, const usd::Prim& prim, std::string_view name)
{
    const std::string       full = "physics:" + std::string(name);
    const usd::Relationship rel  = prim.relationship(full);
    if (!rel) return {};
    read.run().took(prim, full);
    const std::vector<usd::Path> targets = rel.targets();
    return targets.empty() ? std::string() : targets.front().text();
}

std::optional<std::pair<std::int32_t, Vec3d>> attachment_target(const DeformableReader& read, const std::string& target,
                                                                const Vec3d& point)
{
    const Import& run = read.run();
    // The world: points are in stage coordinates.
    if (target.empty() || target == "/") return std::pair{-1, run.X_WS * (run.length() * point)};
    const usd::Prim prim = run.stage.prim_at(usd::Path(target));
    if (!prim) return std::nullopt;
    const Vec3d at = read.placed_points(prim, std::array{point}).front();
    // The nearest body above carries the point.
    for (usd::Prim p = prim; p && !p.path().is_root(); p = p.parent()) {
        const physics::Index body = run.physics.body_at(p.path());
        if (body == physics::kNone || !run.body(body).enabled) continue;
        const std::int32_t index = run.body_index(body);
        // The body was left out of this import.
        if (index < 0) return std::nullopt;
        // In the authored frame, so that the anchor keeps its place in the body wherever the builder puts that.
        return std::pair{index, inverse(run.placed(run.body(body).X_WB)) * at};
    }
    // A frame that moves with no body stands in the world.
    return std::pair{-1, at};
}

std::optional<CableRoot> root_from(const DeformableReader& read, const usd::Prim& attachment, std::size_t point_count,
                                   bool closed, std::int32_t articulation)
{
    if (closed || read.text(attachment, "type0") != "point" || read.text(attachment, "type1") != "xform")
        return std::nullopt;
    const auto indices = read.ints(attachment, "indices0");
    // The first or the last point only.
    if (indices.size() != 1 || !(indices[0] == 0 || indices[0] == static_cast<int>(point_count) - 1))
        return std::nullopt;
    if (!read.ints(attachment, "indices1").empty()) return std::nullopt;
    const auto coords = read.points(attachment, "coords1").value_or(std::vector<Vec3d>{});
    if (coords.size() > 1) return std::nullopt;
    // Finite stiffness is a spring, and a joint has none.
    if (const usd::Attribute k = read.find(attachment, "stiffness");
        k && k.authored_as<double>().value_or(0) != kInfinity)
        return std::nullopt;
    if (const usd::Attribute d = read.find(attachment, "damping")) {
        const double value = d.authored_as<double>().value_or(-1);
        if (!(std::isfinite(value) && value >= 0)) return std::nullopt;
    }
    const auto target =
        attachment_target(read, first_target(read, attachment, "src1"), coords.empty() ? Vec3d{} : coords.front());
    if (!target || (target->first >= 0 && !is_in_articulation(read.run().builder, target->first, articulation)))
        return std::nullopt;
    return CableRoot{attachment.path().text(), indices[0], target->first, target->second};
}

void add_attachments(const DeformableReader& read)
{
    Import& run = read.run();
    for (const usd::Prim& prim : run.deformables.attachments)
        if (imported_at(run, first_target(read, prim, "src0")) != nullptr &&
            run.deformables_seen.insert(prim.path()).second)
            run.result.attachments.push_back(Attacher(read, prim).run());
}

// Each attachment is made once; the set remembers over scenes.
void add_unplaced_attachments(Import& run)
{
    if (run.deformables.attachments.empty()) return;
    const DeformableReader read(run);
    for (const usd::Prim& prim : run.deformables.attachments)
        if (run.deformables_seen.insert(prim.path()).second)
            run.result.attachments.push_back(Attacher(read, prim).run());
}

// Called after each articulation, so that the joints of its cables follow its own.
void add_attached_cables(Import& run)
{
    if (run.deformables.cables.empty() || run.deformables.attachments.empty() || run.builder.articulations.empty())
        return;
    const DeformableReader read(run);
    const auto             latest = static_cast<std::int32_t>(run.builder.articulations.size()) - 1;
    for (const Hanging& one : hanging_cables(read)) {
        const std::string path = one.cable.path().text();
        if (imported_at(run, path) != nullptr || !has_turn(read, one.cable)) continue;
        const auto root = root_from(read, one.attachment, one.points, one.closed, latest);
        if (root && root->parent >= 0) add_cable(read, one.cable, &*root);
    }
}

void add_deformables(Import& run)
{
    if (!run.deformables.any()) return;
    const DeformableReader read(run);
    // In this scene, not imported yet, and not looked at before.
    const auto pending = [&](const usd::Prim& prim) {
        return has_turn(read, prim) && imported_at(run, prim.path().text()) == nullptr &&
               run.deformables_seen.insert(prim.path()).second;
    };
    const CableTopology topology = run.deformables.attachments.empty() ? CableTopology{} : weld_cables(read);
    // Cables that hang on a body first: their joints follow those of its articulation.
    // 0: on a body, 1: on the world, 2: free.
    for (const int turn : {0, 1, 2})
        for (const usd::Prim& prim : run.deformables.cables) {
            const auto root = topology.roots.find(prim.path().text());
            const int  when = root == topology.roots.end() ? 2 : root->second.parent >= 0 ? 0 : 1;
            if (when == turn && pending(prim)) add_cable(read, prim, when == 2 ? nullptr : &root->second);
        }
    for (const usd::Prim& prim : run.deformables.cloths)
        if (pending(prim)) add_cloth(read, prim);
    for (const usd::Prim& prim : run.deformables.tets)
        if (pending(prim)) add_volume(read, prim);
    add_attachments(read);
}

// Collapsing fixed joints renumbers bodies and joints of the builder; a joint that is gone leaves the list.
void renumber_deformables(Import& run)
{
    if (!run.result.collapse_results) return;
    const model::CollapseResult& moved = *run.result.collapse_results;
    const auto                   body  = [&](std::int32_t& b) {
        if (b >= 0) b = moved.body_remap[static_cast<std::size_t>(b)];
    };
    const auto joint = [&](std::vector<std::int32_t>& list) {
        for (std::int32_t& j : list) j = moved.joint_remap[static_cast<std::size_t>(j)];
        std::erase(list, -1);
    };
    for (ImportedDeformable& d : run.result.deformables) {
        for (std::int32_t& b : d.bodies) body(b);
        for (std::int32_t& b : d.segment_body) body(b);
        joint(d.joints);
    }
    for (ImportedAttachment& a : run.result.attachments) joint(a.joints);
}

}  // namespace mechane::importer
