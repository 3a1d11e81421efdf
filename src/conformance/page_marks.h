#pragma once
#include <map>
#include <set>
#include <string>

#include "mechane/conformance/formats.h"

namespace mechane::conformance {

/// The findings of a report by prim, and the pictures on which the prims are marked.
class PageMarks {
  public:
    /// @param asset  number of the report on its page; part of every name, which are of one page
    PageMarks(const Report& report, const PagePictures& pictures, std::size_t asset);

    /// What links a finding to its marks: a name for the attribute data-mark; empty when its prim is on no picture.
    [[nodiscard]] std::string of(const Finding& finding) const;
    /// The views with their marks; the reason why there are none; nothing when nobody drew any.
    [[nodiscard]] std::string html() const;

  private:
    struct Prim {
        std::size_t number = 0, findings = 0, first = 0;  ///< `first`: its first finding in the report
        Severity    worst = Severity::info;
    };
    const PagePictures&         pictures_;
    std::size_t                 asset_;
    std::map<std::string, Prim> prims_;

    [[nodiscard]] std::string view(const PageView& view) const;
};

}  // namespace mechane::conformance
