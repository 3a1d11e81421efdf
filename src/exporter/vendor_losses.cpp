// Values of vendors' schemas that the result does not say. Every attribute that a stage authors in a vendor's words is
// either told by the writer (vendor_words.h), is the subject of an entry of the report already, or becomes an entry
// here: what it belongs to, its value and why it is not in the result. Values that are the defaults of their schemas
// are one entry together.
//
// Called at the end of StageReader::read, when joints have their direction and shapes their form.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "exporter/mjcf/writer.h"
#include "exporter/stage_reader.h"
#include "exporter/vendor_words.h"
#include "mechane/resolve/actuators.h"
#include "mechane/resolve/joint_values.h"
#include "mechane/usd/declared_attribute.h"
#include "physics/mimic_words.h"

namespace mechane::exporter {
namespace {

using resolve::Key;

/// Entries that stand for a prim with all that it says.
constexpr std::string_view kWholePrim[] = {"actuator", "coupling", "disabled-joint", "shape", "soft"};

/// Keys of which two are one value in other words.
Key same_as(Key key) { return key == Key::joint_damping_per_rad ? Key::joint_damping : key; }

/// What MJCF takes from MuJoCo's attributes where the prim has them, whoever has the priority.
struct Preferred {
    Key              key;
    std::string_view attribute;
};
constexpr Preferred kPreferred[] = {{Key::shape_margin, "mjc:margin"},
                                    {Key::shape_margin, "mjc:gap"},
                                    {Key::shape_gap, "mjc:margin"},
                                    {Key::shape_gap, "mjc:gap"},
                                    {Key::shape_ke, "mjc:solref"},
                                    {Key::shape_kd, "mjc:solref"},
                                    {Key::joint_limit_ke, "mjc:solreflimit"},
                                    {Key::joint_limit_kd, "mjc:solreflimit"},
                                    {Key::scene_max_solver_iterations, "mjc:option:iterations"},
                                    {Key::scene_time_steps_per_second, "mjc:option:timestep"}};

class VendorLosses {
  public:
    VendorLosses(StageReader& reader, Format format) : r_(reader), format_(format)
    {
        for (const sf::Loss& loss : r_.losses.entries) {
            if (!loss.site.property.empty()) told_.insert(loss.site.prim + "." + loss.site.property);
            if (loss.code == "surface-velocity") moved_.insert(loss.site.prim);
            if (loss.code == "mimic") unfollowed_.insert(loss.site.prim);
            if (std::ranges::find(kWholePrim, loss.code) != std::end(kWholePrim)) whole_.insert(loss.site.prim);
        }
        for (std::size_t j = 0; j < r_.tree.joints.size(); ++j) joints_[r_.tree.joints[j].name] = j;
        for (const physics::Collider& c : r_.model.colliders) {
            if (!r_.shapes.contains(c.path) || (c.own_material == physics::kNone && c.materials.empty())) continue;
            const auto of = c.own_material != physics::kNone ? c.own_material : c.materials.front();
            materials_.insert(r_.model.materials[at(of)].path);
        }
        for (const usd::Prim& prim : r_.stage.traverse()) {
            if (prim.type_name() != usd::Token("MjcActuator")) continue;
            std::vector<sf::Extra> extras;
            r_.vendor_values(prim, extras);
            // A motor stands beside the drive, with a gain of its own.
            if (mjcf::MjcfWriter::is_motor(extras)) continue;
            for (const usd::Path& target : prim.relationship("mjc:target").targets()) moved_by_mujoco_.insert(target);
        }
        for (const physics::Articulation& a : r_.model.articulations) articulations_.insert(a.prim.path());
    }

    void tell()
    {
        for (const usd::Prim& prim : r_.stage.traverse()) {
            std::vector<usd::Token> names;
            for (const usd::Token& name : prim.authored_property_names())
                if (!vendor_of(name.text()).empty() && prim.attribute(name).authored()) names.push_back(name);
            if (names.empty() || whole_.contains(prim.path().text())) continue;
            parts(prim);
            for (const usd::Token& name : names)
                if (!is_known(prim, name.text())) entry(prim, prim.attribute(name));
        }
        if (plain_.empty()) return;
        std::vector<std::string> names(plain_.begin(), plain_.end());
        r_.lose("vendor-default", Severity::info, sf::LossAction::kept, "metadata", r_.stage.default_prim().site(),
                fmt::format("{} values of vendors' schemas", plain_count_), fmt::format("{}", fmt::join(names, ", ")),
                {}, fmt::format("{} cannot express them; they are the defaults of their schemas", to_string(format_)));
    }

  private:
    StageReader&                                 r_;
    Format                                       format_;
    std::set<std::string>                        told_, whole_, moved_, unfollowed_, plain_;
    std::size_t                                  plain_count_ = 0;
    std::unordered_map<std::string, std::size_t> joints_;
    std::set<usd::Path>                          materials_, articulations_, moved_by_mujoco_;
    // Of the prim at hand.
    std::vector<Part> parts_;
    const sf::Joint*  joint_ = nullptr;
    std::string       what_;

    void parts(const usd::Prim& prim)
    {
        parts_.clear();
        joint_           = nullptr;
        what_            = prim.path().text();
        const auto& path = prim.path();
        if (!r_.model.scenes.empty() && r_.model.scenes.front().prim == prim) {
            parts_.push_back(Part::scene);
            what_ = "scene";
        }
        if (const auto named = r_.joint_names.find(path); named != r_.joint_names.end())
            if (const auto j = joints_.find(named->second); j != joints_.end()) of_joint(r_.tree.joints[j->second]);
        if (const auto l = r_.links.find(path); l != r_.links.end()) {
            parts_.push_back(Part::body);
            what_ = fmt::format("link '{}'", r_.tree.links[at(l->second)].name);
        }
        if (articulations_.contains(path) || prim.has_api("PhysicsArticulationRootAPI"))
            parts_.push_back(Part::articulation);
        if (const auto s = r_.shapes.find(path); s != r_.shapes.end()) of_shape(r_.tree.shapes[at(s->second)]);
        if (const auto s = r_.sites.find(path); s != r_.sites.end())
            parts_.push_back(r_.tree.sites[at(s->second)].published ? Part::frame : Part::site);
        if (materials_.contains(path)) parts_.push_back(Part::material);
        const std::string type = prim.type_name().text();
        if (type == "NewtonActuator") parts_.push_back(Part::drive);
        if (type == "MjcActuator") parts_.push_back(Part::actuator);
        if (type == "MjcKeyframe") parts_.push_back(Part::keyframe);
        if (type == "MjcTendon")
            parts_.push_back(prim.attribute("mjc:type").get_or<std::string>("spatial") == "fixed" ? Part::fixed_tendon
                                                                                                  : Part::tendon);
    }

    void of_joint(const sf::Joint& joint)
    {
        joint_ = &joint;
        what_  = fmt::format("joint '{}'", joint.name);
        if (joint.loop)
            parts_.push_back(Part::loop);
        else if (joint.kind == sf::Joint::Kind::ball)
            parts_.push_back(Part::ball);
        else if (!joint.dofs.empty())
            parts_.push_back(Part::joint);
        if (joint.mimic) parts_.push_back(Part::follower);
    }

    void of_shape(const sf::Shape& shape)
    {
        what_ = fmt::format("shape '{}'", shape.name);
        if (shape.visual) parts_.push_back(Part::visual);
        if (!shape.collider) return;
        parts_.push_back(Part::collider);
        if (shape.kind == sf::Shape::Kind::mesh && shape.mesh >= 0 && shape.approximation.empty())
            parts_.push_back(Part::hull);
    }

    /// Whether the result says it, or an entry does.
    [[nodiscard]] bool is_known(const usd::Prim& prim, const std::string& name) const
    {
        const std::string& path = prim.path().text();
        if (told_.contains(path + "." + name)) return true;
        if (name.starts_with("physxSurfaceVelocity:") && moved_.contains(path)) return true;
        if (follows(prim, name) || r_.is_weighed_by(prim, name)) return true;
        if (name.starts_with("state:")) return is_start(prim, name);
        const std::string shared = resolve::shared_attribute(name);
        const std::string word   = shared.empty() ? name : shared;
        return std::ranges::any_of(parts_, [&](Part part) { return is_told(part, word, format_); }) &&
               has_say(prim, name, word);
    }

    /// What makes a joint follow another.
    [[nodiscard]] bool follows(const usd::Prim& prim, const std::string& name) const
    {
        const auto words = physics::mimic_words(prim);
        if (words.empty() || joint_ == nullptr || (!joint_->mimic && !unfollowed_.contains(prim.path().text())))
            return false;
        const auto used = std::ranges::find_if(
            words, [&](const physics::MimicWords& w) { return w.sign > 0 || !w.leaders(prim).empty(); });
        return used != words.end() &&
               (name == used->factor || name == used->offset || name == used->enabled || name == used->leader_axis);
    }

    /// Where a joint starts is where its bodies stand: the result says the same, or the report does.
    [[nodiscard]] bool is_start(const usd::Prim& prim, const std::string& name) const
    {
        const double value = prim.attribute(name).get_or<double>(0);
        if (name.ends_with(":velocity")) return joint_ != nullptr && value != 0;
        if (!name.ends_with(":position") || joint_ == nullptr || joint_->dofs.size() != 1) return false;
        return std::abs(value * (joint_->dofs[0].angular ? kRadians : r_.unit) - joint_->initial) <= 1e-4;
    }

    /// Whether the attribute is the one that counts, of those that say the same.
    [[nodiscard]] bool has_say(const usd::Prim& prim, const std::string& name, const std::string& word) const
    {
        const bool limit = word.find(":limit") != std::string::npos || word.starts_with("physxLimit:");
        if (limit && joint_ != nullptr && std::ranges::none_of(joint_->dofs, [](const sf::Dof& dof) {
                return dof.limit_stiffness || dof.limit_damping;
            }))
            return false;
        // Where a spring is at rest is told with the spring.
        if (format_ == Format::sdformat && word == "mjc:springref" &&
            !prim.attribute(name.substr(0, name.size() - 9) + "stiffness").authored())
            return false;
        if (format_ == Format::mjcf && (is_empty_range(prim, word) || is_replaced_drive(prim))) return false;
        return winner(prim, name, word) == std::string();
    }

    /// Whether the attribute is one end of a range that leaves nothing: no range is written then.
    [[nodiscard]] static bool is_empty_range(const usd::Prim& prim, const std::string& word)
    {
        if (!word.ends_with(":min") && !word.ends_with(":max")) return false;
        const std::string range = word.substr(0, word.size() - 4);
        return !(prim.attribute(range + ":min").get_or<double>(0) < prim.attribute(range + ":max").get_or<double>(0));
    }

    /// Whether MJCF has MuJoCo's actuator of a joint in the place of the joint's drive.
    [[nodiscard]] bool is_replaced_drive(const usd::Prim& prim) const
    {
        if (std::ranges::find(parts_, Part::drive) == parts_.end()) return false;
        const auto targets = prim.relationship("newton:targets").targets();
        return !targets.empty() && moved_by_mujoco_.contains(targets.front());
    }

    /// The attribute of the prim that counts in the place of this one; empty: none does; nothing: neither counts.
    [[nodiscard]] std::optional<std::string> winner(const usd::Prim& prim, const std::string& name,
                                                    const std::string& word) const
    {
        const bool                 passed = format_ == Format::mjcf && word.starts_with("mjc:");
        bool                       asked  = false;
        std::optional<std::string> other;
        for (const resolve::Resolver& resolver : r_.resolvers.resolvers())
            for (const resolve::Row& row : resolver.rows) {
                if (std::ranges::find(row.attributes, word) == row.attributes.end()) continue;
                asked = true;
                if (format_ == Format::mjcf && !passed)
                    for (const Preferred& one : kPreferred)
                        if (one.key == row.key && prim.attribute(std::string(one.attribute)).authored())
                            return std::string(one.attribute);
                // Values that MJCF has as MuJoCo's attributes say them.
                if (passed && is_passed_on(row.key)) return std::string();
                const std::string first = first_of(prim, row.key);
                if (first.empty()) continue;
                if (first == name || first == word || std::ranges::find(row.attributes, first) != row.attributes.end())
                    return std::string();
                other = first;
            }
        return asked ? other : std::optional(std::string());
    }

    /// Keys that the reader of the stage does not resolve for MJCF, since the attributes go on as they are.
    [[nodiscard]] static bool is_passed_on(Key key)
    {
        const Key own = same_as(key);
        return own != Key::joint_armature && own != Key::joint_damping && own != Key::joint_friction;
    }

    [[nodiscard]] std::string first_of(const usd::Prim& prim, Key key) const
    {
        for (const resolve::Resolver& resolver : r_.resolvers.resolvers()) {
            const resolve::ResolverList one({resolver});
            for (const Key k : {Key::joint_damping, Key::joint_damping_per_rad})
                if (same_as(key) == Key::joint_damping)
                    if (const auto answer = one.get(prim, k, r_.context); answer.authored()) return answer.attribute;
            if (same_as(key) == Key::joint_damping) continue;
            if (const auto answer = one.get(prim, key, r_.context); answer.authored()) return answer.attribute;
        }
        return {};
    }

    /// What a simulation here makes of it; none: nothing.
    [[nodiscard]] std::optional<Key> simulated(const std::string& word) const
    {
        for (const resolve::Resolver& resolver : r_.resolvers.resolvers())
            for (const resolve::Row& row : resolver.rows)
                if (std::ranges::find(row.attributes, word) != row.attributes.end()) return row.key;
        return std::nullopt;
    }

    [[nodiscard]] const char* category() const
    {
        const auto has = [&](std::initializer_list<Part> any) {
            return std::ranges::any_of(parts_, [&](Part part) { return std::ranges::find(any, part) != any.end(); });
        };
        if (has({Part::joint, Part::ball, Part::loop, Part::body, Part::articulation})) return "kinematics";
        if (has({Part::collider, Part::material})) return "contact";
        if (has({Part::drive, Part::actuator, Part::tendon, Part::fixed_tendon})) return "actuation";
        return has({Part::visual}) ? "visual" : "metadata";
    }

    void entry(const usd::Prim& prim, const usd::Attribute& attribute)
    {
        const std::string& name     = attribute.name().text();
        const usd::Value   value    = attribute.authored_value();
        const auto*        declared = usd::declared_attribute(name);
        const std::string  shared   = resolve::shared_attribute(name);
        const std::string  word     = shared.empty() ? name : shared;
        if (declared != nullptr && !attribute.varying() && value.to_text() == declared->fallback.to_text()) {
            plain_.insert(name);
            ++plain_count_;
            return;
        }
        const auto        key   = simulated(word);
        const std::string other = winner(prim, name, word).value_or("");
        const bool        start = name.starts_with("state:") && name.ends_with(":position"),
                          slows = key == Key::body_linear_damping || key == Key::body_angular_damping;
        const std::string reason =
            !other.empty() ? fmt::format("{} says the same value, and counts", other)
            : start        ? std::string("the result starts where the bodies stand")
            : name.starts_with("mjc:compiler:")
                ? std::string(
                      "it tells MuJoCo how to compile MJCF; the result has the masses and frames of a simulation here")
                : fmt::format("{} cannot express this value of {}", to_string(format_), vendor_of(name));
        r_.lose(start   ? "start-pose"
                : slows ? "body-damping"
                        : "vendor-value",
                key && other.empty() ? Severity::warning : Severity::info, sf::LossAction::dropped, category(),
                attribute.site(), fmt::format("{} of {}", name, what_), value.to_text(), {}, reason);
        r_.losses.entries.back().motion = start || slows;
    }
};

}  // namespace

void lose_vendor_values(StageReader& reader, Format format) { VendorLosses(reader, format).tell(); }

}  // namespace mechane::exporter
