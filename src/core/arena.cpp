// Arena: memory for one step that is given back all at once. Blocks are kept by reset, so that a step that has warmed
// up allocates nothing. The arena destroys no objects.

#include "mechane/core/arena.h"

#include <algorithm>

namespace mechane {

void* Arena::raw(std::size_t bytes, std::size_t alignment)
{
    for (; block_ < blocks_.size(); ++block_, used_ = 0) {
        const Block& block = blocks_[block_];
        void*        place = block.data.get() + used_;
        std::size_t  room  = block.bytes - used_;
        if (std::align(alignment, bytes, place, room) != nullptr) {
            used_ = block.bytes - room + bytes;
            return place;
        }
    }
    // Each new block is twice as large as the last, which bounds their number by the logarithm of the need.
    const std::size_t size = std::max(next_block_bytes_, bytes + alignment);
    next_block_bytes_      = size * 2;
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    used_ = 0;
    return raw(bytes, alignment);
}

void Arena::reset() noexcept
{
    block_ = 0;
    used_  = 0;
}

std::size_t Arena::capacity() const noexcept
{
    std::size_t bytes = 0;
    for (const Block& block : blocks_) bytes += block.bytes;
    return bytes;
}

}  // namespace mechane
