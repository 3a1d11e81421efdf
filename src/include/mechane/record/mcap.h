#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mechane/core/result.h"

namespace mechane::record {

enum class McapCompression { none, zstd };

struct McapOptions {
    McapCompression compression = McapCompression::zstd;  ///< of each chunk
    std::size_t     chunk_bytes = std::size_t{1}
                                  << 20;  ///< a chunk ends when it holds this much before compression [bytes]
};

/// Messages of many channels over time, as an MCAP file (mcap.dev, format version 0): chunks with an index of each,
/// compressed, a summary with offsets, and CRC-32 sums of chunks, data and summary. Readers can therefore seek by time
/// and topic, and see damage. Ids count from 1 in the order of the calls; equal calls give equal bytes.
class McapWriter {
  public:
    /// @param profile  "ros2" where the metadata of the channels is that of rosbag2, or empty
    McapWriter(std::string profile, std::string library, const McapOptions& options = {});

    /// @param encoding  of `text`: "ros2msg"; both may be empty
    std::uint16_t schema(const std::string& name, const std::string& encoding, const std::string& text);
    /// @param encoding  of its messages: "cdr"
    std::uint16_t channel(std::uint16_t schema, const std::string& topic, const std::string& encoding,
                          const std::map<std::string, std::string>& metadata);
    /// @param time  [ns]
    void message(std::uint16_t channel, std::uint64_t time, std::span<const std::byte> data);

    /// Writes the summary and the file.
    /// @error RECORD_WRITE_FAILED
    Result<void> finish(const std::string& file);

  private:
    /// Where a message lies in the open chunk.
    struct Place {
        std::uint64_t time, offset;
    };
    /// A chunk that is written, for the summary.
    struct Chunk {
        std::uint64_t                          first, last, start, size, packed, unpacked, index_size;
        std::string                            compression;
        std::map<std::uint16_t, std::uint64_t> indices;  ///< of each channel: where its index lies
    };

    void close_chunk();

    McapOptions                                 options_;
    std::vector<std::byte>                      bytes_;                             ///< the file so far
    std::vector<std::byte>                      open_;                              ///< records of the open chunk
    std::map<std::uint16_t, std::vector<Place>> places_;                            ///< of its messages
    std::vector<std::vector<std::byte>>         schema_records_, channel_records_;  ///< for the summary
    std::vector<Chunk>                          chunks_;
    std::map<std::uint16_t, std::uint64_t>      counts_;  ///< messages of each channel
    std::uint16_t                               schemas_ = 0, channels_ = 0;
    std::uint64_t                               first_ = 0, last_ = 0, messages_ = 0;
};

}  // namespace mechane::record
