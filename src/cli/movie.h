#pragma once
#include <string>

#include "cli/io.h"
#include "mechane/core/result.h"
#include "mechane/viewer/render.h"

namespace mechane::cli {

/// Whether a file's extension is that of a movie that ffmpeg makes: .gif, .mp4.
bool is_movie(const std::string& file);

/// Says before a run whether its movie can be made; files of other kinds are none.
/// @error RENDER_MOVIE_PROGRAM
Result<void> movies_possible(const std::string& file);

/// Draws an animation and has ffmpeg of the path make it a movie. Pictures go to it one by one, so that none waits in
/// memory.
/// @error RENDER_MOVIE_PROGRAM  ffmpeg is not there, or failed; the message holds its last words
/// @error FILES_WRITE_FAILED, RENDER_SIZE, RENDER_FRAME_MISSING
Result<void> write_movie(const model::Model& model, const record::Recording& recording,
                         const viewer::AnimationOptions& options, const std::string& file, Io& io);

}  // namespace mechane::cli
