// Writing files of recordings and checkpoints in one piece, under the codes of this room. files/ replaces atomically: a
// reader sees the old content or the new.

#include "mechane/simulation/atomic_file.h"

#include "mechane/files/codes.h"
#include "mechane/files/replace.h"
#include "mechane/simulation/codes.h"

namespace mechane::record {

Result<void> write_file(const std::string& file, std::string_view content)
{
    auto done = files::replace(file, content);
    if (done || done.error().id != files::kWriteFailed.id) return done;
    return make_diagnostic(kWriteFailed, done.error().site, done.error().message);
}

Result<void> write_file(const std::string& file, std::span<const std::byte> content)
{ return write_file(file, std::string_view(reinterpret_cast<const char*>(content.data()), content.size())); }

}  // namespace mechane::record
