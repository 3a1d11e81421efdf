#pragma once
#include <string>

namespace mechane::conformance {

/// What the first bytes of a picture say.
struct ImageHeader {
    bool readable = false;
    std::string
         format;  ///< "png", "jpeg", "exr", "hdr", "tiff", "ktx2", "dds", "webp", "bmp", "gif", "avif"; empty: unknown
    int  bits     = 0;  ///< for each channel, of png and jpeg; 0: not stated
    int  channels = 0;  ///< of jpeg
    bool palette  = false;
    bool alpha    = false;  ///< png with an alpha channel
};
/// Reads at most the first 64 KiB. Signatures: PNG (ISO 15948), JPEG (ITU-T T.81), OpenEXR, Radiance, TIFF 6, KTX 2.0,
/// DDS.
ImageHeader read_image_header(const std::string& file);

}  // namespace mechane::conformance
