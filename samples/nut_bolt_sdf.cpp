// A nut turns down a bolt: contacts of points, found in signed distance fields of both threads.
//
//     sample_nut_bolt_sdf [-o FILE.png|FILE.html]
#include "nut_bolt.h"

int main(int argc, char** argv)
{
    mechane::model::ShapeConfig config;
    config.gap = 0.002;
    config.sdf = mechane::model::SdfConfig{.force_sdf             = true,
                                           .sdf_target_voxel_size = 0.004,
                                           .sdf_narrow_band_inner = -0.006,
                                           .sdf_narrow_band_outer = 0.006,
                                           .sdf_padding           = 0.008};
    return sample::turn_nut_on_bolt(config, argc, argv);
}
