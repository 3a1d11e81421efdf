// SensorContact: sums of contact forces [N, world axes] on chosen bodies or shapes, in total and by counterpart.
// Patterns are labels with * and ?; a pattern that matches nothing is an error.

#include "mechane/solvers/sensor_contact.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "mechane/core/failure.h"
#include "mechane/solvers/codes.h"

namespace mechane::solvers {
namespace {

/// Whether a pattern with `*` and `?` describes the whole of a text.
/// Linear in practice: on a mismatch only the last star is tried again.
bool matches(std::string_view pattern, std::string_view text)
{
    std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
            ++p, ++t;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++, resume = t;
        } else if (star != std::string_view::npos) {
            p = star + 1, t = ++resume;  // the last star takes one more
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

/// One side of the sensor: its objects in the order of the model, and for each shape the object it belongs to.
Result<void> select(const model::Model& model, const std::vector<std::string>& bodies,
                    const std::vector<std::string>& shapes, std::vector<std::string>& labels,
                    std::vector<std::int32_t>& index_of)
{
    if (!bodies.empty() && !shapes.empty())
        return make_diagnostic(kSensor, {}, "patterns of bodies and of shapes are given");
    const bool        of_bodies = !bodies.empty();
    const auto&       patterns  = of_bodies ? bodies : shapes;
    const auto&       known     = of_bodies ? model.body_label : model.shape_label;
    std::vector<bool> used(patterns.size(), false);
    index_of.assign(model.shape_count(), -1);
    for (std::size_t i = 0; i < known.size(); ++i) {
        bool wanted = false;
        for (std::size_t k = 0; k < patterns.size(); ++k)
            if (matches(patterns[k], known[i])) wanted = used[k] = true;
        if (!wanted) continue;
        const auto index = static_cast<std::int32_t>(labels.size());
        labels.push_back(known[i]);
        if (!of_bodies) {
            index_of[i] = index;
        } else {
            for (const std::int32_t shape : model.body_shapes[i]) index_of[static_cast<std::size_t>(shape)] = index;
        }
    }
    if (const auto unused = std::find(used.begin(), used.end(), false); unused != used.end())
        return make_diagnostic(kSensor, {},
                               fmt::format("no {} is called '{}'", of_bodies ? "body" : "shape",
                                           patterns[static_cast<std::size_t>(unused - used.begin())]));
    return {};
}

}  // namespace

Result<SensorContact> SensorContact::make(const model::Model& model, const SensorContactOptions& options)
{
    SensorContact out;
    if (options.bodies.empty() && options.shapes.empty())
        return make_diagnostic(kSensor, {}, "no pattern says what senses");
    if (auto ok = select(model, options.bodies, options.shapes, out.sensing_, out.row_of_); !ok) return ok.error();
    if (auto ok =
            select(model, options.counterpart_bodies, options.counterpart_shapes, out.counterparts_, out.column_of_);
        !ok)
        return ok.error();
    out.net_.assign(out.sensing_.size(), {});
    out.matrix_.assign(out.sensing_.size() * out.counterparts_.size(), {});
    return out;
}

void SensorContact::update(const model::Contacts& contacts)
{
    std::fill(net_.begin(), net_.end(), Vec3{});
    std::fill(matrix_.begin(), matrix_.end(), Vec3{});
    const auto add = [&](std::int32_t on, std::int32_t by, const Vec3& force) {
        const std::size_t  shapes = row_of_.size();
        MCH_REQUIRE(on >= 0 && static_cast<std::size_t>(on) < shapes && by >= 0 && static_cast<std::size_t>(by) < shapes,
                    "SensorContact::update", "contacts", "contacts of the model's shapes");
        const std::int32_t row    = row_of_[static_cast<std::size_t>(on)],
                           column = column_of_[static_cast<std::size_t>(by)];
        if (row < 0) return;
        net_[static_cast<std::size_t>(row)] += force;
        if (column < 0) return;
        matrix_[static_cast<std::size_t>(row) * counterparts_.size() + static_cast<std::size_t>(column)] += force;
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(contacts.rigid_contact_count); ++i) {
        const std::int32_t shape0 = contacts.rigid_contact_shape0[i], shape1 = contacts.rigid_contact_shape1[i];
        // rigid_contact_force acts on shape 1; shape 0 feels the opposite.
        add(shape1, shape0, contacts.rigid_contact_force[i]);
        add(shape0, shape1, -contacts.rigid_contact_force[i]);
    }
}

}  // namespace mechane::solvers
