#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mechane/viewer/render.h"

namespace mechane::viewer {

/// A PNG file (W3C PNG, third edition), written as chunks: animations need chunks of their own, which libpng 1.6 does
/// not know.
std::string encode_png(const Image& image);

/// An animated PNG that repeats for ever. Every frame after the first holds only the rectangle that changed.
class AnimatedPng {
  public:
    AnimatedPng(int width, int height, std::uint32_t frame_count, double frames_per_second);
    void        add(const Image& image);
    std::string finish() &&;

  private:
    std::string   out_;
    Image         last_;
    std::uint32_t sequence_ = 0;
    std::uint16_t delay_;  ///< [1/1000 s]
};

}  // namespace mechane::viewer
