#pragma once
#include <map>
#include <span>
#include <string>

#include "cli/command.h"
#include "mechane/conformance/formats.h"

namespace mechane::cli {

/// Draws the assets of a page, with the places of the prims that findings are about. A few assets are drawn from four
/// sides, more from one, and beyond some dozens none, which the page then says.
std::map<std::string, conformance::PagePictures> page_pictures(std::span<const conformance::Report> reports,
                                                               Context&                             context);

}  // namespace mechane::cli
