#pragma once
#include <string_view>

#include "mechane/exporter/export.h"

/// Which attributes of vendors' schemas the writers tell. One row says of one attribute on one part of a robot which
/// formats have a word for it, or an entry of its own in the report of losses. What no row names is an entry
/// `vendor-value` (vendor_losses.cpp). tests/cli/test_vendor_values.py holds the table against the writers, attribute
/// by attribute of the shipped schemas.
namespace mechane::exporter {

/// What a prim is to a robot. One prim may be several of them.
enum class Part {
    scene,
    joint,  ///< of a tree, with axes
    ball,
    loop,
    follower,  ///< a joint that follows another
    body,
    articulation,
    collider,
    hull,  ///< a mesh that collides by its convex hull
    visual,
    site,
    frame,  ///< a site that is a frame of ROS too
    material,
    drive,  ///< an actuator of Newton that is a joint's drive
    actuator,
    tendon,
    fixed_tendon,
    keyframe
};

/// Whether the writer of the format tells the attribute, of which another one on the same prim may still take the
/// place.
bool is_told(Part part, std::string_view attribute, Format format);

/// The vendor whose name an attribute has: "Newton", "MuJoCo", "PhysX", ...; empty for all other attributes.
std::string_view vendor_of(std::string_view attribute);

}  // namespace mechane::exporter
