#pragma once
#include "import.h"
#include "mechane/importer/ledger.h"

namespace mechane::importer {

/// Every authored physics property below root_path with what the passes of this import have said about it; call it
/// after the last one. Properties that nobody took get the reason why.
std::vector<LedgerEntry> make_ledger(Import& run);

/// A value's text on one line, cut to what a table can show.
std::string shortened(std::string text);

}  // namespace mechane::importer
