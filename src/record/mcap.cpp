// Writes MCAP, the container that ROS 2 and Foxglove read (mcap.dev/spec, version 0).
// Layout: magic, header, chunks with their message indices, data end, then a summary of schemas, channels, statistics
// and chunk indices, summary offsets, footer, magic. All numbers are little-endian and records are opcode (1 byte),
// length (8 bytes), content.
// Times are nanoseconds. Messages are given in any order; indices are sorted by time for each channel.
// Invariants: the same messages give the same bytes, since compression has a fixed level and nothing is stamped with
// the clock; a reader finds every message by the summary without reading all chunks.
// Called by run::write_mcap, which knows the topics and their encodings (`mechane sim` with a file .mcap).

#include "mechane/record/mcap.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "mechane/core/bytes.h"
#include "mechane/simulation/atomic_file.h"

namespace mechane::record {
namespace {

static_assert(std::endian::native == std::endian::little, "MCAP is little-endian");

constexpr std::array<unsigned char, 8> kMcapMagic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum class Opcode : std::uint8_t {
    header         = 0x01,
    footer         = 0x02,
    schema         = 0x03,
    channel        = 0x04,
    message        = 0x05,
    chunk          = 0x06,
    message_index  = 0x07,
    chunk_index    = 0x08,
    statistics     = 0x0b,
    summary_offset = 0x0e,
    data_end       = 0x0f
};

void put_text(ByteWriter& out, std::string_view text)
{
    out.put(static_cast<std::uint32_t>(text.size()));
    for (const char c : text) out.put(c);
}

/// A map with keys and values of fixed size, behind its length in bytes.
template <class Key, class Value>
void put_map(ByteWriter& out, const std::map<Key, Value>& pairs)
{
    out.put(static_cast<std::uint32_t>(pairs.size() * (sizeof(Key) + sizeof(Value))));
    for (const auto& [key, value] : pairs) {
        out.put(key);
        out.put(value);
    }
}

std::vector<std::byte> record_of(Opcode opcode, const ByteWriter& content)
{
    ByteWriter out;
    out.put(opcode);
    out.put(static_cast<std::uint64_t>(content.bytes().size()));
    for (const std::byte byte : content.bytes()) out.put(byte);
    return out.bytes();
}

/// CRC-32 as zlib has it, which is the one that the specification asks for.
std::uint32_t crc_of(std::span<const std::byte> bytes)
{
    return static_cast<std::uint32_t>(
        crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// zstd's own bytes at a fixed level; empty if they are no fewer.
std::vector<std::byte> packed_by_zstd(std::span<const std::byte> bytes)
{
    constexpr int          kLevel = 3;
    std::vector<std::byte> out(ZSTD_compressBound(bytes.size()));
    const std::size_t      size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
    out.resize(ZSTD_isError(size) != 0 || size >= bytes.size() ? 0 : size);
    return out;
}

void append(std::vector<std::byte>& bytes, const std::vector<std::byte>& more)
{ bytes.insert(bytes.end(), more.begin(), more.end()); }

void append_magic(std::vector<std::byte>& bytes)
{
    for (const unsigned char c : kMcapMagic) bytes.push_back(static_cast<std::byte>(c));
}

}  // namespace

McapWriter::McapWriter(std::string profile, std::string library, const McapOptions& options) : options_(options)
{
    append_magic(bytes_);
    ByteWriter content;
    put_text(content, profile);
    put_text(content, library);
    append(bytes_, record_of(Opcode::header, content));
}

/// Identifiers begin at 1: a schema of 0 means that a channel has none.
std::uint16_t McapWriter::schema(const std::string& name, const std::string& encoding, const std::string& text)
{
    ByteWriter content;
    content.put(++schemas_);
    put_text(content, name);
    put_text(content, encoding);
    put_text(content, text);
    // The record is written into the chunk and kept for the summary, where the specification wants it again.
    schema_records_.push_back(record_of(Opcode::schema, content));
    append(open_, schema_records_.back());
    return schemas_;
}

std::uint16_t McapWriter::channel(std::uint16_t schema, const std::string& topic, const std::string& encoding,
                                  const std::map<std::string, std::string>& metadata)
{
    ByteWriter pairs;
    for (const auto& [key, value] : metadata) {
        put_text(pairs, key);
        put_text(pairs, value);
    }
    ByteWriter content;
    content.put(++channels_);
    content.put(schema);
    put_text(content, topic);
    put_text(content, encoding);
    content.put(static_cast<std::uint32_t>(pairs.bytes().size()));
    for (const std::byte byte : pairs.bytes()) content.put(byte);
    channel_records_.push_back(record_of(Opcode::channel, content));
    append(open_, channel_records_.back());
    return channels_;
}

void McapWriter::message(std::uint16_t channel, std::uint64_t time, std::span<const std::byte> data)
{
    ByteWriter content;
    content.put(channel);
    content.put(static_cast<std::uint32_t>(counts_[channel]++));
    content.put(time);  // logged
    content.put(time);  // published
    for (const std::byte byte : data) content.put(byte);
    // The offset of the record within the uncompressed chunk, as message indices hold it.
    places_[channel].push_back({time, open_.size()});
    append(open_, record_of(Opcode::message, content));
    first_ = messages_ == 0 ? time : std::min(first_, time);
    last_  = std::max(last_, time);
    ++messages_;
    if (open_.size() >= options_.chunk_bytes) close_chunk();
}

void McapWriter::close_chunk()
{
    if (open_.empty()) return;
    Chunk chunk{};
    chunk.first = places_.empty() ? 0 : std::numeric_limits<std::uint64_t>::max();
    for (auto& [channel, places] : places_) {
        // Stable: messages of one time stay in the order in which they were written.
        std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.time < b.time; });
        chunk.first = std::min(chunk.first, places.front().time);
        chunk.last  = std::max(chunk.last, places.back().time);
    }
    std::vector<std::byte> packed;
    if (options_.compression == McapCompression::zstd) packed = packed_by_zstd(open_);
    if (!packed.empty()) chunk.compression = "zstd";
    const std::vector<std::byte>& records = packed.empty() ? open_ : packed;
    chunk.packed                          = records.size();
    chunk.unpacked                        = open_.size();
    ByteWriter content;
    content.put(chunk.first);
    content.put(chunk.last);
    content.put(chunk.unpacked);
    // The sum is of the uncompressed records.
    content.put(crc_of(open_));
    put_text(content, chunk.compression);
    content.put(chunk.packed);
    for (const std::byte byte : records) content.put(byte);
    chunk.start = bytes_.size();
    append(bytes_, record_of(Opcode::chunk, content));
    chunk.size = bytes_.size() - chunk.start;
    for (const auto& [channel, places] : places_) {
        ByteWriter index;
        index.put(channel);
        index.put(static_cast<std::uint32_t>(places.size() * sizeof(Place)));
        for (const Place& place : places) index.put(place);
        chunk.indices[channel] = bytes_.size();
        append(bytes_, record_of(Opcode::message_index, index));
    }
    chunk.index_size = bytes_.size() - chunk.start - chunk.size;
    chunks_.push_back(std::move(chunk));
    open_.clear();
    places_.clear();
}

Result<void> McapWriter::finish(const std::string& file)
{
    close_chunk();
    ByteWriter end;
    // Of everything from the first magic to here.
    end.put(crc_of(bytes_));
    append(bytes_, record_of(Opcode::data_end, end));

    const std::uint64_t summary = bytes_.size();
    ByteWriter          statistics;
    statistics.put(messages_);
    statistics.put(schemas_);
    statistics.put(static_cast<std::uint32_t>(channels_));
    for (int i = 0; i < 2; ++i) statistics.put(std::uint32_t{0});  // attachments, metadata
    statistics.put(static_cast<std::uint32_t>(chunks_.size()));
    statistics.put(first_);
    statistics.put(last_);
    put_map(statistics, counts_);
    std::vector<std::vector<std::byte>> chunk_records;
    for (const Chunk& chunk : chunks_) {
        ByteWriter index;
        index.put(chunk.first);
        index.put(chunk.last);
        index.put(chunk.start);
        index.put(chunk.size);
        put_map(index, chunk.indices);
        index.put(chunk.index_size);
        put_text(index, chunk.compression);
        index.put(chunk.packed);
        index.put(chunk.unpacked);
        chunk_records.push_back(record_of(Opcode::chunk_index, index));
    }
    ByteWriter offsets;  // of the groups within the summary, as records
    const auto write_group = [&](Opcode opcode, const std::vector<std::vector<std::byte>>& records) {
        if (records.empty()) return;
        const std::uint64_t start = bytes_.size();
        for (const auto& record : records) append(bytes_, record);
        ByteWriter offset;
        offset.put(opcode);
        offset.put(start);
        offset.put(static_cast<std::uint64_t>(bytes_.size() - start));
        for (const std::byte byte : record_of(Opcode::summary_offset, offset)) offsets.put(byte);
    };
    write_group(Opcode::schema, schema_records_);
    write_group(Opcode::channel, channel_records_);
    write_group(Opcode::statistics, {record_of(Opcode::statistics, statistics)});
    write_group(Opcode::chunk_index, chunk_records);
    const std::uint64_t summary_offsets = bytes_.size();
    append(bytes_, offsets.bytes());

    // The sum of the summary goes up to itself, over the beginning of the footer.
    ByteWriter footer;
    // The footer is put together by hand, because its sum covers its own opcode, length and first two fields.
    footer.put(Opcode::footer);
    footer.put(std::uint64_t{2 * sizeof(std::uint64_t) + sizeof(std::uint32_t)});
    footer.put(summary);
    footer.put(summary_offsets);
    append(bytes_, footer.bytes());
    ByteWriter sum;
    sum.put(crc_of(std::span(bytes_).subspan(summary)));
    append(bytes_, sum.bytes());
    append_magic(bytes_);
    return write_file(file, std::span<const std::byte>(bytes_));
}

}  // namespace mechane::record
