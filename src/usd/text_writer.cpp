// Writes what nearly all of a robot's layer consists of: prims with schemas, kinds and arcs, attributes with plain
// values, relationships with one target. It asks the layer's storage; OpenUSD's writer makes a handle of every spec and
// prints through streams.
// What is rarer is left to OpenUSD's writer: a property or the head of a prim alone, or the whole layer where it has
// what may need another version of the format (splines, variants, edits of arrays).
//
// head    what stands before the braces of a prim: specifier, type, name, metadata
// rare    what this writer does not print itself; false says so, and what was printed of it is taken back
//
// The text is the same byte for byte as OpenUSD's, so that layers do not differ by who wrote them.

#include "usd/text_writer.h"

#include <pxr/gf/quatd.h>
#include <pxr/gf/quatf.h>
#include <pxr/gf/vec2f.h>
#include <pxr/gf/vec3d.h>
#include <pxr/gf/vec3f.h>
#include <pxr/gf/vec4f.h>
#include <pxr/sdf/attributeSpec.h>
#include <pxr/sdf/listOp.h>
#include <pxr/sdf/payload.h>
#include <pxr/sdf/primSpec.h>
#include <pxr/sdf/reference.h>
#include <pxr/sdf/schema.h>
#include <pxr/sdf/usdaData.h>
#include <pxr/tf/stringUtils.h>
#include <pxr/vt/array.h>
#include <pxr/vt/dictionary.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <unordered_map>

#include "usd/field_tokens.h"
#include "usd/layer_storage.h"
#include "usd/value_type.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// Digits and layout of double-conversion's shortest form: decimal from 1e-6 to below 1e15, else with an exponent.
template <class T>
// to_chars gives the shortest digits that read back as the same number; only their layout is different.
void append_shortest(std::string& out, T value)
{
    if (std::isnan(value)) return void(out += "nan");
    if (std::isinf(value)) return void(out += value < 0 ? "-inf" : "inf");
    // -0 keeps its sign.
    if (std::signbit(value)) out += '-';
    if (value == 0) return void(out += '0');
    char        text[64];
    const char* end = std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific).ptr;
    char        digits[32];
    int         count = 0;
    const char* at    = text;
    for (; *at != 'e'; ++at)
        if (*at != '.') digits[count++] = *at;
    int exponent = 0;
    std::from_chars(at + (at[1] == '+' ? 2 : 1), end, exponent);
    if (exponent < -6 || exponent >= 15) {
        out += digits[0];
        if (count > 1) out += '.';
        out.append(digits + 1, static_cast<std::size_t>(count - 1));
        out += 'e';
        out += std::to_string(exponent);
    } else if (exponent < 0) {
        out += "0.";
        out.append(static_cast<std::size_t>(-exponent - 1), '0');
        out.append(digits, static_cast<std::size_t>(count));
    } else {
        const int whole = std::min(count, exponent + 1);
        out.append(digits, static_cast<std::size_t>(whole));
        out.append(static_cast<std::size_t>(exponent + 1 - whole), '0');
        if (count > whole) out += '.';
        out.append(digits + whole, static_cast<std::size_t>(count - whole));
    }
}

/// Whether the text stands between double quotes as it is.
bool is_plain(const std::string& text)
{
    // Quotes, backslashes, line breaks and bytes beyond ASCII need the library's rules.
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; });
}

bool append(std::string& out, double v) { return append_shortest(out, v), true; }
bool append(std::string& out, float v) { return append_shortest(out, v), true; }
bool append(std::string& out, int v) { return out += std::to_string(v), true; }
bool append(std::string& out, bool v) { return out += v ? '1' : '0', true; }
bool append(std::string& out, const std::string& v)
{
    if (!is_plain(v)) return false;
    out += '"', out += v, out += '"';
    return true;
}
bool append(std::string& out, const TfToken& v) { return append(out, v.GetString()); }
template <class Vector>
bool append_vector(std::string& out, const Vector& v)
{
    // USD writes quaternions with the real part first, and vectors in round brackets.
    for (std::size_t i = 0; i < Vector::dimension; ++i) {
        out += i == 0 ? "(" : ", ";
        append_shortest(out, v[i]);
    }
    return out += ')', true;
}
bool append(std::string& out, const GfVec2f& v) { return append_vector(out, v); }
bool append(std::string& out, const GfVec3f& v) { return append_vector(out, v); }
bool append(std::string& out, const GfVec3d& v) { return append_vector(out, v); }
bool append(std::string& out, const GfVec4f& v) { return append_vector(out, v); }
template <class Quaternion>
bool append_quaternion(std::string& out, const Quaternion& q)
{
    out += '(';
    append_shortest(out, q.GetReal());
    for (std::size_t i = 0; i < 3; ++i) {
        out += ", ";
        append_shortest(out, q.GetImaginary()[i]);
    }
    return out += ')', true;
}
bool append(std::string& out, const GfQuatf& q) { return append_quaternion(out, q); }
bool append(std::string& out, const GfQuatd& q) { return append_quaternion(out, q); }

template <class T>
bool append_if(std::string& out, const VtValue& value, bool& known)
{
    // A scalar, or an array of them in square brackets.
    if (value.IsHolding<T>()) {
        known = append(out, value.UncheckedGet<T>());
        return true;
    }
    if (!value.IsHolding<VtArray<T>>()) return false;
    known     = true;
    bool next = false;
    out += '[';
    for (const T& element : value.UncheckedGet<VtArray<T>>()) {
        if (next) out += ", ";
        next  = true;
        known = append(out, element) && known;
    }
    out += ']';
    return true;
}

/// False for a value that OpenUSD's writer has to print; `out` may hold a part of it then.
bool append(std::string& out, const VtValue& value)
{
    bool known = false;
    // Types in the order in which a robot's layers have them.
    (void)(append_if<float>(out, value, known) || append_if<TfToken>(out, value, known) ||
           append_if<double>(out, value, known) || append_if<GfVec3d>(out, value, known) ||
           append_if<GfQuatd>(out, value, known) || append_if<GfVec3f>(out, value, known) ||
           append_if<GfQuatf>(out, value, known) || append_if<std::string>(out, value, known) ||
           append_if<bool>(out, value, known) || append_if<int>(out, value, known) ||
           append_if<GfVec2f>(out, value, known) || append_if<GfVec4f>(out, value, known));
    return known;
}

/// Whether a key of a dictionary stands without quotes.
bool is_word(const std::string& key)
{
    const auto of_words = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !key.empty() && of_words(key[0]) &&
           std::all_of(key.begin(), key.end(), [&](char c) { return of_words(c) || (c >= '0' && c <= '9'); });
}

/// The type of an entry of a dictionary; null for one that OpenUSD's writer has to print.
const char* type_in_dictionary(const VtValue& value)
{
    if (value.IsHolding<double>()) return "double";
    if (value.IsHolding<VtArray<double>>()) return "double[]";
    if (value.IsHolding<std::string>()) return "string";
    if (value.IsHolding<VtArray<std::string>>()) return "string[]";
    if (value.IsHolding<bool>()) return "bool";
    if (value.IsHolding<int>()) return "int";
    return value.IsHolding<VtDictionary>() ? "dictionary" : nullptr;
}

/// A dictionary in braces, an entry a line, by the bytes of the keys.
bool append(std::string& out, const VtDictionary& dictionary, std::size_t depth)
{
    out += "{\n";
    for (const auto& [key, value] : dictionary) {
        const char* type = type_in_dictionary(value);
        if (type == nullptr || !is_word(key)) return false;
        out.append(4 * (depth + 1), ' ');
        out += type, out += ' ', out += key, out += " = ";
        if (value.IsHolding<VtDictionary>()) {
            if (!append(out, value.UncheckedGet<VtDictionary>(), depth + 1)) return false;
            continue;
        }
        if (!append(out, value)) return false;
        out += '\n';
    }
    out.append(4 * depth, ' ');
    return out += "}\n", true;
}

/// Samples are looked at too, since each may be an edit.
/// Edits of arrays need a newer version of the format, which the head of the file says.
bool edits_array(const VtValue& value)
{
    if (!value.IsHolding<SdfTimeSampleMap>()) return value.IsArrayEditValued();
    const auto& samples = value.UncheckedGet<SdfTimeSampleMap>();
    return std::any_of(samples.begin(), samples.end(), [](const auto& s) { return s.second.IsArrayEditValued(); });
}

bool one_of(const TfToken& field, const TfTokenVector& fields)
{ return std::find(fields.begin(), fields.end(), field) != fields.end(); }

class TextWriter {
  public:
    explicit TextWriter(const SdfLayerRefPtr& layer) : layer_(layer), data_(*LayerStorage::of(*layer)) {}

    /// False where OpenUSD has to write the whole layer.
    bool run()
    {
        const SdfPath root = SdfPath::AbsoluteRootPath();
        // Layers of another storage (crate, plug-ins) or another version have writers of their own.
        if (const auto* usda = dynamic_cast<const SdfUsdaData*>(&data_);
            usda == nullptr || usda->GetLayerVersion() != SdfUsdaData().GetLayerVersion())
            return false;
        // The head of the file is printed by an empty layer with the same metadata.
        const SdfLayerRefPtr head  = scratch();
        SdfAbstractData&     there = storage(head);
        for (const TfToken& field : data_.List(root)) {
            if (field == keys_.PrimOrder || field == keys_.LayerRelocates) return false;
            if (field != kChildren) there.Set(root, field, data_.Get(root, field));
        }
        if (!head->ExportToString(&out)) return false;
        for (const TfToken& name : names(root, kChildren)) {
            if (!prim(root.AppendChild(name), 0)) return false;
            out += '\n';
        }
        return true;
    }

    std::string out;

  private:
    const SdfLayerRefPtr&                                   layer_;
    const SdfAbstractData&                                  data_;
    const SdfFieldKeys_StaticTokenType&                     keys_ = *SdfFieldKeys.Get();
    std::unordered_map<TfToken, bool, TfToken::HashFunctor> known_types_;

    static SdfLayerRefPtr scratch() { return SdfLayer::CreateAnonymous(".usda"); }
    // The scratch layer is ours alone: writing into its storage sends no notices.
    static SdfAbstractData& storage(const SdfLayerRefPtr& layer)
    { return const_cast<SdfAbstractData&>(*LayerStorage::of(*layer)); }

    [[nodiscard]] TfTokenVector names(const SdfPath& path, const TfToken& field) const
    {
        const VtValue list = data_.Get(path, field);
        return list.IsHolding<TfTokenVector>() ? list.UncheckedGet<TfTokenVector>() : TfTokenVector();
    }

    void indent(std::size_t depth) { out.append(4 * depth, ' '); }

    bool prim(const SdfPath& path, std::size_t depth)
    {
        TfTokenVector properties, children;
        if (!head(path, depth, properties, children)) return false;
        indent(depth);
        out += "{\n";
        // Properties are written in the library's order of names, not in that of the layer.
        std::sort(properties.begin(), properties.end(), [](const TfToken& a, const TfToken& b) {
            return TfDictionaryLessThan()(a.GetString(), b.GetString());
        });
        for (const TfToken& name : properties)
            if (!property(path.AppendProperty(name), depth + 1)) return false;
        bool first = properties.empty();
        for (const TfToken& name : children) {
            if (!first) out += '\n';
            first = false;
            if (!prim(path.AppendChild(name), depth + 1)) return false;
        }
        indent(depth);
        out += "}\n";
        return true;
    }

    /// What stands before the braces of a prim.
    bool head(const SdfPath& path, std::size_t depth, TfTokenVector& properties, TfTokenVector& children)
    {
        static const TfTokenVector kLeftToOpenUsd{
            keys_.AssetInfo, keys_.Documentation, keys_.InheritPaths, keys_.Specializes,     keys_.Active,
            keys_.Instanceable, keys_.Hidden, keys_.DisplayName, keys_.VariantSelection};
        static const TfToken kKind("kind");
        const TfTokenVector  fields    = data_.List(path);
        SdfSpecifier         specifier = SdfSpecifierOver;
        TfToken              type;
        bool                 plain = is_plain(path.GetName()), typed = false;
        // Fields are sorted out first: one rare field makes the whole head the library's.
        std::vector<const TfToken*> metadata;
        for (const TfToken& field : fields) {
            if (field == kSpecifier) {
                specifier = data_.GetAs<SdfSpecifier>(path, field);
            } else if (field == kTypeName) {
                type  = data_.GetAs<TfToken>(path, field);
                typed = true;
            } else if (field == kChildren) {
                children = names(path, field);
            } else if (field == SdfChildrenKeys->PropertyChildren) {
                properties = names(path, field);
            } else if (field == kApiSchemas || field == kKind || field == keys_.Payload || field == keys_.References ||
                       field == keys_.CustomData) {
                metadata.push_back(&field);
            } else if (one_of(field, kLeftToOpenUsd)) {
                plain = false;
            } else {
                return false;
            }
        }
        // A type of "any" or none is written in a way of its own.
        if (typed && (type == kAnyType || type.IsEmpty())) plain = false;
        const std::size_t begin = out.size();
        if (plain) {
            indent(depth);
            out += specifier == SdfSpecifierDef ? "def " : specifier == SdfSpecifierClass ? "class " : "over ";
            if (typed) out += type.GetString(), out += ' ';
            out += '"', out += path.GetName(), out += '"';
            // Metadata in alphabetical order, as the library has them.
            std::sort(metadata.begin(), metadata.end(),
                      [](const TfToken* a, const TfToken* b) { return a->GetString() < b->GetString(); });
            if (!metadata.empty()) out += " (\n";
            for (const TfToken* field : metadata) plain = plain && meta(path, *field, depth + 1);
            if (!metadata.empty()) indent(depth), out += ')';
            out += '\n';
        }
        if (!plain) {
            // What was begun is taken back; the library prints the head as a whole.
            out.resize(begin);
            return rare_head(path, fields, depth);
        }
        return true;
    }

    bool meta(const SdfPath& path, const TfToken& field, std::size_t depth)
    {
        indent(depth);
        const VtValue value = data_.Get(path, field);
        if (value.IsHolding<SdfTokenListOp>()) {
            const auto& list = value.UncheckedGet<SdfTokenListOp>();
            if (!only_prepends(list)) return false;
            out += "prepend ", out += field.GetString(), out += " = [";
            bool next = false;
            for (const TfToken& item : list.GetPrependedItems()) {
                if (next) out += ", ";
                next = true;
                if (!append(out, item)) return false;
            }
            out += "]\n";
            return true;
        }
        if (value.IsHolding<SdfPayloadListOp>()) return arc(value.UncheckedGet<SdfPayloadListOp>(), "payload");
        if (value.IsHolding<SdfReferenceListOp>()) return arc(value.UncheckedGet<SdfReferenceListOp>(), "references");
        out += field.GetString(), out += " = ";
        if (value.IsHolding<VtDictionary>()) return append(out, value.UncheckedGet<VtDictionary>(), depth);
        if (!value.IsHolding<TfToken>() || !append(out, value.UncheckedGet<TfToken>())) return false;
        out += '\n';
        return true;
    }

    template <class List>
    static bool only_prepends(const List& list)
    {
        // Lists of other kinds (deleted, appended, explicit) are rare.
        return !list.IsExplicit() && !list.GetPrependedItems().empty() && list.GetAppendedItems().empty() &&
               list.GetDeletedItems().empty() && list.GetAddedItems().empty() && list.GetOrderedItems().empty();
    }

    /// An arc that is alone in its list, to a prim of another layer or to its default prim.
    template <class List>
    bool arc(const List& list, const char* word)
    {
        if (!only_prepends(list) || list.GetPrependedItems().size() != 1) return false;
        const auto&        item  = list.GetPrependedItems().front();
        const std::string& asset = item.GetAssetPath();
        // An '@' in a path needs another quotation.
        if (asset.empty() || !is_plain(asset) || asset.find('@') != std::string::npos ||
            !item.GetLayerOffset().IsIdentity())
            return false;
        if constexpr (requires { item.GetCustomData(); })
            if (!item.GetCustomData().empty()) return false;
        out += "prepend ", out += word, out += " = @", out += asset, out += '@';
        if (!item.GetPrimPath().IsEmpty()) out += '<', out += item.GetPrimPath().GetString(), out += '>';
        out += '\n';
        return true;
    }

    /// OpenUSD's head of a prim that has the same fields and nothing in it.
    bool rare_head(const SdfPath& path, const TfTokenVector& fields, std::size_t depth)
    {
        const SdfLayerRefPtr layer = scratch();
        // The prim's own name and fields, without what lies in it.
        const SdfPath    at    = SdfPath::AbsoluteRootPath().AppendChild(path.GetNameToken());
        SdfAbstractData& there = storage(layer);
        there.CreateSpec(at, SdfSpecTypePrim);
        there.Set(SdfPath::AbsoluteRootPath(), kChildren, VtValue(TfTokenVector{path.GetNameToken()}));
        for (const TfToken& field : fields)
            if (field != kChildren && field != SdfChildrenKeys->PropertyChildren)
                there.Set(at, field, data_.Get(path, field));
        std::ostringstream text;
        if (!layer->GetPrimAtPath(at)->WriteToStream(text, depth)) return false;
        const std::string margin(4 * depth, ' '), body = margin + "{\n" + margin + "}\n";
        const std::string whole = text.str();
        // The library adds empty braces, which are cut off.
        if (!whole.ends_with(body)) return false;
        out.append(whole, 0, whole.size() - body.size());
        return true;
    }

    bool property(const SdfPath& path, std::size_t depth)
    {
        const std::size_t begin = out.size();
        if (data_.GetSpecType(path) == SdfSpecTypeAttribute ? attribute(path, depth) : relationship(path, depth))
            return true;
        out.resize(begin);
        static const TfTokenVector kKnown{keys_.Custom,
                                          kTypeName,
                                          keys_.Variability,
                                          kDefault,
                                          keys_.TimeSamples,
                                          keys_.ConnectionPaths,
                                          keys_.TargetPaths,
                                          SdfChildrenKeys->ConnectionChildren,
                                          SdfChildrenKeys->RelationshipTargetChildren,
                                          keys_.Documentation,
                                          keys_.CustomData,
                                          keys_.DisplayName,
                                          keys_.DisplayGroup,
                                          keys_.ColorSpace,
                                          keys_.Hidden,
                                          TfToken("interpolation"),
                                          TfToken("elementSize")};
        // A field that the library might print by a newer version of the format ends this writer.
        for (const TfToken& field : data_.List(path))
            if (!one_of(field, kKnown) || edits_array(data_.Get(path, field))) return false;
        std::ostringstream text;
        const auto         spec = layer_->GetPropertyAtPath(path);
        if (!spec || !spec->WriteToStream(text, depth)) return false;
        out += text.str();
        return true;
    }

    // Asked once for each name of a type.
    bool is_known(const TfToken& type)
    {
        const auto [known, fresh] = known_types_.try_emplace(type);
        if (fresh) known->second = value_type(type.GetString()).GetAsToken() == type;
        return known->second;
    }

    /// What attributes and relationships have in common.
    struct Traits {
        bool custom = false, uniform = false;
    };
    /// False for a field of another kind.
    bool is_trait(const SdfPath& path, const TfToken& field, Traits& traits) const
    {
        if (field == keys_.Variability)
            traits.uniform = data_.GetAs<SdfVariability>(path, field) == SdfVariabilityUniform;
        else if (field == keys_.Custom)
            traits.custom = data_.GetAs<bool>(path, field);
        else
            return false;
        return true;
    }

    bool attribute(const SdfPath& path, std::size_t depth)
    {
        Traits  traits;
        TfToken type;
        VtValue value;
        for (const TfToken& field : data_.List(path)) {
            if (field == kTypeName)
                type = data_.GetAs<TfToken>(path, field);
            else if (field == kDefault)
                value = data_.Get(path, field);
            else if (!is_trait(path, field, traits))
                return false;
        }
        if (!is_known(type)) return false;
        indent(depth);
        if (traits.custom) out += "custom ";
        if (traits.uniform) out += "uniform ";
        out += type.GetString(), out += ' ', out += path.GetName();
        if (!value.IsEmpty()) {
            out += " = ";
            if (!append(out, value)) return false;
        }
        out += '\n';
        return true;
    }

    bool relationship(const SdfPath& path, std::size_t depth)
    {
        VtValue targets;
        Traits  traits;
        for (const TfToken& field : data_.List(path)) {
            if (field == keys_.TargetPaths)
                targets = data_.Get(path, field);
            else if (!is_trait(path, field, traits))
                return false;
        }
        // A relationship is written in one line only where it is uniform and has one explicit target.
        if (!traits.uniform || !targets.IsHolding<SdfPathListOp>()) return false;
        const auto& list = targets.UncheckedGet<SdfPathListOp>();
        if (!list.IsExplicit() || list.GetExplicitItems().size() != 1) return false;
        indent(depth);
        if (traits.custom) out += "custom ";
        out += "rel ", out += path.GetName(), out += " = <", out += list.GetExplicitItems().front().GetString();
        out += ">\n";
        return true;
    }
};

}  // namespace

std::string text_of(const SdfLayerRefPtr& layer)
{
    TextWriter writer(layer);
    if (writer.run()) return std::move(writer.out);
    // The whole layer by the library.
    std::string text;
    layer->ExportToString(&text);
    return text;
}

}  // namespace mechane::usd
