#pragma once
#include "mechane/core/diagnostic.h"

/// Diagnostics of drawing.
namespace mechane::viewer {

inline constexpr Code kFrameMissing{"RENDER_FRAME_MISSING", Severity::error,
                                    "The recording has no frame with this number.",
                                    "Frames count from 0; a recording of N steps has N + 1."};
inline constexpr Code kPictureSize{"RENDER_SIZE", Severity::error, "A picture cannot have this size.",
                                   "Use a width and a height of 1 to 16384 pixels."};
inline constexpr Code kAnimationName{"RENDER_NAME", Severity::error, "The name of an animation's files is not usable.",
                                     "Use a name ending in .png or .apng, with at most one number such as %04d."};

inline constexpr Code kMovieProgram{
    "RENDER_MOVIE_PROGRAM", Severity::error, "Movies are made by the program ffmpeg, which is not there or failed.",
    "Install ffmpeg; .apng and numbered pictures (frames/%04d.png) need no other program."};

inline constexpr Code kRrdPackage{
    "RENDER_RRD_PACKAGE", Severity::error,
    "Recordings of Rerun are written by its Python package, which is not there or failed.",
    "python3 -m pip install rerun-sdk; MECHANE_PYTHON names another interpreter that has it."};

inline constexpr Code kNotDrawn{
    "RENDER_NOT_DRAWN", Severity::warning, "Pictures and pages show less of the materials than the stage authors.",
    "Nothing to do: of a material only the base colour, its texture and the opacity are drawn."};
inline constexpr Code kTextureUnreadable{
    "RENDER_TEXTURE_UNREADABLE", Severity::warning,
    "Textures of materials cannot be read; their shapes are drawn in a plain colour.",
    "Use PNG or JPEG files of at most 64 million pixels."};
inline constexpr Code kTextureSmaller{
    "RENDER_TEXTURE_SMALLER", Severity::info, "Textures of materials are smaller on a page than in their files.",
    "Nothing to do; the limits keep the page small: 512 pixels along an edge, 4 MiB of text."};
inline constexpr Code kOpacityHides{
    "RENDER_OPACITY_HIDES", Severity::warning,
    "Most of what is drawn has an authored opacity of 0, so it is invisible.",
    "Correct inputs:opacity or primvars:displayOpacity; --overlay colliders shows what collides."};

inline constexpr Code kViewDds{
    "VIEW_DDS", Severity::error, "Topics go over DDS by the Python package cyclonedds, which is not there or failed.",
    "python3 -m pip install cyclonedds; MECHANE_PYTHON names another interpreter that has it. Without it, rosbridge's "
    "protocol needs no package."};

inline constexpr Code kViewDdsType{"VIEW_DDS_TYPE", Severity::warning,
                                   "A topic does not go over DDS: its type is not among those that are known there.",
                                   "rosbridge's protocol carries it; docs/ros.md lists the types."};

inline constexpr Code kViewPort{"VIEW_PORT", Severity::error, "The viewer cannot listen on this port.",
                                "Use another --port, or leave it out for a free one."};

}  // namespace mechane::viewer
