#pragma once
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "mechane/simulation.h"
#include "support/support.h"

namespace face_tests {

using namespace mechane;

/// What the failure handler was told, as an exception: so that a test goes on.
struct Failed : std::runtime_error {
    explicit Failed(const Diagnostic& d) : std::runtime_error(to_text(d)), diagnostic(d) {}
    Diagnostic diagnostic;
};

/// While it lives mistakes throw `Failed`.
class Throwing {
  public:
    Throwing() : before_(set_failure_handler([](const Diagnostic& d) { throw Failed(d); })) {}
    ~Throwing() { set_failure_handler(before_); }
    Throwing(const Throwing&)            = delete;
    Throwing& operator=(const Throwing&) = delete;

  private:
    FailureHandler before_;
};

/// The id of what the failure handler was told by a call, or an empty text.
template <class Call>
std::string failure_of(Call&& call)
{
    const Throwing scope;
    try {
        call();
    } catch (const Failed& failed) {
        return failed.diagnostic.id;
    }
    return {};
}

/// An arm of two links on the world over the ground, with drives, and a loose box beside it.
struct Yard {
    BodyId                       upper, lower, box;
    JointId                      shoulder, elbow;
    ShapeId                      ground, box_shape, tip;
    std::shared_ptr<const Model> model;
};

inline void fill(ModelBuilder& builder, Yard& yard, bool with_ground = true)
{
    if (with_ground) yard.ground = builder.add_ground();
    yard.upper    = builder.add_link({.position = {0.25, 0, 1}, .label = "upper"});
    yard.lower    = builder.add_link({.position = {0.75, 0, 1}, .label = "lower"});
    yard.shoulder = builder.add_revolute(kWorld, yard.upper,
                                         {.parent_anchor = {0, 0, 1},
                                          .child_anchor  = {-0.25, 0, 0},
                                          .axis          = {0, 1, 0},
                                          .label         = "shoulder",
                                          .stiffness     = 20,
                                          .damping       = 1});
    yard.elbow    = builder.add_revolute(
        yard.upper, yard.lower,
        {.parent_anchor = {0.25, 0, 0}, .child_anchor = {-0.25, 0, 0}, .axis = {0, 1, 0}, .label = "elbow"});
    const JointId arm[] = {yard.shoulder, yard.elbow};
    builder.add_robot(arm, "arm");
    builder.add_box(yard.upper, {.half = {0.2, 0.04, 0.04}, .label = "upper_shape"});
    yard.tip       = builder.add_sphere(yard.lower, {.radius = 0.05, .position = {0.25, 0, 0}, .label = "tip"});
    yard.box       = builder.add_body({.position = {2, 0, 0.5}, .label = "box"});
    yard.box_shape = builder.add_box(yard.box, {.half = {0.1, 0.2, 0.3}, .label = "box_shape"});
}

inline Yard yard()
{
    Yard         made;
    ModelBuilder builder;
    fill(builder, made);
    made.model = builder.finalize().expect();
    return made;
}

}  // namespace face_tests
