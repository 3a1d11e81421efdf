#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mechane/core/result.h"

namespace mechane::record {

/// Messages of many channels over time, as an MCAP file (mcap.dev, format version 0) without chunks or compression.
/// Ids count from 1 in the order of the calls; equal calls give equal bytes.
class McapWriter {
  public:
    /// @param profile  "ros2" where the metadata of the channels is that of rosbag2, or empty
    McapWriter(std::string profile, std::string library);

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
    std::vector<std::byte>                 bytes_;
    std::vector<std::vector<std::byte>>    summary_;  ///< schemas and channels once more
    std::map<std::uint16_t, std::uint64_t> counts_;   ///< messages of each channel
    std::uint16_t                          schemas_ = 0, channels_ = 0;
    std::uint64_t                          first_ = 0, last_ = 0, messages_ = 0;
};

}  // namespace mechane::record
