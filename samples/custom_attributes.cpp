// Attributes of the user's own: the stage declares them, the model, its states and its controls hold them.
//
//     sample_custom_attributes samples/usd/robot_with_custom_attrs.usda
#include <array>

#include "mechane/model/state.h"
#include "sample_import.h"

using namespace mechane;

int main(int argc, char** argv)
{
    const auto     in      = sample::import_file(sample::file_argument(argc, argv));
    const auto     model   = sample::finalize(in.builder);
    model::State   state   = model::make_state(model);
    model::Control control = model::make_control(model);
    const auto     body    = static_cast<std::size_t>(in.result.path_body_map.at("/robot/body"));
    const auto     wheel   = static_cast<std::size_t>(in.result.path_body_map.at("/robot/wheel"));
    const auto     axle    = static_cast<std::size_t>(in.result.path_joint_map.at("/robot/axle"));

    const auto scale = sample::get(model.custom<Real>("mass_scale"));
    std::printf("model mass_scale: body %g, wheel %g\n", double(scale[body]), double(scale[wheel]));
    const Vec3 marker = sample::get(model.custom<Vec3>("local_marker"))[body];
    std::printf("model local_marker: (%g, %g, %g)\n", double(marker.x), double(marker.y), double(marker.z));
    std::printf("model is_sensor: %d\n", sample::get(model.custom<std::uint8_t>("is_sensor"))[body]);
    std::printf("model namespace_a:gear_ratio: %g\n",
                double(sample::get(model.custom<Real>("namespace_a:gear_ratio"))[axle]));
    std::printf("model articulation_stiffness: %g\n",
                double(sample::get(model.custom<Real>("articulation_stiffness"))[0]));
    const Vec3 target = sample::get(state.custom<Vec3>("target_position"))[body];
    std::printf("state target_position: (%g, %g, %g)\n", double(target.x), double(target.y), double(target.z));
    // The same name in a namespace is another attribute.
    const auto own = sample::get(state.custom<Real>("namespace_a:mass_scale"));
    std::printf("state namespace_a:mass_scale: body %g, wheel %g\n", double(own[body]), double(own[wheel]));
    const auto gains = sample::get(control.custom<std::array<Real, 2>>("namespace_a:pid_gains"))[axle];
    std::printf("control namespace_a:pid_gains: (%g, %g)\n", double(gains[0]), double(gains[1]));
    // Asking the wrong object says which one it is.
    if (const auto wrong = model.custom<Vec3>("target_position"); !wrong)
        std::printf("model target_position: %s\n", wrong.error().id.c_str());
    return 0;
}
