#pragma once
#include <cstddef>
#include <string>

#include "mechane/core/result.h"
#include "mechane/model/model.h"
#include "mechane/simulation/recording.h"

namespace mechane::viewer {

/// What a page says and embeds beside the motion.
struct HtmlOptions {
    std::string title{};          ///< shown on the page; the recording's source when empty
    bool        contacts = true;  ///< embed the contacts of every frame
    /// Attribute of the page's scripts and styles, for a content security policy; none when empty.
    std::string nonce{};
    std::string live{};  ///< JSON object for a page that a server feeds; a recording is played when empty
    std::string looks{};  ///< JSON object of the stage's lights and cameras (authored_looks.h); none when empty
};

/// Pictures on a page have edges of at most this [px], and together this many bytes of text: larger ones are halved.
inline constexpr int         kPagePictureEdge  = 512;
inline constexpr std::size_t kPagePictureBytes = std::size_t{4} << 20;

/// One page that plays a recording: nothing is loaded from elsewhere, it opens from disk. Positions are single
/// precision, rotations and normals 16 bit, vertices 16 bit of their mesh's box.
std::string to_html(const model::Model& model, const record::Recording& recording, const HtmlOptions& options = {});

/// Writes that page, atomically; "-" is standard output.
/// @error RECORD_WRITE_FAILED
Result<void> write_html(const model::Model& model, const record::Recording& recording, const std::string& file,
                        const HtmlOptions& options = {});

}  // namespace mechane::viewer
