#pragma once
#include <memory>
#include <vector>

#include "mechane/usd/stage.h"

namespace mechane::usd {

/// Says where properties are authored, for reports about many of them: every text layer is scanned once, at the first
/// question about it, while `Attribute::site()` reads the file anew each time. Belongs to one thread.
class OpinionIndex {
  public:
    explicit OpinionIndex(const Stage& stage);
    ~OpinionIndex();
    OpinionIndex(const OpinionIndex&)            = delete;
    OpinionIndex& operator=(const OpinionIndex&) = delete;

    /// Every place that has an opinion about the property, strongest first. Binary layers have no lines.
    [[nodiscard]] std::vector<Site> opinions(const Prim& prim, const Token& property);
    /// The strongest of them; without opinions a site with the prim and property only.
    [[nodiscard]] Site site(const Prim& prim, const Token& property);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace mechane::usd
