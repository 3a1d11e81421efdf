#pragma once
#include <string>
#include <vector>

#include "mechane/conformance/fix.h"

namespace mechane::conformance {

/// What a stage names and could not read: its place is known, what would be there is not.
class Unread {
  public:
    explicit Unread(const usd::Stage& stage);

    /// Why a finding has to wait until everything is read; empty where its repair needs nothing else than it touches.
    [[nodiscard]] std::string holds_back(const Finding& finding, Phase phase, const FixOptions& options) const;

  private:
    struct Place {
        std::string prim;  ///< empty: anywhere
        std::string message;
    };
    const usd::Stage&  stage_;
    std::vector<Place> places_;
};

}  // namespace mechane::conformance
