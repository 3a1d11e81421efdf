#include "usd/crate_values.h"

#include <algorithm>
#include <cstring>

#include "usd/crate_codec.h"

namespace mechane::usd {
namespace {

/// The format's type numbers that need more than a size.
enum Type : unsigned {
    kInt                = 3,
    kHalf               = 7,
    kFloat              = 8,
    kDouble             = 9,
    kString             = 10,
    kToken              = 11,
    kAssetPath          = 12,
    kDictionary         = 31,
    kTokenListOp        = 32,
    kStringListOp       = 33,
    kPathListOp         = 34,
    kReferenceListOp    = 35,
    kIntListOp          = 36,
    kInt64ListOp        = 37,
    kUIntListOp         = 38,
    kUInt64ListOp       = 39,
    kPathVector         = 40,
    kTokenVector        = 41,
    kSpecifier          = 42,
    kPermission         = 43,
    kVariability        = 44,
    kVariantSelections  = 45,
    kTimeSamples        = 46,
    kPayload            = 47,
    kDoubleVector       = 48,
    kOffsetVector       = 49,
    kStringVector       = 50,
    kValue              = 52,
    kUnregistered       = 53,
    kUnregisteredListOp = 54,
    kPayloadListOp      = 55,
    kTimeCode           = 56,
    kPathExpression     = 57,
    kRelocates          = 58,
    kLastType           = 60,
};

constexpr std::uint64_t kBootstrap = 88;
constexpr int           kMaxDepth  = 128;

const std::string kOutside = "a value lies outside the file",
                  kNoIndex = "a value is none of the tokens, strings or paths",
                  kTooLong = "a list is longer than the file";

/// Bytes of one stored element, 0 where it varies.
std::size_t element_size(unsigned type)
{
    static constexpr unsigned char kSizes[] = {
        0,  1,  1, 4,  4, 8, 8, 2,  4,  8, 4,  4,  4,  32, 72, 128,  // bool to matrix4d
        32, 16, 8, 16, 8, 4, 8, 24, 12, 6, 12, 32, 16, 8,  16};      // quatd to vec4i
    return type < std::size(kSizes) ? kSizes[type] : type == kTimeCode ? 8 : type == kPathExpression ? 4 : 0;
}

}  // namespace

/// Reads at a moving position of the whole file.
class CrateValues::Reader {
  public:
    Reader(std::string_view bytes, std::uint64_t at) : bytes_(bytes), at_(at), bad_(at > bytes.size()) {}

    template <class T>
    T read()
    {
        T value{};
        if (left() < sizeof(T)) {
            bad_ = true;
            return value;
        }
        std::memcpy(&value, bytes_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }
    void skip(std::uint64_t count)
    { count > left() ? static_cast<void>(bad_ = true) : static_cast<void>(at_ += count); }
    void seek(std::uint64_t at) { at > bytes_.size() ? static_cast<void>(bad_ = true) : static_cast<void>(at_ = at); }
    /// A jump is counted from the place where it is stored.
    void jump()
    {
        const std::uint64_t from = at_;
        seek(from + static_cast<std::uint64_t>(read<std::int64_t>()));
    }
    [[nodiscard]] bool             bad() const { return bad_; }
    [[nodiscard]] std::uint64_t    left() const { return bad_ ? 0 : bytes_.size() - at_; }
    [[nodiscard]] std::string_view rest() const
    { return bad_ ? std::string_view() : bytes_.substr(static_cast<std::size_t>(at_)); }

  private:
    std::string_view bytes_;
    std::uint64_t    at_;
    bool             bad_;
};

std::string CrateValues::check(std::uint64_t rep, int depth)
{
    const bool     array = (rep >> 63 & 1) != 0, inlined = (rep >> 62 & 1) != 0;
    const unsigned type    = static_cast<unsigned>(rep >> 48 & 0xff);
    const auto     payload = rep & 0xffffffffffffull;
    if (type == 0 || type > kLastType || (rep >> 56 & 15) != 0) return "a value is of an unknown type";
    const bool edit = (rep >> 60 & 1) != 0;  // changes to an array, from version 0.13 on
    if (edit && minor_ < 13) return "a value is of an unknown type";
    if (depth > kMaxDepth) return "values nest too deeply";
    if (inlined) {
        bool good = true;
        if (type == kString) good = payload < tables_.strings;
        if (type == kToken) good = payload < tables_.tokens.size();
        if (type == kAssetPath || type == kPathExpression)
            good = payload < std::max(tables_.tokens.size(), tables_.strings);
        if (type == kSpecifier) good = payload < 3;
        if (type == kPermission || type == kVariability) good = payload < 3;
        return good ? std::string() : kNoIndex;
    }
    if (array && payload == 0) return {};  // an empty one
    if (payload < kBootstrap || payload >= bytes_.size()) return kOutside;
    if (meaning_ == FieldMeaning::any && !good_.insert(rep).second) return {};
    if (edit) return {};
    if (array) return check_array(rep);

    Reader reader(bytes_, payload);
    switch (type) {
        case kDictionary:
            return check_dictionary(reader, depth);
        case kTimeSamples:
            return check_samples(reader, depth);
        case kValue:
        case kUnregistered:
            return check_nested(reader, depth);
        case kTokenListOp:
        case kStringListOp:
        case kPathListOp:
        case kReferenceListOp:
        case kIntListOp:
        case kInt64ListOp:
        case kUIntListOp:
        case kUInt64ListOp:
        case kUnregisteredListOp:
        case kPayloadListOp:
            return check_list_op(reader, type, depth);
        case kPayload:
            return check_item(reader, kPayloadListOp, depth);
        case kPathVector:
        case kTokenVector:
        case kStringVector:
        case kVariantSelections:
        case kRelocates: {
            auto       count = reader.read<std::uint64_t>();
            const bool pairs = type == kVariantSelections || type == kRelocates;
            if (reader.bad() || count > reader.left() / (pairs ? 8 : 4)) return kTooLong;
            const std::size_t end    = type == kTokenVector                        ? tables_.tokens.size()
                                       : type == kPathVector || type == kRelocates ? tables_.arc_paths.size()
                                                                                   : tables_.strings;
            const NameKind    needed = type != kTokenVector                       ? NameKind::none
                                       : meaning_ == FieldMeaning::prim_names     ? NameKind::prim
                                       : meaning_ == FieldMeaning::property_names ? NameKind::property
                                                                                  : NameKind::none;
            for (count *= pairs ? 2 : 1; count > 0; --count) {
                const auto index = reader.read<std::uint32_t>();
                if (index >= end) return kNoIndex;
                if (needed != NameKind::none && tables_.tokens[index] < needed) return "a name is not valid";
            }
            return {};
        }
        case kDoubleVector:
        case kOffsetVector: {
            const auto count = reader.read<std::uint64_t>();
            return reader.bad() || count > reader.left() / (type == kDoubleVector ? 8 : 16) ? kTooLong : std::string();
        }
        default:
            return element_size(type) <= reader.left() ? std::string() : kOutside;
    }
}

std::string CrateValues::check_array(std::uint64_t rep)
{
    const bool     compressed = (rep >> 61 & 1) != 0;
    const unsigned type       = static_cast<unsigned>(rep >> 48 & 0xff);
    Reader         reader(bytes_, rep & 0xffffffffffffull);
    if (minor_ < 5) reader.skip(4);  // the rank, always one
    const auto        count = minor_ < 7 ? reader.read<std::uint32_t>() : reader.read<std::uint64_t>();
    const std::size_t each  = element_size(type);
    if (reader.bad() || each == 0) return kOutside;
    constexpr std::uint64_t kShortest = 16;  // shorter arrays are never compressed
    if (compressed && minor_ >= 5 && count >= kShortest && type >= kInt && type <= kDouble) {
        if (count / 1024 > reader.left()) return kTooLong;
        if (type != kHalf && type != kFloat && type != kDouble) return {};
        // Floating arrays are integers ('i'), or a table and indices into it ('t').
        if (reader.read<char>() != 't') return {};
        const auto table = reader.read<std::uint32_t>();
        if (table > reader.left() / each) return kTooLong;
        reader.skip(table * each);
        const auto size = reader.read<std::uint64_t>();
        if (reader.bad() || size > reader.left()) return kTooLong;
        const auto indices = decompress_integers(reader.rest().substr(0, static_cast<std::size_t>(size)),
                                                 static_cast<std::size_t>(count));
        const bool good = indices && std::all_of(indices->begin(), indices->end(),
                                                 [&](std::int32_t i) { return static_cast<std::uint32_t>(i) < table; });
        return good ? std::string() : "an array cannot be unpacked";
    }
    if (count > reader.left() / each) return "an array is longer than the file";
    if (type == kString || type == kToken || type == kAssetPath || type == kPathExpression) {
        const std::size_t end = type == kToken       ? tables_.tokens.size()
                                : type == kAssetPath ? std::max(tables_.tokens.size(), tables_.strings)
                                                     : tables_.strings;
        for (std::uint64_t i = 0; i < count; ++i)
            if (reader.read<std::uint32_t>() >= end) return kNoIndex;
    }
    return {};
}

/// A jump to the value; reading goes on behind it.
std::string CrateValues::check_nested(Reader& reader, int depth)
{
    reader.jump();
    const auto rep = reader.read<std::uint64_t>();
    return reader.bad() ? kOutside : check(rep, depth + 1);
}

std::string CrateValues::check_dictionary(Reader& reader, int depth)
{
    if (depth > kMaxDepth) return "values nest too deeply";
    const auto count = reader.read<std::uint64_t>();
    if (reader.bad() || count > bytes_.size() / 12) return kTooLong;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (reader.read<std::uint32_t>() >= tables_.strings || reader.bad()) return kNoIndex;
        if (std::string what = check_nested(reader, depth); !what.empty()) return what;
    }
    return {};
}

/// A jump to the times, behind them a jump to the values: a count and as many values.
std::string CrateValues::check_samples(Reader& reader, int depth)
{
    reader.jump();
    const auto times = reader.read<std::uint64_t>();
    if (reader.bad()) return kOutside;
    if (std::string what = check(times, depth + 1); !what.empty()) return what;
    reader.jump();
    const auto count = reader.read<std::uint64_t>();
    if (reader.bad() || count > reader.left() / 8) return kTooLong;
    if ((times >> 48 & 0xff) == kDoubleVector && (times >> 62 & 3) == 0 &&
        Reader(bytes_, times & 0xffffffffffffull).read<std::uint64_t>() != count)
        return "there are not as many samples as times";
    for (std::uint64_t i = 0; i < count; ++i)
        if (std::string what = check(reader.read<std::uint64_t>(), depth + 1); !what.empty()) return what;
    return {};
}

/// One byte says which of the six lists follow, each a count and its items.
std::string CrateValues::check_list_op(Reader& reader, unsigned type, int depth)
{
    const auto lists = reader.read<std::uint8_t>();
    for (int bit = 1; bit < 7; ++bit) {
        if ((lists >> bit & 1) == 0) continue;
        const auto count = reader.read<std::uint64_t>();
        if (reader.bad() || count > reader.left() / 4) return kTooLong;
        for (std::uint64_t i = 0; i < count; ++i)
            if (std::string what = check_item(reader, type, depth); !what.empty()) return what;
    }
    return reader.bad() ? kOutside : std::string();
}

std::string CrateValues::check_item(Reader& reader, unsigned type, int depth)
{
    const auto below = [&](std::size_t end) { return reader.read<std::uint32_t>() < end && !reader.bad(); };
    const auto arc   = [&] {
        const auto path = reader.read<std::uint32_t>();
        return !reader.bad() && path < tables_.arc_paths.size() && tables_.arc_paths[path];
    };
    switch (type) {
        case kTokenListOp:
            return below(tables_.tokens.size()) ? std::string() : kNoIndex;
        case kStringListOp:
            return below(tables_.strings) ? std::string() : kNoIndex;
        case kPathListOp:
            return (meaning_ == FieldMeaning::arcs ? arc() : below(tables_.arc_paths.size())) ? std::string()
                                                                                              : kNoIndex;
        case kReferenceListOp:
            if (!below(tables_.strings) || !arc()) return kNoIndex;
            reader.skip(16);  // offset and scale of times
            return check_dictionary(reader, depth + 1);
        case kPayloadListOp:
            if (!below(tables_.strings) || !arc()) return kNoIndex;
            if (minor_ >= 8) reader.skip(16);
            return reader.bad() ? kOutside : std::string();
        case kUnregisteredListOp:
            return check_nested(reader, depth + 1);
        default:
            reader.skip(type == kInt64ListOp || type == kUInt64ListOp ? 8 : 4);
            return reader.bad() ? kOutside : std::string();
    }
}

}  // namespace mechane::usd
