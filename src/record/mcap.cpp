#include "mechane/record/mcap.h"

#include <algorithm>
#include <array>
#include <bit>

#include "mechane/core/bytes.h"
#include "mechane/simulation/atomic_file.h"

namespace mechane::record {
namespace {

static_assert(std::endian::native == std::endian::little, "MCAP is little-endian");

constexpr std::array<unsigned char, 8> kMcapMagic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum class Opcode : std::uint8_t {
    header     = 0x01,
    footer     = 0x02,
    schema     = 0x03,
    channel    = 0x04,
    message    = 0x05,
    statistics = 0x0b,
    data_end   = 0x0f
};

void put_text(ByteWriter& out, std::string_view text)
{
    out.put(static_cast<std::uint32_t>(text.size()));
    for (const char c : text) out.put(c);
}

std::vector<std::byte> record_of(Opcode opcode, const ByteWriter& content)
{
    ByteWriter out;
    out.put(opcode);
    out.put(static_cast<std::uint64_t>(content.bytes().size()));
    for (const std::byte byte : content.bytes()) out.put(byte);
    return out.bytes();
}

void append(std::vector<std::byte>& bytes, const std::vector<std::byte>& more)
{ bytes.insert(bytes.end(), more.begin(), more.end()); }

void append_magic(std::vector<std::byte>& bytes)
{
    for (const unsigned char c : kMcapMagic) bytes.push_back(static_cast<std::byte>(c));
}

}  // namespace

McapWriter::McapWriter(std::string profile, std::string library)
{
    append_magic(bytes_);
    ByteWriter content;
    put_text(content, profile);
    put_text(content, library);
    append(bytes_, record_of(Opcode::header, content));
}

std::uint16_t McapWriter::schema(const std::string& name, const std::string& encoding, const std::string& text)
{
    ByteWriter content;
    content.put(++schemas_);
    put_text(content, name);
    put_text(content, encoding);
    put_text(content, text);
    summary_.push_back(record_of(Opcode::schema, content));
    append(bytes_, summary_.back());
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
    summary_.push_back(record_of(Opcode::channel, content));
    append(bytes_, summary_.back());
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
    append(bytes_, record_of(Opcode::message, content));
    first_ = messages_ == 0 ? time : std::min(first_, time);
    last_  = std::max(last_, time);
    ++messages_;
}

Result<void> McapWriter::finish(const std::string& file)
{
    constexpr std::uint32_t kNotComputed = 0;  // a check sum
    ByteWriter              end;
    end.put(kNotComputed);
    append(bytes_, record_of(Opcode::data_end, end));
    const std::uint64_t summary = bytes_.size();
    for (const auto& record : summary_) append(bytes_, record);
    ByteWriter statistics;
    statistics.put(messages_);
    statistics.put(schemas_);
    statistics.put(static_cast<std::uint32_t>(channels_));
    for (int i = 0; i < 3; ++i) statistics.put(std::uint32_t{0});  // attachments, metadata, chunks
    statistics.put(first_);
    statistics.put(last_);
    statistics.put(static_cast<std::uint32_t>(counts_.size() * (sizeof(std::uint16_t) + sizeof(std::uint64_t))));
    for (const auto& [channel, count] : counts_) {
        statistics.put(channel);
        statistics.put(count);
    }
    append(bytes_, record_of(Opcode::statistics, statistics));
    ByteWriter footer;
    footer.put(summary);
    footer.put(std::uint64_t{0});  // no offsets within the summary
    footer.put(kNotComputed);
    append(bytes_, record_of(Opcode::footer, footer));
    append_magic(bytes_);
    return write_file(file, std::span<const std::byte>(bytes_));
}

}  // namespace mechane::record
