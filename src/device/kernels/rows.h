#pragma once
#include "device/kernels/contacts.h"
#include "device/kernels/predict.h"
#include "solvers/softstep/mechanism/row_law.h"

/// Rows of dofs and of contacts over whitened velocities, and the sweeps over them: the laws are those of softstep
/// (contact_law.h, row_law.h), the same functions. Each lane owns some dofs and their part of every row.
namespace mechane::device {

using law::Along;

/// What the sweeps know of a contact: a Point of contact_law.h, and its friction against turning.
template <class T>
struct ContactLaw {
    Along<T>          lambda, base;
    simd::Packs<T, 2> drift;
    T                 mu, distance, slip_step, bounce;
    T                 K[6], inverse[3];
    law::NormalRow<T> normal;
    struct Spin {
        Along<T> lambda;
        T        K[3], inverse[3];  ///< K: of n, t1, t2 to themselves
        T        mass, step, torsional, rolling;
    } spin;
    T            impulse_sum[3];
    std::int32_t row   = -1;  ///< first of its rows; -1: it makes none in this substep
    std::int32_t spins = 0;
};

/// Rows of one dof.
template <class T>
struct DofRow {
    law::RowLawOf<T> lower, upper;
    T                friction, friction_high;  ///< impulse of dry friction, and its bound
    T                velocity, velocity_sign, w;
    std::int32_t     active;
};

/// The law of contact i: of the first ones in the workspace, of others in memory that is farther away.
template <class T>
MCH_INLINE ContactLaw<T>& law_of(const World<T>& w, int i)
{
    T* const room = i < w.b.at.near_contacts ? w.ws + w.b.at.law : w.mine(w.b.far_room, w.b.at.far_size);
    return reinterpret_cast<ContactLaw<T>*>(room)[i < w.b.at.near_contacts ? i : i - w.b.at.near_contacts];
}
template <class T>
MCH_INLINE DofRow<T>* dof_rows(const World<T>& w)
{ return reinterpret_cast<DofRow<T>*>(w.ws + w.b.at.dof_rows); }
template <class T>
MCH_INLINE std::int32_t* active_dofs(const World<T>& w)
{ return reinterpret_cast<std::int32_t*>(w.ws + w.b.at.active); }
template <class T>
MCH_INLINE T* row_at(const World<T>& w, int r)
{
    const Layout& at = w.b.at;
    return r < at.near_rows ? w.ws + at.row + r * at.dofs
                            : w.mine(w.b.far_room, at.far_size) + at.far_rows + (r - at.near_rows) * at.dofs;
}

// -- dofs

template <class T>
MCH_INLINE void build_limit(law::RowLawOf<T>& row, T gap, T rate, const World<T>& w, int k, double h)
{
    const bool stiff = has_flag(w, k, kStiffLimit);
    row.active = stiff ? gap + T(2 * h) * least(rate, T(0)) < T(law::kLimitReach) : gap + T(h) * least(rate, T(0)) < 0;
    if (!row.active) {
        row.lambda = 0;
        return;
    }
    row.gap  = gap;
    row.low  = 0;
    row.high = T(1e30);
    if (stiff)
        law::make_stop(row, gap, h);
    else
        law::make_spring(row, w.dof(k)[dof_number::limit_ke], w.dof(k)[dof_number::limit_kd], gap, T(0), h);
}

/// @return how many dofs have rows
template <class Team, class T>
MCH_INLINE int build_dof_rows(const Team& team, const World<T>& w, double h)
{
    int count = 0;
    MCH_ROLLED
    for (int first = 0; first < w.b.at.dofs; first += Team::kSize) {
        const int k     = first + team.lane();
        int       takes = 0;
        if (k < w.b.at.dofs && w.b.dofs[k].qd >= 0) {
            const T* const n    = w.dof(k);
            DofRow<T>&     rows = dof_rows(w)[k];
            const T        rate = w.v()[k], fastest = n[dof_number::fastest];
            rows.lower.active = rows.upper.active = false;
            if (w.b.dofs[k].coord >= 0) {
                const T q = w.q()[w.b.dofs[k].coord];
                if (has_flag(w, k, kHasLower)) build_limit(rows.lower, q - n[dof_number::lower], rate, w, k, h);
                if (has_flag(w, k, kHasUpper)) build_limit(rows.upper, n[dof_number::upper] - q, -rate, w, k, h);
            }
            rows.friction_high = T(h) * n[dof_number::friction];
            rows.friction      = between(rows.friction, -rows.friction_high, rows.friction_high);
            rows.velocity      = 0;
            const bool fast    = size_of(rate) > T(0.9) * fastest && fastest > 0;
            rows.velocity_sign = !fast ? T(0) : rate > 0 ? T(-1) : T(1);
            T response{};
            MCH_ROLLED
            for (int d = 0; d <= w.b.dofs[k].depth; ++d) response += w.white(k)[d] * w.white(k)[d];
            rows.w = response;
            takes  = (rows.lower.active || rows.upper.active || rows.friction_high > 0 || fast) && response > 0 ? 1 : 0;
        }
        int       total = 0;
        const int at    = count + team.before(takes, total);
        if (takes != 0) active_dofs(w)[at] = k;
        count += total;
    }
    team.sync();
    return count;
}

/// The part of dof k's row that is a lane's.
template <class T>
MCH_INLINE T entry_of(const World<T>& w, const T* row, int j, int k)
{ return j <= k && k < w.b.dofs[j].end ? row[w.b.dofs[j].depth] : T(0); }

template <class Team, class T>
MCH_INLINE void push_dof(const Team& team, const World<T>& w, int k, T impulse)
{
    MCH_ROLLED
    for (int j = team.lane(); j < w.b.at.dofs; j += Team::kSize) w.u()[j] += impulse * entry_of(w, w.white(k), j, k);
}
template <class Team, class T>
MCH_INLINE T rate_of_dof(const Team& team, const World<T>& w, int k)
{
    T s{};
    MCH_ROLLED
    for (int j = team.lane(); j < w.b.at.dofs; j += Team::kSize) s += w.u()[j] * entry_of(w, w.white(k), j, k);
    return team.sum(s);
}

template <class Team, class T>
MCH_INLINE void warm_start_dofs(const Team& team, const World<T>& w, int count)
{
    MCH_ROLLED
    for (int i = 0; i < count; ++i) {
        const int        k       = active_dofs(w)[i];
        const DofRow<T>& rows    = dof_rows(w)[k];
        const T          impulse = (rows.lower.active ? rows.lower.lambda : T(0)) -
                                   (rows.upper.active ? rows.upper.lambda : T(0)) + rows.friction;
        if (impulse != 0) push_dof(team, w, k, impulse);
    }
}

template <class Team, class T>
MCH_INLINE T solve_dofs(const Team& team, const World<T>& w, int count, bool relax)
{
    T change{};
    MCH_ROLLED
    for (int i = 0; i < count; ++i) {
        const int  k    = active_dofs(w)[i];
        DofRow<T>& kept = dof_rows(w)[k];
        // Stops that the substep did not reach have nothing to do now.
        if (relax && kept.friction_high == 0 && kept.velocity_sign == 0 &&
            (!kept.lower.active || (kept.lower.lambda == 0 && kept.lower.relax_bias > 0)) &&
            (!kept.upper.active || (kept.upper.lambda == 0 && kept.upper.relax_bias > 0)))
            continue;
        DofRow<T> rows = kept;
        team.sync();
        T          rate = rate_of_dof(team, w, k), sum{};
        const auto push = [&](T impulse) {
            rate += impulse * rows.w;
            sum += impulse;
            change = most(change, size_of(impulse) * rows.w);
        };
        if (rows.friction_high > 0) {
            law::RowLawOf<T> row;
            row.low = -rows.friction_high, row.high = rows.friction_high, row.lambda = rows.friction;
            push(law::solve_row(row, rate, rows.w, relax));
            rows.friction = row.lambda;
        }
        if (rows.velocity_sign != 0) {
            law::RowLawOf<T> row;
            row.bias = row.relax_bias = w.dof(k)[dof_number::fastest];
            row.high = T(1e30), row.lambda = rows.velocity;
            push(rows.velocity_sign * law::solve_row(row, rows.velocity_sign * rate, rows.w, relax));
            rows.velocity = row.lambda;
        }
        if (rows.lower.active) push(law::solve_row(rows.lower, rate, rows.w, relax));
        if (rows.upper.active) push(-law::solve_row(rows.upper, -rate, rows.w, relax));
        if (sum == 0) continue;
        push_dof(team, w, k, sum);
        if (team.lane() == 0) {
            kept.lower.lambda = rows.lower.lambda, kept.upper.lambda = rows.upper.lambda;
            kept.friction = rows.friction, kept.velocity = rows.velocity;
        }
        team.sync();
    }
    return change;
}

template <class Team, class T>
MCH_INLINE void advance_dofs(const Team& team, const World<T>& w, int count, double h)
{
    MCH_ROLLED
    for (int i = team.lane(); i < count; i += Team::kSize) {
        const int  k    = active_dofs(w)[i];
        DofRow<T>& rows = dof_rows(w)[k];
        if (rows.lower.active) law::advance_stop(rows.lower, w.v()[k], h);
        if (rows.upper.active) law::advance_stop(rows.upper, -w.v()[k], h);
    }
    team.sync();
}

// -- contacts

/// Rates along three rows from `first` on.
template <class Team, class T>
MCH_INLINE Along<T> three_rates(const Team& team, const World<T>& w, int first)
{
    const int      n = w.b.at.dofs;
    const T* const r = row_at(w, first);
    T              a{}, b{}, c{};
    MCH_ROLLED
    for (int j = team.lane(); j < n; j += Team::kSize) {
        const T u = w.u()[j];
        a += u * r[j], b += u * r[n + j], c += u * r[2 * n + j];
    }
    if constexpr (Team::kSize > 1) team.sum(a, b, c);
    return {a, b, c};
}
template <class Team, class T>
MCH_INLINE void push_three(const Team& team, const World<T>& w, int first, T a, T b, T c)
{
    const int      n = w.b.at.dofs;
    const T* const r = row_at(w, first);
    MCH_ROLLED
    for (int j = team.lane(); j < n; j += Team::kSize) w.u()[j] += a * r[j] + (b * r[n + j] + c * r[2 * n + j]);
}

/// Responses of three rows to each other: nn, n1, n2, 11, 12, 22.
template <class Team, class T>
MCH_INLINE void respond_to_each_other(const Team& team, const World<T>& w, int first, T (&K)[6])
{
    const int      n = w.b.at.dofs;
    const T* const r = row_at(w, first);
    for (T& k : K) k = 0;
    MCH_ROLLED
    for (int j = team.lane(); j < n; j += Team::kSize) {
        const T x = r[j], y = r[n + j], z = r[2 * n + j];
        K[0] += x * x, K[1] += x * y, K[2] += x * z, K[3] += y * y, K[4] += y * z, K[5] += z * z;
    }
    if constexpr (Team::kSize > 1) {
        team.sum(K[0], K[1], K[2]);
        team.sum(K[3], K[4], K[5]);
    }
}

/// The whitened rows of a contact from `first` on: of the point's rate along n, t1, t2, and of its turning if it
/// `spins`.
template <class Team, class T>
MCH_INLINE void make_rows(const Team& team, const World<T>& w, const int (&link)[2], const Vec3T<T> (&p)[2],
                          const Vec3T<T> (&axis)[3], int first, bool spins)
{
    const Batch<T>& b = w.b;
    const int       n = b.at.dofs, count = spins ? 6 : 3;
    MCH_ROLLED
    for (int j = team.lane(); j < count * n; j += Team::kSize) row_at(w, first)[j] = 0;
    T* const arms = w.ws + b.at.arms;
    for (int s = 0; s < 2; ++s) {
        team.sync();
        const int last = link[s] >= 0 ? b.links[link[s]].last_dof : -1;
        if (last < 0) continue;
        const T                   sign = s == 0 ? T(-1) : T(1);
        const std::int16_t* const path = w.path(last);
        const int                 deep = b.dofs[last].depth + 1;
        const Vec3T<T>            r    = p[s] - reference(w, link[s]);
        MCH_ROLLED
        for (int d = team.lane(); d < deep; d += Team::kSize) {
            const SpatialT<T> column = get6(w.column(path[d]));
            const Vec3T<T>    v      = sign * (column.linear + cross(column.angular, r));
            for (int i = 0; i < 3; ++i) {
                arms[6 * d + i] = dot(axis[i], v);
                if (spins) arms[6 * d + 3 + i] = sign * dot(axis[i], column.angular);
            }
        }
        team.sync();
        MCH_ROLLED
        for (int d = team.lane(); d < deep; d += Team::kSize) {
            T z[6] = {};
            MCH_ROLLED
            for (int e = d; e < deep; ++e) {
                const T x = w.white(path[e])[d];
                for (int i = 0; i < 3; ++i) z[i] += arms[6 * e + i] * x;
                if (spins)
                    for (int i = 3; i < 6; ++i) z[i] += arms[6 * e + i] * x;
            }
            MCH_ROLLED
            for (int i = 0; i < count; ++i) row_at(w, first + i)[path[d]] += z[i];
        }
    }
    team.sync();
}

/// What the beginning of a step knows of a contact: what it remembers.
template <class Team, class T>
MCH_INLINE void load_contacts(const Team& team, const World<T>& w, int count, double h)
{
    const Batch<T>& b     = w.b;
    const int       known = b.memory_count[w.w];
    MCH_ROLLED
    for (int i = team.lane(); i < count; i += Team::kSize) {
        const FoundContact<T>& found = b.found[w.slot(i)];
        ContactLaw<T>          c{};
        c.mu                    = -1;
        const T* const material = w.pair(found.pair);
        c.spin.torsional        = found.turns != 0 ? material[pair_number::torsional] : T(0);
        c.spin.rolling          = found.turns != 0 ? material[pair_number::rolling] : T(0);
        c.spins                 = c.spin.torsional > 0 || c.spin.rolling > 0 ? 1 : 0;
        const auto frame        = law::frame_along<T>({found.normal[0], found.normal[1], found.normal[2]});
        MCH_ROLLED
        for (int k = 0; k < known; ++k) {
            const ContactMemory<T>& m = b.memory[w.slot(k)];
            if (m.pair != found.pair || m.feature != found.feature) continue;
            const bool same = dot(get3(m.normal), get3(found.normal)) >= T(0.906);
            law::recall<T>({m.force,
                            {m.friction[0], m.friction[1], m.friction[2]},
                            {m.drift[0], m.drift[1], m.drift[2]},
                            {m.torque[0], m.torque[1], m.torque[2]}},
                           frame, same, h, c, c.spins != 0 ? &c.spin : nullptr);
            break;
        }
        law_of(w, i) = c;
    }
    team.sync();
}

template <class T>
MCH_INLINE Vec3T<T> core_now(const World<T>& w, int link, const T* point)
{ return link >= 0 ? get_pose(w.pose(link)) * get3(point) : get3(point); }

template <class T>
MCH_INLINE void set_normal_row(ContactLaw<T>& c, T push, const law::Softness& soft, double h, bool relax)
{ c.normal = law::stiff_normal<T>(c.distance, 1 / c.K[0], push, soft, 1 / h, relax); }

/// @param next  the first row that is free
template <class Team, class T>
MCH_INLINE void build_contact(const Team& team, const World<T>& w, int i, const law::Softness& soft, double h,
                              bool first, int& next)
{
    const Batch<T>&        b        = w.b;
    const FoundContact<T>& found    = b.found[w.slot(i)];
    const PairPlan&        pair     = b.pairs[found.pair];
    const T* const         material = w.pair(found.pair);
    const int              link[2]  = {b.shapes[pair.shape0].link, b.shapes[pair.shape1].link};
    ContactLaw<T>          c        = law_of(w, i);
    team.sync();
    const auto     frame   = law::frame_along<T>({found.normal[0], found.normal[1], found.normal[2]});
    const auto     vector  = [](const Along<T>& x) { return Vec3T<T>{x[0], x[1], x[2]}; };
    const Vec3T<T> axis[3] = {vector(frame.n), vector(frame.t1), vector(frame.t2)};
    Vec3T<T>       core[2];
    for (int s = 0; s < 2; ++s) core[s] = first ? get3(found.start[s]) : core_now(w, link[s], found.point[s]);
    c.distance = found.distance + dot(axis[0], (core[1] - get3(found.start[1])) - (core[0] - get3(found.start[0])));
    const Vec3T<T> p[2]     = {core[0] + found.margin[0] * axis[0], core[1] - found.margin[1] * axis[0]};
    const Vec3T<T> relative = velocity_at(w, link[1], p[1]) - velocity_at(w, link[0], p[0]);
    Along<T>       old{dot(axis[0], relative), dot(axis[1], relative), dot(axis[2], relative)};
    c.bounce  = 0;
    c.base[0] = c.base[1] = c.base[2] = 0;
    bool active                       = true;
    if (!(c.distance < T(h))) {
        if (c.mu < 0)
            c.mu = law::friction_at<T>(old, material[pair_number::mu_static], material[pair_number::mu_dynamic]);
        active = c.distance < T(h) * (2 * most(T(0), -old[0]) + 1);
    }
    const int needs = c.spins != 0 ? 6 : 3;
    if (next < b.at.near_rows && next + needs > b.at.near_rows) next = b.at.near_rows;  // all of them in one place
    active = active && next + needs <= b.at.rows;
    if (active) {
        make_rows(team, w, link, p, axis, next, c.spins != 0);
        respond_to_each_other(team, w, next, c.K);
        active = c.K[0] > T(1e-12);
    }
    if (!active) {
        c.row       = -1;
        c.lambda[0] = c.lambda[1] = c.lambda[2] = c.drift[0] = c.drift[1] = 0;
        c.spin.lambda[0] = c.spin.lambda[1] = c.spin.lambda[2] = 0;
    } else {
        c.row = next;
        next += needs;
        if (c.spins != 0) {
            T K[6];
            respond_to_each_other(team, w, c.row + 3, K);
            const auto block = law::invert_tangents<T>(K[3], K[4], K[5], kTiny<T> * K[3] * K[5]);
            c.spin.K[0] = K[0], c.spin.K[1] = K[3], c.spin.K[2] = K[5];
            c.spin.mass = K[0] > 0 ? 1 / K[0] : T(0);
            for (std::size_t k = 0; k < 3; ++k) c.spin.inverse[k] = block.inverse[k];
            c.spin.step = block.step;
        }
        T mass = T(1e30);
        for (int s = 0; s < 2; ++s)
            if (link[s] >= 0) mass = least(mass, w.link(link[s])[link_number::mass]);
        const T    push  = law::push_speed<T>(c.K[0], mass);
        const T    ridge = (sizeof(T) == 8 ? T(1e-9) : T(1e-6)) * (c.K[3] + c.K[5]) + T(1e-14);
        const auto block = law::invert_tangents<T>(c.K[3] + ridge, c.K[4], c.K[5] + ridge, T(0));
        for (std::size_t k = 0; k < 3; ++k) c.inverse[k] = block.inverse[k];
        c.slip_step = block.step;
        set_normal_row(c, push, soft, h, false);
        const T restitution = material[pair_number::restitution];
        if (c.mu < 0)
            c.mu = law::friction_at<T>(old, material[pair_number::mu_static], material[pair_number::mu_dynamic]);
        if (restitution > 0)
            c.bounce = law::rebound_speed<T>(old[0], three_rates(team, w, c.row)[0], c.distance, restitution, h);
        if (c.lambda[0] > 0) {
            // Bodies by themselves go on about what carries them (contact_law.h, arc_rate).
            Vec3T<T> added{};
            for (int s = 0; s < 2; ++s) {
                if (link[s] < 0 || b.links[link[s]].single == 0) continue;
                const Vec3T<T> rate = get3(w.twist(link[s]) + 3);
                added += (s == 0 ? T(-0.5 * h) : T(0.5 * h)) * cross(rate, cross(rate, core[s] - get3(w.com(link[s]))));
            }
            if (length_squared(added) > T(law::kLeastArc * law::kLeastArc))
                for (std::size_t d = 0; d < 3; ++d) c.base[d] += law::arc_rate<T>(dot(axis[d], added), old[d]);
        }
    }
    if (team.lane() == 0) law_of(w, i) = c;
    team.sync();
}

template <class Team, class T>
MCH_INLINE Along<T> contact_rates(const Team& team, const World<T>& w, const ContactLaw<T>& c)
{
    Along<T> r = three_rates(team, w, c.row);
    for (std::size_t k = 0; k < 3; ++k) r[k] += c.base[k];
    return r;
}

template <class Team, class T>
MCH_INLINE void warm_start_contact(const Team& team, const World<T>& w, int i)
{
    ContactLaw<T> c = law_of(w, i);
    team.sync();
    law::hold_friction<T>(c);
    if (c.lambda[0] != 0) push_three(team, w, c.row, c.lambda[0], c.lambda[1], c.lambda[2]);
    if (c.spins != 0) {
        law::hold_spin<T>(c.spin, c.lambda[0]);
        push_three(team, w, c.row + 3, c.spin.lambda[0], c.spin.lambda[1], c.spin.lambda[2]);
    }
    if (team.lane() == 0) law_of(w, i) = c;
    team.sync();
}

template <class Team, class T>
MCH_INLINE T solve_contact(const Team& team, const World<T>& w, int i, double anchor, bool relax)
{
    ContactLaw<T>& kept = law_of(w, i);
    if (kept.row < 0) return 0;
    ContactLaw<T> c = kept;
    team.sync();
    const bool untouched = law::is_untouched(c);
    if (untouched && relax && c.distance > 0) return 0;
    T    turned{};
    bool spun = false;
    if (c.lambda[0] != 0 && c.spins != 0) {
        const Along<T> d = law::solve_spin<T>(c.spin, three_rates(team, w, c.row + 3), c.lambda[0]);
        if (d[0] != 0 || d[1] != 0 || d[2] != 0) {
            push_three(team, w, c.row + 3, d[0], d[1], d[2]);
            turned = most(size_of(d[0]) * c.spin.K[0], most(size_of(d[1]) * c.spin.K[1], size_of(d[2]) * c.spin.K[2]));
            spun   = true;
        }
    }
    const Along<T> r = contact_rates(team, w, c);
    if (untouched && r[0] + c.normal.bias >= 0) return 0;
    const Along<T> d = law::solve_point<T>(c, c.normal, r, anchor, relax);
    if (d[0] != 0 || d[1] != 0 || d[2] != 0) push_three(team, w, c.row, d[0], d[1], d[2]);
    if (team.lane() == 0) {
        for (int k = 0; k < 3; ++k) kept.lambda[k] = c.lambda[k];
        kept.drift[0] = c.drift[0], kept.drift[1] = c.drift[1];
        if (spun)
            for (int k = 0; k < 3; ++k) kept.spin.lambda[k] = c.spin.lambda[k];
    }
    team.sync();
    return most(turned, most(size_of(d[0]) * c.K[0], most(size_of(d[1]) * c.K[3], size_of(d[2]) * c.K[5])));
}

/// Sweeps until nothing changes, if that is soon.
template <class Team, class T>
MCH_INLINE void solve(const Team& team, const World<T>& w, int dofs, int contacts, int substep, double h, bool relax)
{
    if (dofs + contacts == 0) return;
    const double anchor = relax ? 0 : law::kAnchorRate / h;
    MCH_ROLLED
    for (int sweep = 0; sweep < law::kImpactSweeps; ++sweep) {
        const bool backwards = law::is_backwards(substep, sweep);
        T          change    = solve_dofs(team, w, dofs, relax);
        MCH_ROLLED
        for (int k = 0; k < contacts; ++k)
            change = most(change, solve_contact(team, w, backwards ? contacts - 1 - k : k, anchor, relax));
        if (change < T(law::kSweepChange) || (sweep + 1 >= law::kSweeps && change < T(law::kImpactChange))) return;
    }
}

template <class Team, class T>
MCH_INLINE bool advance_contact(const Team& team, const World<T>& w, int i, double h)
{
    ContactLaw<T> c = law_of(w, i);
    team.sync();
    if (c.row < 0) return false;
    law::advance_point<T>(c, contact_rates(team, w, c), h);
    set_normal_row(c, T(0), {}, h, true);
    if (team.lane() == 0) law_of(w, i) = c;
    team.sync();
    return c.bounce > 0;
}

template <class Team, class T>
MCH_INLINE void bounce_contact(const Team& team, const World<T>& w, int i)
{
    ContactLaw<T> c = law_of(w, i);
    team.sync();
    if (c.row < 0 || c.bounce <= 0 || c.lambda[0] <= 0) return;
    const T rate = contact_rates(team, w, c)[0];
    push_three(team, w, c.row, law::bounce_point<T>(c, 1 / c.K[0], rate, c.bounce), T(0), T(0));
    if (team.lane() == 0) law_of(w, i).lambda[0] = c.lambda[0];
    team.sync();
}

}  // namespace mechane::device
