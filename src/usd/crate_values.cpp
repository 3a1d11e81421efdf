// Checks the values of a crate: every field's 64 bits and what they point to, of all types that the format has.
// A value is a word: type in bits 48 to 55, flags above (array 63, inlined 62, compressed 61, edit 60), and 48 bits
// that are the value itself or an offset in the file.
// It also adds up how much memory the values take when unpacked, and collects the variables of expressions.
//
// rep      the word of a field;  payload  its lower 48 bits
// cost     bytes that a value takes in memory when it is read
// minor_   the minor version of the format: lengths and layouts depend on it
//
// The library trusts these words: an offset outside of the file or a length beyond it would have it read foreign
// memory. Checking costs one look at each distinct value; shared ones are remembered.

#include "usd/crate_values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "usd/crate_codec.h"
#include "usd/text_check.h"

namespace mechane::usd {
namespace {

/// The format's type numbers that need more than a size.
enum Type : unsigned {
    kBool               = 1,
    kUChar              = 2,
    kInt                = 3,
    kUInt               = 4,
    kInt64              = 5,
    kUInt64             = 6,
    kHalf               = 7,
    kFloat              = 8,
    kDouble             = 9,
    kString             = 10,
    kToken              = 11,
    kAssetPath          = 12,
    kVec2h              = 21,
    kVec4i              = 30,
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
    kValueBlock         = 51,
    kValue              = 52,
    kUnregistered       = 53,
    kUnregisteredListOp = 54,
    kPayloadListOp      = 55,
    kTimeCode           = 56,
    kPathExpression     = 57,
    kRelocates          = 58,
    kSpline             = 59,
    kAnimationBlock     = 60,
};

// The smallest offset that a value can have: it lies behind the file's header of 88 bytes.
constexpr std::uint64_t kFirstPayload = 88, kPayloadBits = 0xffffffffffffull;
// The library follows nested values by recursion.
constexpr int kMaxDepth = 128;

const std::string kOutside = "a value lies outside the file",
                  kNoIndex = "a value is none of the tokens, strings or paths",
                  kTooLong = "a list is longer than the file", kUnknown = "a value is of an unknown type",
                  kForm = "a value has a form that its type does not have", kDeep = "values nest too deeply";

constexpr unsigned type_of(std::uint64_t rep) { return static_cast<unsigned>(rep >> 48 & 0xff); }
constexpr bool     is_array(std::uint64_t rep) { return (rep >> 63 & 1) != 0; }
constexpr bool     is_inlined(std::uint64_t rep) { return (rep >> 62 & 1) != 0; }
constexpr bool     is_edit(std::uint64_t rep) { return (rep >> 60 & 1) != 0; }

/// Bytes of one stored element, 0 where it varies.
/// In the order of type numbers.
std::size_t element_size(unsigned type)
{
    static constexpr unsigned char kSizes[] = {
        0,  1,  1, 4,  4, 8, 8, 2,  4,  8, 4,  4,  4,  32, 72, 128,  // bool to matrix4d
        32, 16, 8, 16, 8, 4, 8, 24, 12, 6, 12, 32, 16, 8,  16};      // quatd to vec4i
    return type < std::size(kSizes) ? kSizes[type] : type == kTimeCode ? 8 : type == kPathExpression ? 4 : 0;
}

/// Types whose value is always in the 64 bits, whatever the flag says.
bool always_inlined(unsigned type)
{
    switch (type) {
        case kBool:
        case kUChar:
        case kInt:
        case kUInt:
        case kHalf:
        case kFloat:
        case kString:
        case kToken:
        case kAssetPath:
        // Two halves, and other short vectors, fit into the word.
        case kVec2h:
        case kSpecifier:
        case kPermission:
        case kVariability:
        case kValueBlock:
        case kAnimationBlock:
            return true;
        default:
            return false;
    }
}

/// Types that are in the 64 bits where they are short: numbers, and what is empty. A spline of no type would be one of
/// them, which the library reads, and crashes over when it writes it (TsSpline without data).
bool may_be_inlined(unsigned type)
{ return always_inlined(type) || type <= kVec4i || type == kDictionary || type == kTimeCode; }

/// Saturates, as counts of a damaged file may add up to more than 64 bits.
std::uint64_t sum(std::uint64_t a, std::uint64_t b)
{ return a > std::numeric_limits<std::uint64_t>::max() - b ? std::numeric_limits<std::uint64_t>::max() : a + b; }

}  // namespace

/// Reads at a moving position of the whole file.
class CrateValues::Reader {
  public:
    Reader(std::string_view bytes, std::uint64_t at) : bytes_(bytes), at_(at), bad_(at > bytes.size()) {}

    template <class T>
    // Once bad, always bad: callers may read on and ask at the end.
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
        // Unsigned addition wraps, so that a jump backwards works and one out of the file is seen by `seek`.
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

std::string CrateValues::check(std::uint64_t rep, FieldMeaning meaning)
{
    meaning_ = meaning;
    cost_    = 0;
    // The field decides what names and paths in it must be.
    std::string what = check(rep, 0);
    // Values are unpacked one at a time when they are read, so the largest counts.
    largest_ = std::max(largest_, cost_);
    return what;
}

std::uint64_t CrateValues::unpacked() const { return sum(unpacked_, largest_); }

std::string_view CrateValues::string_at(std::uint64_t index) const
{ return index < tables_.strings.size() ? tables_.texts[tables_.strings[index]] : std::string_view(); }

std::string CrateValues::text_of(std::uint64_t rep) const
{
    if (type_of(rep) != kString) return {};
    if (is_inlined(rep)) return std::string(string_at(rep & kPayloadBits));
    std::string out;  // of an array all texts, one behind the other
    Reader      reader(bytes_, rep & kPayloadBits);
    // Lengths are 32 bits before version 0.7, with a rank before 0.5.
    if (minor_ < 5) reader.skip(4);
    auto count = minor_ < 7 ? reader.read<std::uint32_t>() : reader.read<std::uint64_t>();
    for (; count > 0 && !reader.bad(); --count) out += string_at(reader.read<std::uint32_t>());
    return out;
}

std::string CrateValues::check_expression(std::string_view text) const
{ return deepest_parenthesis(text) > tables_.max_nesting ? "an expression nests too deeply" : std::string(); }

// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
std::string CrateValues::check(std::uint64_t rep, int depth)
{
    const unsigned type    = type_of(rep);
    const auto     payload = rep & kPayloadBits;
    // Bits 56 to 59 have no meaning and must be zero.
    if (type == 0 || type > kAnimationBlock || (rep >> 56 & 15) != 0) return kUnknown;
    if (is_edit(rep) && minor_ < 13) return kUnknown;  // changes to an array
    if (depth > kMaxDepth) return kDeep;
    // An array or an edit is of a type with elements, is never inlined, and is not both.
    if ((is_array(rep) || is_edit(rep)) &&
        (element_size(type) == 0 || is_inlined(rep) || is_array(rep) == is_edit(rep)))
        return kForm;
    if (is_inlined(rep)) return may_be_inlined(type) ? check_inlined(type, payload) : kForm;
    const bool whole = !is_array(rep) && !is_edit(rep);
    if (whole && always_inlined(type)) return kForm;
    // An empty array has no bytes in the file.
    if (!whole && payload == 0) return {};  // nothing
    if (payload < kFirstPayload || payload >= bytes_.size()) return kOutside;
    // Values are shared between fields; without this a file with many references to one long value would take long to
    // check.
    // With a meaning the same value may be good for one field and not for another.
    if (const auto known = good_.find(rep); known != good_.end() && meaning_ == FieldMeaning::any) {
        cost_ = sum(cost_, known->second);
        return {};
    }
    // A value on the way down to itself is a circle.
    if (!open_.insert(rep).second) return "a value holds itself";
    // The cost of what is around is set aside while this value's own is counted.
    const std::uint64_t around = std::exchange(cost_, 0);
    std::string         what   = is_edit(rep) ? check_edit(rep, depth)
                                 : whole      ? check_stored(rep, type, depth)
                                              : check_array(rep);
    open_.erase(rep);
    good_.emplace(rep, cost_);
    cost_ = sum(around, cost_);
    return what;
}

std::string CrateValues::check_inlined(unsigned type, std::uint64_t payload)
{
    bool good = true;
    if (type == kString) good = payload < tables_.strings.size();
    if (type == kToken || type == kAssetPath) good = payload < tables_.tokens.size();
    // Enumerations have three values.
    if (type == kSpecifier || type == kPermission || type == kVariability) good = payload < 3;
    return good ? std::string() : kNoIndex;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
std::string CrateValues::check_stored(std::uint64_t rep, unsigned type, int depth)
{
    Reader reader(bytes_, rep & kPayloadBits);
    switch (type) {
        case kDictionary:
            return check_dictionary(reader, depth);
        case kTimeSamples:
            return check_samples(reader, depth);
        case kSpline:
            return check_spline(reader, depth);
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
        case kRelocates:
            return check_list(reader, type);
        case kDoubleVector:
        // A list of doubles, or of pairs of them.
        case kOffsetVector: {
            const auto count = reader.read<std::uint64_t>();
            return reader.bad() || count > reader.left() / (type == kDoubleVector ? 8 : 16) ? kTooLong : std::string();
        }
        case kPathExpression: {
            const auto index = reader.read<std::uint32_t>();
            return reader.bad() || index >= tables_.strings.size() ? kNoIndex : check_expression(string_at(index));
        }
        default:
            // Everything else has a fixed size.
            return element_size(type) != 0 && element_size(type) <= reader.left() ? std::string() : kOutside;
    }
}

/// Names, paths or strings, or pairs of them.
std::string CrateValues::check_list(Reader& reader, unsigned type)
{
    auto       count = reader.read<std::uint64_t>();
    const bool pairs = type == kVariantSelections || type == kRelocates;
    // Each entry is an index of four bytes.
    if (reader.bad() || count > reader.left() / (pairs ? 8 : 4)) return kTooLong;
    const std::size_t end = type == kTokenVector                        ? tables_.tokens.size()
                            : type == kPathVector || type == kRelocates ? tables_.arc_paths.size()
                                                                        : tables_.strings.size();
    // Lists of children must be names; others may hold any token.
    const NameKind needed = type != kTokenVector                       ? NameKind::none
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

std::vector<std::uint32_t> CrateValues::names(std::uint64_t rep) const
{
    std::vector<std::uint32_t> out;
    if (type_of(rep) != kTokenVector || is_inlined(rep) || is_array(rep)) return out;
    Reader     reader(bytes_, rep & kPayloadBits);
    const auto count = reader.read<std::uint64_t>();
    if (reader.bad() || count > reader.left() / 4) return out;
    for (std::uint64_t i = 0; i < count; ++i) out.push_back(reader.read<std::uint32_t>());
    return out;
}

std::string CrateValues::check_array(std::uint64_t rep)
{
    const bool     compressed = (rep >> 61 & 1) != 0;
    const unsigned type       = type_of(rep);
    Reader         reader(bytes_, rep & kPayloadBits);
    if (minor_ < 5) reader.skip(4);  // the rank, always one
    // A version's length of arrays.
    const auto        count = minor_ < 7 ? reader.read<std::uint32_t>() : reader.read<std::uint64_t>();
    const std::size_t each  = element_size(type);
    if (reader.bad()) return kOutside;
    constexpr std::uint64_t kShortest = 16;  // shorter arrays are never compressed
    const int               since     = type >= kHalf ? 6 : 5;
    if (compressed && minor_ >= since && count >= kShortest && type >= kInt && type <= kDouble)
        // Packed arrays: integers since 0.5, floats since 0.6.
        return check_packed(reader, type, count, each);
    if (count > reader.left() / each) return "an array is longer than the file";
    // A string takes an index in the file and a handle in memory.
    cost_ = sum(cost_, count * std::max(each, std::size_t{8}));
    // Indices into the tables.
    if (type != kString && type != kToken && type != kAssetPath && type != kPathExpression) return {};
    const std::size_t end = type == kToken ? tables_.tokens.size() : tables_.strings.size();
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto index = reader.read<std::uint32_t>();
        if (index >= end) return kNoIndex;
        if (type == kPathExpression)
            if (std::string what = check_expression(string_at(index)); !what.empty()) return what;
    }
    return {};
}

/// Integers, or floating numbers as integers ('i') or as a table and indices into it ('t').
std::string CrateValues::check_packed(Reader& reader, unsigned type, std::uint64_t count, std::size_t each)
{
    std::uint32_t table = 0;
    // Floats are stored as integers where they are whole, else as a table of distinct values.
    if (type >= kHalf) {
        const auto code = reader.read<char>();
        if (code != 'i' && code != 't') return "an array is packed in an unknown way";
        if (code == 't') {
            table = reader.read<std::uint32_t>();
            if (table == 0 || table > reader.left() / each) return kTooLong;
            reader.skip(table * each);
        }
    }
    const auto size = reader.read<std::uint64_t>();
    // Two bits a number at the least, and LZ4 gives 255 times its own size at the most.
    if (reader.bad() || size > reader.left() || count / 1024 > size) return kTooLong;
    cost_     = sum(cost_, count * each);
    unpacked_ = sum(unpacked_, count * each);
    if (table == 0) return {};
    const auto indices =
        decompress_integers(reader.rest().substr(0, static_cast<std::size_t>(size)), static_cast<std::size_t>(count));
    // Every index must lie in the table.
    const bool good = indices && std::all_of(indices->begin(), indices->end(),
                                             [&](std::int32_t i) { return static_cast<std::uint32_t>(i) < table; });
    return good ? std::string() : "an array cannot be unpacked";
}

namespace {

/// The instructions of an edit of an array: a word with the operation and how often, then its one or two arguments.
bool good_instructions(const std::vector<std::int64_t>& words, std::uint64_t literals, std::int64_t max_size)
{
    enum Operation {
        write,
        write_from,
        insert,
        insert_from,
        erase,
        min_size,
        min_fill,
        set_size,
        set_fill,
        max_size_of
    };
    for (std::size_t at = 0; at < words.size();) {
        const auto word = static_cast<std::uint64_t>(words[at++]);
        // The count in the lower 56 bits, the operation in the upper 8.
        const std::uint64_t count = word & 0xffffffffffffffull, operation = word >> 56;
        if (operation > max_size_of) return false;
        // Two arguments: what and where; one: a place or a size.
        const bool two = operation <= insert_from || operation == min_fill || operation == set_fill;
        if (count > (words.size() - at) / (two ? 2 : 1)) return false;
        for (std::uint64_t i = 0; i < count; ++i, at += two ? 2 : 1) {
            const bool of_literal = operation == write || operation == insert;
            // The first argument of writes and inserts is a literal.
            if (of_literal && (words[at] < 0 || static_cast<std::uint64_t>(words[at]) >= literals)) return false;
            if (operation < min_size) continue;
            if (words[at] < 0 || (operation != max_size_of && words[at] > max_size)) return false;
            if (two && (words[at + 1] < 0 || static_cast<std::uint64_t>(words[at + 1]) >= literals)) return false;
        }
    }
    return true;
}

}  // namespace

/// An edit: an array of literals, an array of instructions as 64-bit integers, and a byte.
std::string CrateValues::check_edit(std::uint64_t rep, int depth)
{
    Reader reader(bytes_, rep & kPayloadBits);
    // Two words of values, and whether the array is dense.
    const auto values = reader.read<std::uint64_t>(), instructions = reader.read<std::uint64_t>();
    const auto dense = reader.read<std::uint8_t>();
    if (reader.bad()) return kOutside;
    if (!is_array(values) || type_of(values) != type_of(rep) || !is_array(instructions) ||
        type_of(instructions) != kInt64 || dense > 1)
        return "an edit of an array is none";
    for (const std::uint64_t part : {values, instructions})
        if (std::string what = check(part, depth + 1); !what.empty()) return what;
    const auto length = [](std::uint64_t array, Reader& from) {  // edits are younger than lengths of 64 bits
        return (array & kPayloadBits) == 0 ? std::uint64_t{0} : from.read<std::uint64_t>();
    };
    Reader                  literals(bytes_, values & kPayloadBits), words(bytes_, instructions & kPayloadBits);
    const std::uint64_t     literal_count = length(values, literals), count = length(instructions, words);
    constexpr std::uint64_t kShortest = 16;

    std::optional<std::vector<std::int64_t>> read;
    if ((instructions >> 61 & 1) != 0 && count >= kShortest) {
        const auto size = words.read<std::uint64_t>();
        read            = decompress_long_integers(
            words.rest().substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(size, words.left()))),
            static_cast<std::size_t>(count));
    } else {
        read.emplace();
        for (std::uint64_t i = 0; i < count && !words.bad(); ++i) read->push_back(words.read<std::int64_t>());
    }
    // An edit may not make an array much larger than the file could hold it.
    // Memory for it would be taken before anything else is looked at.
    const auto largest = static_cast<std::int64_t>(bytes_.size() * 64 + (1 << 20));
    return read && good_instructions(*read, literal_count, largest) ? std::string() : "an edit of an array is none";
}

/// A jump to the value; reading goes on behind it.
// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
std::string CrateValues::check_nested(Reader& reader, int depth)
{
    reader.jump();
    const auto              rep   = reader.read<std::uint64_t>();
    constexpr std::uint64_t kHeld = 16;  // what holds a value
    cost_                         = sum(cost_, kHeld);
    return reader.bad() ? kOutside : check(rep, depth + 1);
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
std::string CrateValues::check_dictionary(Reader& reader, int depth)
{
    if (depth > kMaxDepth) return kDeep;
    const auto count = reader.read<std::uint64_t>();
    // A key of four bytes and a jump of eight.
    if (reader.bad() || count > reader.left() / 12) return kTooLong;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto key = reader.read<std::uint32_t>();
        if (key >= tables_.strings.size() || reader.bad()) return kNoIndex;
        // The variables of expressions are dictionaries at the top; deeper ones are no variables.
        Reader next = reader;
        if (std::string what = check_nested(reader, depth); !what.empty()) return what;
        if (meaning_ != FieldMeaning::expressions || depth != 0) continue;
        next.jump();
        const auto rep = next.read<std::uint64_t>();
        if (!next.bad()) variables_.emplace_back(string_at(key), text_of(rep));
    }
    return {};
}

/// Times in ascending order.
std::string CrateValues::check_times(std::uint64_t rep, std::uint64_t& count)
{
    if (type_of(rep) != kDoubleVector || (rep >> 60) != 0) return "the times of samples are none";
    Reader reader(bytes_, rep & kPayloadBits);
    // Times are shared between attributes, as values are.
    count = reader.read<std::uint64_t>();
    if (reader.bad() || count > reader.left() / 8) return kTooLong;
    double last = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto time = reader.read<double>();
        // Samples are looked up by bisection, which needs times in order.
        if (std::isnan(time) || (i > 0 && !(time > last))) return "the times of samples do not ascend";
        last = time;
    }
    return {};
}

/// A jump to the times, behind them a jump to the values: a count and as many values.
// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
std::string CrateValues::check_samples(Reader& reader, int depth)
{
    reader.jump();
    // The times are a value of their own.
    const auto times = reader.read<std::uint64_t>();
    if (reader.bad()) return kOutside;
    if (std::string what = check(times, depth + 1); !what.empty()) return what;
    std::uint64_t expected = 0;
    if (std::string what = check_times(times, expected); !what.empty()) return what;
    reader.jump();
    const auto count = reader.read<std::uint64_t>();
    if (reader.bad() || count > reader.left() / 8) return kTooLong;
    if (expected != count) return "there are not as many samples as times";
    std::uint64_t largest = 0;  // they are read one at a time
    const auto    before  = cost_;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto rep = reader.read<std::uint64_t>();
        // Samples hold plain values only.
        if (type_of(rep) == kTimeSamples || type_of(rep) == kSpline) return kForm;
        cost_ = 0;
        if (std::string what = check(rep, depth + 1); !what.empty()) return what;
        largest = std::max(largest, cost_);
    }
    cost_ = sum(before, largest);
    return {};
}

/// A curve: bytes, and dictionaries by time. The bytes: version, modes, loops, and the knots, which the library reads
/// within their bounds.
// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
std::string CrateValues::check_spline(Reader& reader, int depth)
{
    const std::string wrong = "a spline is none";
    const auto        size  = reader.read<std::uint64_t>();
    if (reader.bad() || size > reader.left()) return kTooLong;
    if (size == 0) return wrong;  // of no type
    {
        CrateCursor blob(reader.rest().substr(0, static_cast<std::size_t>(size)));
        const auto  head = blob.read<std::uint8_t>(), modes = blob.read<std::uint8_t>();
        // Four bits of version; three bits each for what is before the first knot and behind the last.
        const int     version = head & 15, before = modes & 7, after = modes >> 3 & 7;
        constexpr int kSloped = 3, kLastMode = 6;
        if (version < 1 || version > 2 || before > kLastMode || after > kLastMode) return wrong;
        for (const int mode : {before, after})
            if (mode == kSloped && !std::isfinite(blob.read<double>())) return wrong;
        if ((modes & 0x40) != 0) {
            const auto start = blob.read<double>(), end = blob.read<double>();
            const auto earlier = blob.read<std::int32_t>(), later = blob.read<std::int32_t>();
            const auto offset = blob.read<double>();
            // Loops repeat knots in memory.
            constexpr int kMostLoops = 100'000;
            if (!std::isfinite(start) || !std::isfinite(end) || !std::isfinite(offset) || earlier < 0 || later < 0 ||
                earlier > kMostLoops || later > kMostLoops)
                return wrong;
        }
        const auto knots = blob.read<std::uint32_t>();
        if (blob.bad() || knots > blob.left() / 15) return wrong;  // flags, time, three halves
    }
    reader.skip(size);
    const auto count = reader.read<std::uint64_t>();
    if (reader.bad() || count > reader.left() / 16) return kTooLong;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (std::isnan(reader.read<double>())) return wrong;
        if (std::string what = check_dictionary(reader, depth + 1); !what.empty()) return what;
    }
    return {};
}

/// One byte says which of the six lists follow, each a count and its items.
// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
std::string CrateValues::check_list_op(Reader& reader, unsigned type, int depth)
{
    const auto lists = reader.read<std::uint8_t>();
    // Bit 7 has no meaning.
    if ((lists & 0x80) != 0) return kForm;
    // Bit 0 says that the list is explicit and brings no items.
    for (int bit = 1; bit < 7; ++bit) {
        if ((lists >> bit & 1) == 0) continue;
        const auto count = reader.read<std::uint64_t>();
        if (reader.bad() || count > reader.left() / 4) return kTooLong;
        for (std::uint64_t i = 0; i < count; ++i)
            if (std::string what = check_item(reader, type, depth); !what.empty()) return what;
    }
    return reader.bad() ? kOutside : std::string();
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDepth
std::string CrateValues::check_item(Reader& reader, unsigned type, int depth)
{
    // References and payloads name a layer by string and a prim by path.
    const auto below = [&](std::size_t end) { return reader.read<std::uint32_t>() < end && !reader.bad(); };
    const auto among = [&](const std::vector<bool>& allowed) {
        const auto path = reader.read<std::uint32_t>();
        return !reader.bad() && path < allowed.size() && allowed[path];
    };
    const auto arc = [&] { return among(tables_.arc_paths); };
    switch (type) {
        case kTokenListOp:
            return below(tables_.tokens.size()) ? std::string() : kNoIndex;
        case kStringListOp:
            return below(tables_.strings.size()) ? std::string() : kNoIndex;
        case kPathListOp:
            return (meaning_ == FieldMeaning::arcs      ? arc()
                    : meaning_ == FieldMeaning::targets ? among(tables_.target_paths)
                                                        : below(tables_.arc_paths.size()))
                       ? std::string()
                       : kNoIndex;
        case kReferenceListOp:
            if (!below(tables_.strings.size()) || !arc()) return kNoIndex;
            reader.skip(16);  // offset and scale of times
            return check_dictionary(reader, depth + 1);
        case kPayloadListOp:
            if (!below(tables_.strings.size()) || !arc()) return kNoIndex;
            if (minor_ >= 8) reader.skip(16);
            return reader.bad() ? kOutside : std::string();
        case kUnregisteredListOp:
            return check_nested(reader, depth + 1);
        default:
            reader.skip(type == kInt64ListOp || type == kUInt64ListOp ? 8 : 4);
            return reader.bad() ? kOutside : std::string();
    }
}

/// The library casts these fields to one type without looking.
/// A field with another type than here would be read as one of them all the same.
bool field_may_hold(std::string_view field, std::uint64_t rep)
{
    struct Row {
        std::string_view field;
        unsigned         type, other = 0;
    };
    static constexpr Row kRows[] = {
        {"primChildren", kTokenVector},
        {"properties", kTokenVector},
        {"variantSetChildren", kTokenVector},
        {"variantChildren", kTokenVector},
        {"primOrder", kTokenVector},
        {"propertyOrder", kTokenVector},
        {"connectionChildren", kPathVector},
        {"targetChildren", kPathVector},
        {"specifier", kSpecifier},
        {"variability", kVariability},
        {"permission", kPermission},
        {"typeName", kToken},
        {"custom", kBool},
        {"active", kBool},
        {"instanceable", kBool},
        {"inheritPaths", kPathListOp},
        {"specializes", kPathListOp},
        {"connectionPaths", kPathListOp},
        {"targetPaths", kPathListOp},
        {"references", kReferenceListOp},
        {"payload", kPayload, kPayloadListOp},
        {"variantSelection", kVariantSelections},
        {"variantSetNames", kStringListOp, kStringVector},
        {"timeSamples", kTimeSamples},
        {"spline", kSpline},
        {"subLayers", kStringVector},
        {"subLayerOffsets", kOffsetVector},
        {"layerRelocates", kRelocates},
        {"expressionVariables", kDictionary},
        {"clips", kDictionary},
    };
    for (const Row& row : kRows)
        if (row.field == field)
            return (type_of(rep) == row.type || type_of(rep) == row.other) && !is_array(rep) && !is_edit(rep);
    // Fields that are not listed are looked at by the library.
    return type_of(rep) != kSpline;  // only an attribute has one, in a field of its own
}

}  // namespace mechane::usd
