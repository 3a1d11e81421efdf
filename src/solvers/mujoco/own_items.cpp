// What a source says in MuJoCo's own terms and the model has as custom attributes: tendons, equalities, actuators,
// contact pairs, and the options of the engine. Names are those that Newton 1.8 registers.
// Rows that name nothing in this part are left out and reported once.

#include "solvers/mujoco/own_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

namespace mechane::solvers::mujoco {

namespace {

/// mjtDisableBit and mjtEnableBit by the flag that the model has.
struct FlagBit {
    const char* name;
    int         bit;
    bool        enables = false;
};
/// Bits of mjtDisableBit and mjtEnableBit (mjmodel.h); flags default to on, those that enable to off.
constexpr FlagBit kFlags[]   = {{"flag_constraint", 0},   {"flag_equality", 1},         {"flag_frictionloss", 2},
                                {"flag_limit", 3},        {"flag_contact", 4},          {"flag_spring", 5},
                                {"flag_damper", 6},       {"flag_clampctrl", 8},        {"flag_warmstart", 9},
                                {"flag_actuation", 11},   {"flag_refsafe", 12},         {"flag_sensor", 13},
                                {"flag_eulerdamp", 15},   {"flag_nativeccd", 17},       {"flag_island", 18},
                                {"flag_energy", 1, true}, {"flag_invdiscrete", 3, true}};
constexpr int     kAutoreset = 1 << 16, kContact = 1 << 4, kMulticcd = 1 << 19;

class Adder {
  public:
    explicit Adder(const OwnItems& own) : own_(own), a_(own.attributes), m_(own.model), what_(own.part.what)
    {
        for (const auto& t : what_.tendons) names_.insert(t.name);
    }

    void run()
    {
        add_tendons();
        add_equalities();
        add_actuators();
        add_pairs();
    }

  private:
    template <class Index>
    static std::int32_t at(const std::vector<std::int32_t>& list, Index i)
    { return i >= 0 && static_cast<std::size_t>(i) < list.size() ? list[static_cast<std::size_t>(i)] : -1; }
    /// A body of the description; -1 is the world, -2 none.
    [[nodiscard]] std::int32_t body(std::int32_t b) const
    {
        if (b < 0) return -1;
        const std::int32_t item = at(own_.item_of, b);
        return item < 0 ? -2 : item;
    }
    /// The joint of a dof, or of a joint that has one axis.
    /// MuJoCo has one joint per axis: a dof names one; a joint of several axes names none unless it is a ball.
    [[nodiscard]] std::int32_t joint(std::int32_t j, std::int32_t dof) const
    {
        if (dof >= 0) return at(own_.joint_of, dof);
        if (j < 0 || static_cast<std::size_t>(j) >= m_.joint_count()) return -1;
        const std::int32_t first = m_.joint_qd_start[j], n = m_.joint_qd_start[j + 1] - first;
        const std::int32_t found = n > 0 ? at(own_.joint_of, first) : -1;
        return n == 1 || (found >= 0 && what_.joints[static_cast<std::size_t>(found)].kind == JointKind::ball) ? found
                                                                                                               : -1;
    }
    [[nodiscard]] bool mine(const char* world, std::size_t row) const { return own_.in_part(a_.whole(world, row, -1)); }
    std::string        unique(std::string name)
    {
        std::string out = name;
        for (int k = 1; !names_.insert(out).second; ++k) out = fmt::format("{}_{}", name, k);
        return out;
    }
    void left_out(const char* what, std::size_t row, const std::string& label)
    {
        own_.shortfalls.add(Support::ignored, fmt::format("{} name nothing that MuJoCo has, and are left out", what),
                            label.empty() ? fmt::format("row {}", row) : label);
    }

    void add_tendons()
    {
        const std::size_t n = a_.rows("tendon_world");
        tendon_of_.assign(n, -1);
        for (std::size_t i = 0; i < n; ++i) {
            if (!mine("tendon_world", i)) continue;
            TendonItem  t;
            std::string label = a_.text("tendon_label", i);
            t.stiffness       = a_.number("tendon_stiffness", i, 0);
            t.damping         = a_.number("tendon_damping", i, 0);
            t.friction        = a_.number("tendon_frictionloss", i, 0);
            t.armature        = a_.number("tendon_armature", i, 0);
            t.margin          = a_.number("tendon_margin", i, 0);
            t.limited         = limited("tendon_limited", i);
            t.range           = a_.numbers<2>("tendon_range", i, {0, 0});
            t.force_limited   = limited("tendon_actuator_force_limited", i);
            t.force_range     = a_.numbers<2>("tendon_actuator_force_range", i, {0, 0});
            t.solref_limit    = a_.numbers<2>("tendon_solref_limit", i, kSolref);
            t.solimp_limit    = a_.numbers<5>("tendon_solimp_limit", i, kSolimp);
            t.solref_friction = a_.numbers<2>("tendon_solref_friction", i, kSolref);
            t.solimp_friction = a_.numbers<5>("tendon_solimp_friction", i, kSolimp);
            t.spring_length   = a_.numbers<2>("tendon_springlength", i, {-1, -1});
            // -1 asks MuJoCo to use the length at qpos0; a single number stands for both ends.
            if (t.spring_length[0] == -1) t.spring_length = {-1, -1};
            if (t.spring_length[1] < t.spring_length[0]) t.spring_length[1] = t.spring_length[0];
            if (!(a_.whole("tendon_type", i, 0) == 0 ? fixed_path(i, t) : spatial_path(i, t)) || t.path.empty()) {
                left_out("tendons", i, label);
                continue;
            }
            t.row         = static_cast<std::int32_t>(i);
            t.name        = unique(label.empty() ? fmt::format("tendon_{}", i) : label);
            tendon_of_[i] = static_cast<std::int32_t>(what_.tendons.size());
            what_.tendons.push_back(std::move(t));
        }
    }
    bool fixed_path(std::size_t i, TendonItem& t) const
    {
        const std::int32_t first = a_.whole("tendon_joint_adr", i, 0), n = a_.whole("tendon_joint_num", i, 0);
        for (std::int32_t k = first;
             first >= 0 && k < first + n && static_cast<std::size_t>(k) < a_.rows("tendon_joint"); ++k) {
            const auto row = static_cast<std::size_t>(k);
            // Of a joint with several axes the dof says which; rows of Newton 1.8 have none.
            const std::int32_t found = joint(a_.whole("tendon_joint", row, -1), a_.whole("tendon_joint_dof", row, -1));
            if (found < 0 || what_.joints[static_cast<std::size_t>(found)].kind == JointKind::ball) continue;
            t.path.push_back({WrapItem::Kind::joint, found, -1, a_.number("tendon_coef", row, 1)});
        }
        return true;
    }
    bool spatial_path(std::size_t i, TendonItem& t) const
    {
        const std::int32_t first = a_.whole("tendon_wrap_adr", i, 0), n = a_.whole("tendon_wrap_num", i, 0);
        for (std::int32_t k = first; first >= 0 && k < first + n; ++k) {
            const auto         row   = static_cast<std::size_t>(k);
            const std::int32_t shape = a_.whole("tendon_wrap_shape", row, -1);
            WrapItem           w;
            switch (a_.whole("tendon_wrap_type", row, -1)) {
                case 0:
                    w.kind = WrapItem::Kind::site, w.target = at(own_.site_of, shape);
                    break;
                case 1:
                    w.kind = WrapItem::Kind::geom, w.target = at(own_.part.geom_of_shape, shape);
                    w.side = at(own_.site_of, a_.whole("tendon_wrap_sidesite", row, -1));
                    break;
                case 2:
                    w.kind = WrapItem::Kind::pulley, w.factor = a_.number("tendon_wrap_prm", row, 0),
                    w.target = w.factor > 0 ? 0 : -1;
                    break;
                default:
                    return false;
            }
            if (w.target < 0) return false;
            t.path.push_back(w);
        }
        return t.path.size() >= 2;
    }

    /// Where the model counts mimics apart from joints nothing else holds the row's joint.
    [[nodiscard]] bool stood_for(std::size_t row) const
    {
        const std::int32_t kind   = a_.whole("equality_constraint_target_kind", row, 0);
        const std::int32_t target = a_.whole("equality_constraint_target", row, -1);
        if (kind != 2) return kind != 0 && target >= 0;
        const std::int32_t joint = a_.whole("equality_constraint_joint1", row, target);
        return joint >= 0 && joint < static_cast<std::int32_t>(m_.joint_mimic_joint.size()) &&
               m_.joint_mimic_joint[joint] >= 0;
    }

    void add_equalities()
    {
        for (std::size_t i = 0; i < a_.rows("equality_constraint_type"); ++i) {
            if (!mine("equality_constraint_world", i)) continue;
            EqualityItem       e;
            const std::int32_t kind  = a_.whole("equality_constraint_type", i, -1);
            const auto         whole = [&](const char* name) { return a_.whole(name, i, -1); };
            if (kind < 0 || kind > 3) continue;
            // A loop joint or a follower of the model stands for it, and takes its softness (convert.cpp).
            if (stood_for(i)) continue;
            e.kind                     = static_cast<EqualityKind>(kind);
            e.row                      = static_cast<std::int32_t>(i);
            e.active                   = a_.flag("equality_constraint_enabled", i, true);
            e.solref                   = a_.numbers<2>("eq_solref", i, kSolref);
            e.solimp                   = a_.numbers<5>("eq_solimp", i, kSolimp);
            const std::string label    = a_.text("equality_constraint_label", i);
            const auto        anchor   = a_.numbers<3>("equality_constraint_anchor", i, {0, 0, 0});
            bool              complete = true;
            if (e.kind == EqualityKind::connect || e.kind == EqualityKind::weld) {
                e.first = body(whole("equality_constraint_body1")), e.second = body(whole("equality_constraint_body2"));
                complete = e.first >= -1 && e.second >= -1 && e.first != e.second;
                std::copy(anchor.begin(), anchor.end(), e.data.begin());
                if (e.kind == EqualityKind::weld) {
                    const auto X = a_.numbers<7>("equality_constraint_relpose", i, {0, 0, 0, 0, 0, 0, 1});
                    std::copy(X.begin(), X.begin() + 3, e.data.begin() + 3);
                    // Quaternions: ours are x y z w, MuJoCo's w x y z.
                    e.data[6] = X[6], e.data[7] = X[3], e.data[8] = X[4], e.data[9] = X[5];
                    e.data[10] = a_.number("equality_constraint_torquescale", i, 1);
                }
            } else if (e.kind == EqualityKind::joint) {
                e.first  = joint(whole("equality_constraint_joint1"), whole("equality_constraint_joint1_dof"));
                e.second = joint(whole("equality_constraint_joint2"), whole("equality_constraint_joint2_dof"));
                complete = e.first >= 0 && (e.second >= 0 || whole("equality_constraint_joint2") < 0);
            } else {
                e.first  = at(tendon_of_, whole("equality_constraint_tendon1"));
                e.second = at(tendon_of_, whole("equality_constraint_tendon2"));
                complete = e.first >= 0;
            }
            if (e.kind == EqualityKind::joint || e.kind == EqualityKind::tendon) {
                const auto c = a_.numbers<5>("equality_constraint_polycoef", i, {0, 1, 0, 0, 0});
                std::copy(c.begin(), c.end(), e.data.begin());
            }
            if (complete)
                what_.equalities.push_back(std::move(e));
            else
                left_out("equality constraints", i, label);
        }
    }

    Limited limited(const char* name, std::size_t i) const
    { return static_cast<Limited>(std::clamp(a_.whole(name, i, 2), 0, 2)); }
    std::array<double, 2> range(const char* name, const char* has, std::size_t i) const
    { return a_.has(has) && !a_.flag(has, i, false) ? std::array<double, 2>{} : a_.numbers<2>(name, i, {0, 0}); }

    /// What an actuator acts on, by index or by label.
    bool find_target(std::size_t i, ActuatorItem& item) const
    {
        const std::int32_t kind  = a_.whole("actuator_trntype", i, 0);
        std::int32_t       first = a_.whole("actuator_trnid", i, -1), second = a_.whole("actuator_trnid", i, -1, 1);
        const std::string  label  = a_.text("actuator_target_label", i);
        const auto         refers = [&](const char* name) { return a_.whole(name, i, -1); };
        if (a_.has("actuator_target_dof")) {  // of a stage that was read in the library: one index a kind
            first  = kind <= 1   ? refers("actuator_target_dof")
                     : kind == 4 ? refers("actuator_target_body")
                     : kind == 2 ? refers("actuator_target_tendon")
                                 : refers("actuator_target_site");
            second = kind == 2 ? -1 : refers("actuator_target_refsite");
        }
        if (kind >= 0 && kind <= 1) {
            item.transmission = kind == 0 ? Transmission::joint : Transmission::joint_in_parent;
            item.target       = at(own_.joint_of, first);
        } else if (kind == 2) {
            item.transmission = Transmission::tendon;
            // A row of Newton's may have the tendon as its first or second number.
            item.target = at(tendon_of_, first < 0 || (first == 0 && second > 0) ? second : first);
        } else if (kind == 3) {
            item.transmission = Transmission::site;
            item.target = at(own_.site_of, first), item.second = at(own_.site_of, second);
        } else if (kind == 4) {
            item.transmission = Transmission::body;
            item.target       = at(own_.item_of, first);
        } else if (kind == 5) {
            item.transmission = Transmission::slidercrank;
            item.target = at(own_.site_of, first), item.second = at(own_.site_of, second);
            if (item.second < 0) item.target = -1;
        }
        if (item.target >= 0 || label.empty()) return item.target >= 0;
        const auto named = [&](const std::vector<std::string>& labels) {
            const auto found = std::find(labels.begin(), labels.end(), label);
            return found == labels.end() ? -1 : static_cast<std::int32_t>(found - labels.begin());
        };
        if (const std::int32_t j = named(m_.joint_label); j >= 0) {
            item.transmission = Transmission::joint;
            item.target       = joint(j, -1);
        } else if (const std::int32_t s = named(m_.shape_label); s >= 0 && at(own_.site_of, s) >= 0) {
            item.transmission = Transmission::site;
            item.target       = at(own_.site_of, s);
        } else if (const std::int32_t b = named(m_.body_label); b >= 0) {
            item.transmission = Transmission::body;
            item.target       = at(own_.item_of, b);
        } else {
            for (std::size_t t = 0; t < tendon_of_.size() && item.target < 0; ++t)
                if (a_.text("tendon_label", t) == label)
                    item.transmission = Transmission::tendon, item.target = tendon_of_[t];
        }
        return item.target >= 0;
    }
    void add_actuators()
    {
        const std::size_t n =
            std::max({a_.rows("actuator_trnid"), a_.rows("actuator_target_label"), a_.rows("actuator_target_dof")});
        for (std::size_t i = 0; i < n; ++i) {
            // 0: the drive of a joint stands for this actuator.
            if (a_.whole("ctrl_source", i, 1) != 1 || !mine("actuator_world", i)) continue;  // 0: it is a joint's drive
            ActuatorItem item;
            if (!find_target(i, item)) {
                left_out("actuators", i, a_.text("actuator_label", i));
                continue;
            }
            item.gear               = a_.numbers<6>("actuator_gear", i, {1, 0, 0, 0, 0, 0});
            item.gain               = a_.numbers<10>("actuator_gainprm", i, {1});
            item.bias               = a_.numbers<10>("actuator_biasprm", i, {});
            item.dyn                = a_.numbers<10>("actuator_dynprm", i, {1});
            item.gain_type          = a_.whole("actuator_gaintype", i, 0);
            item.bias_type          = a_.whole("actuator_biastype", i, 0);
            item.dyn_type           = a_.whole("actuator_dyntype", i, 0);
            item.activations        = a_.whole("actuator_actdim", i, -1);
            item.control_limited    = limited("actuator_ctrllimited", i);
            item.force_limited      = limited("actuator_forcelimited", i);
            item.activation_limited = limited("actuator_actlimited", i);
            item.control_range      = range("actuator_ctrlrange", "actuator_has_ctrlrange", i);
            item.force_range        = range("actuator_forcerange", "actuator_has_forcerange", i);
            item.activation_range   = range("actuator_actrange", "actuator_has_actrange", i);
            item.length_range       = a_.numbers<2>("actuator_lengthrange", i, {0, 0});
            item.damping            = a_.number("actuator_damping", i, 0);
            item.armature           = a_.number("actuator_armature", i, 0);
            item.crank_length       = a_.number("actuator_cranklength", i, 0);
            item.early              = a_.flag("actuator_actearly", i, false);
            own_.part.controls.push_back({ControlPlace::Source::direct,
                                          static_cast<std::int32_t>(what_.actuators.size()), -1,
                                          static_cast<std::int32_t>(i), -1, -1, 0});
            what_.actuators.push_back(std::move(item));
        }
    }

    void add_pairs()
    {
        for (std::size_t i = 0; i < a_.rows("pair_geom1"); ++i) {
            if (!mine("pair_world", i)) continue;
            PairItem p;
            p.own    = true;
            p.first  = at(own_.part.geom_of_shape, a_.whole("pair_geom1", i, -1));
            p.second = at(own_.part.geom_of_shape, a_.whole("pair_geom2", i, -1));
            if (p.first < 0 || p.second < 0) {
                left_out("contact pairs", i, {});
                continue;
            }
            p.condim          = a_.whole("pair_condim", i, 3);
            p.solref          = a_.numbers<2>("pair_solref", i, kSolref);
            p.solref_friction = a_.numbers<2>("pair_solreffriction", i, {0, 0});
            p.solimp          = a_.numbers<5>("pair_solimp", i, kSolimp);
            p.margin          = a_.number("pair_margin", i, 0);
            p.gap             = a_.number("pair_gap", i, 0);
            p.friction        = a_.numbers<5>("pair_friction", i, {1, 1, 0.005, 0.0001, 0.0001});
            // A pair of the source replaces the one that the filter made.
            std::erase_if(what_.pairs, [&](const PairItem& other) {
                return !other.own && std::minmax(other.first, other.second) == std::minmax(p.first, p.second);
            });
            what_.pairs.push_back(p);
        }
    }

    const OwnItems&           own_;
    const Attributes&         a_;
    const model::Model&       m_;
    Description&              what_;
    std::vector<std::int32_t> tendon_of_;
    std::set<std::string>     names_;
};

}  // namespace

EngineOptions engine_options(const Attributes& a, const ConvertOptions& options, std::int32_t world)
{
    EngineOptions o;
    const auto    w = static_cast<std::size_t>(world);
    // Order of priority: the caller's option, the model's attribute, MuJoCo's default.
    const auto given = [&](const char* name) -> const double* {
        const auto at = options.given.find(name);
        return at == options.given.end() ? nullptr : &at->second;
    };
    const auto number = [&](const char* name, double& out, double least) {
        const double value = given(name) ? *given(name) : a.number(name, a.rows(name) > w ? w : 0, out);
        if (value >= least) out = value;
    };
    const auto whole = [&](const char* name, std::int32_t& out, std::int32_t least, std::int32_t most) {
        const double value = given(name) ? *given(name) : a.number(name, 0, out);
        if (value >= least && value <= most) out = static_cast<std::int32_t>(value);
    };
    number("impratio", o.impratio, 1e-12);
    number("tolerance", o.tolerance, 0);
    number("ls_tolerance", o.ls_tolerance, 0);
    number("ccd_tolerance", o.ccd_tolerance, 0);
    number("density", o.density, 0);
    number("viscosity", o.viscosity, 0);
    whole("iterations", o.iterations, 1, 1000000);
    whole("ls_iterations", o.ls_iterations, 1, 1000000);
    whole("ccd_iterations", o.ccd_iterations, 1, 1000000);
    whole("sdf_iterations", o.sdf_iterations, 1, 1000000);
    whole("sdf_initpoints", o.sdf_initpoints, 1, 1000000);
    whole("integrator", o.integrator, 0, 4);
    whole("solver", o.solver, 0, 2);
    whole("cone", o.cone, 0, 1);
    whole("jacobian", o.jacobian, 0, 2);
    const auto wind = a.numbers<3>("wind", a.rows("wind") > w ? w : 0, {0, 0, 0});
    const auto flux = a.numbers<3>("magnetic", a.rows("magnetic") > w ? w : 0, {0, -0.5, 0});
    o.wind = {wind[0], wind[1], wind[2]}, o.magnetic = {flux[0], flux[1], flux[2]};
    o.autolimits = a.flag("autolimits", 0, true);
    for (const FlagBit& f : kFlags) {
        const bool on = a.flag(f.name, 0, !f.enables);
        if (f.enables && on) o.enable |= 1 << f.bit;
        if (!f.enables && !on) o.disable |= 1 << f.bit;
    }
    // The flag's default among the attributes is Newton's; MuJoCo's is on.
    const double* const multiccd = given("enable_multiccd");
    if (multiccd ? *multiccd == 0 : options.newton_compat && !a.flag("flag_multiccd", 0, false)) o.disable |= kMulticcd;
    if (!options.contacts) o.disable |= kContact;
    o.disable |= kAutoreset;  // what goes wrong is reported, not made anew
    return o;
}

void add_own_items(const OwnItems& own) { Adder(own).run(); }

}  // namespace mechane::solvers::mujoco
