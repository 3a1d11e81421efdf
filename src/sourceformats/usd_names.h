#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace mechane::sourceformats {

/// A name that a prim may have: letters, digits and underscores, no digit first.
std::string prim_name(std::string_view name, std::string_view otherwise);

/// Whether tf2 takes it as a frame: words of letters, digits, '_', '-' and '.', no digit first, parted by slashes.
bool is_frame_id(std::string_view name);

/// Names below one prim, each once.
class Siblings {
  public:
    /// The name, or the name with a number behind it.
    std::string take(std::string_view wanted, std::string_view otherwise);
    void        reserve(std::string_view name) { taken_.emplace(name); }

  private:
    std::set<std::string, std::less<>> taken_;
};

}  // namespace mechane::sourceformats
