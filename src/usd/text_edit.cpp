// Writes an edited layer back into its own text: only what changed is replaced, comments and layout of the rest stay.
// The result is parsed again and compared with the layer; if they differ in anything, nothing comes back and the caller
// writes the whole layer.

#include "mechane/usd/text_edit.h"

#include <pxr/sdf/copyUtils.h>
#include <pxr/sdf/layer.h>
#include <pxr/sdf/primSpec.h>
#include <pxr/sdf/schema.h>
#include <pxr/tf/stringUtils.h>

#include <algorithm>
#include <map>
#include <set>

#include "usd/layer_impl.h"
#include "usd/runtime.h"
#include "usd/text_check.h"
#include "usd/text_spans.h"

namespace mechane::usd {
namespace {

using namespace pxr;

/// What the text calls a field.
/// The names of usda's grammar, which differ from Sdf's field names here; a comment is a string without a key.
std::string key_of(const TfToken& field)
{
    if (field == SdfFieldKeys->InheritPaths) return "inherits";
    if (field == SdfFieldKeys->VariantSetNames) return "variantSets";
    if (field == SdfFieldKeys->VariantSelection) return "variants";
    if (field == SdfFieldKeys->Documentation) return "doc";
    if (field == SdfFieldKeys->Comment) return "";
    if (field == SdfFieldKeys->SubLayerOffsets) return "subLayers";
    return field.GetString();
}

/// Fields that a prim's line has, or its children.
/// These are no entries of the metadata block.
bool is_structure(const TfToken& field)
{
    return field == SdfFieldKeys->Specifier || field == SdfFieldKeys->TypeName || field == SdfFieldKeys->PrimOrder ||
           field == SdfFieldKeys->PropertyOrder || SdfSchema::GetInstance().HoldsChildren(field);
}

/// VtValue compares NaN unequal to itself; equal text of equal types counts as equal.
bool same(const VtValue& a, const VtValue& b)
{ return a == b || (a.GetType() == b.GetType() && TfStringify(a) == TfStringify(b)); }  // a NaN is no other NaN

bool same_field(const SdfLayerHandle& a, const SdfLayerHandle& b, const SdfPath& path, const TfToken& field)
{ return same(a->GetField(path, field), b->GetField(path, field)); }

std::set<TfToken> fields_of(const SdfLayerHandle& layer, const SdfPath& path)
{
    const TfTokenVector all = layer->ListFields(path);
    return {all.begin(), all.end()};
}

/// Fields in which a spec differs between two layers.
std::vector<TfToken> changed_fields(const SdfLayerHandle& a, const SdfLayerHandle& b, const SdfPath& path)
{
    std::set<TfToken> all = fields_of(a, path);
    all.merge(fields_of(b, path));
    std::vector<TfToken> changed;
    for (const TfToken& field : all)
        if (!SdfSchema::GetInstance().HoldsChildren(field) && !same_field(a, b, path, field)) changed.push_back(field);
    return changed;
}

std::set<SdfPath> specs_of(const SdfLayerHandle& layer)
{
    std::set<SdfPath> found;
    for_each_spec(layer, SdfPath::AbsoluteRootPath(), [&](const SdfPath& path) { found.insert(path); });
    return found;
}

/// Whether two layers say the same, children in the same order.
bool says_the_same(const SdfLayerHandle& a, const SdfLayerHandle& b)
{
    const std::set<SdfPath> specs = specs_of(a);
    if (specs != specs_of(b)) return false;
    for (const SdfPath& path : specs) {
        if (a->GetSpecType(path) != b->GetSpecType(path) || !changed_fields(a, b, path).empty()) return false;
        for (const TfToken& children : {SdfChildrenKeys->PrimChildren, SdfChildrenKeys->VariantSetChildren})
            if (child_names(a, path, children) != child_names(b, path, children)) return false;
    }
    return true;
}

struct Change {
    TextSpan    span;
    std::string text;
};

std::string with_crlf(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\n') out += '\r';
        out += c;
    }
    return out;
}

std::string without_crlf(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
    return out;
}

class TextEditor {
  public:
    TextEditor(std::string_view text, const SdfLayerRefPtr& before, const SdfLayerRefPtr& after, bool windows = false)
        : text_(text), spans_(text), before_(before), after_(after), windows_(windows)
    {
    }

    // Specs are compared by path. A spec whose parent is new or gone needs no change of its own: it goes with the
    // parent's text.
    std::optional<std::string> run()
    {
        const std::set<SdfPath> old = specs_of(before_), now = specs_of(after_);
        for (const SdfPath& path : old)
            if (now.count(path) == 0 && (path.IsRootPrimPath() || now.count(path.GetParentPath()) != 0)) remove(path);
        for (const SdfPath& path : now) {
            if (failed_) return std::nullopt;
            if (old.count(path) != 0)
                change(path);
            else if (path.IsRootPrimPath() || old.count(path.GetParentPath()) != 0)
                add(path);
        }
        if (failed_) return std::nullopt;
        return applied();
    }

  private:
    std::string_view    text_;
    TextSpans           spans_;
    SdfLayerRefPtr      before_, after_;
    bool                windows_;
    std::vector<Change> changes_;
    bool                failed_ = false;

    /// A property that goes: its first statement, and the change that takes it out.
    struct Freed {
        const TextStatement* said   = nullptr;
        std::size_t          change = 0;
    };
    std::map<std::string, std::vector<Freed>> freed_;  ///< by prim

    /// The text of a layer that holds one spec of the edited one, and where it stands there.
    struct Written {
        std::string text;
        TextSpans   spans;
    };
    // New text is what the layer's own writer makes of a layer with this one spec.
    [[nodiscard]] static Written written(const SdfLayerRefPtr& layer)
    {
        std::string text;
        layer->ExportToString(&text);
        TextSpans spans(text);
        return {std::move(text), std::move(spans)};
    }
    // The text of a spec comes from the library: a layer that holds nothing else is written, and its statement is found
    // by the same reader. So no rule of usda's syntax is written down twice.
    [[nodiscard]] Written written(const SdfPath& path) const
    {
        Layer one;
        if (path.GetParentPath() != SdfPath::AbsoluteRootPath()) one.impl().ensure_prim(path.GetParentPath());
        SdfCopySpec(after_, path, one.impl().layer, path);
        return written(one.impl().layer);
    }

    const TextSpec* spec(const SdfPath& path)
    {
        const TextSpec* found = spans_.find(path.GetString());
        // A spec with a statement that the reader does not understand is not edited: the caller writes the whole layer
        // then.
        if (found == nullptr || found->opaque) failed_ = true;
        return failed_ ? nullptr : found;
    }

    // -- lines

    [[nodiscard]] std::size_t line_begin(std::size_t at) const
    {
        while (at > 0 && text_[at - 1] != '\n') --at;
        return at;
    }
    /// Before the end of a line as the file writes it.
    [[nodiscard]] std::size_t line_end(std::size_t at) const
    {
        const std::size_t end = std::min(text_.find('\n', at), text_.size());
        return windows_ && end > at && text_[end - 1] == '\r' ? end - 1 : end;
    }
    [[nodiscard]] bool is_blank(std::size_t from, std::size_t to) const
    {
        return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(from),
                           text_.begin() + static_cast<std::ptrdiff_t>(to),
                           [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == ';'; });
    }
    [[nodiscard]] std::string indent_of(std::size_t at) const
    {
        const std::size_t from = line_begin(at);
        std::size_t       to   = from;
        while (to < text_.size() && (text_[to] == ' ' || text_[to] == '\t')) ++to;
        return std::string(text_.substr(from, to - from));
    }
    /// From here on: the end of the blanks, at most that of the line.
    [[nodiscard]] std::size_t behind_blanks(std::size_t at) const
    {
        const std::size_t line = line_end(at);
        while (at < line && is_blank(at, at + 1)) ++at;
        return at;
    }
    /// Whether nothing but a comment stands behind this place of the line.
    [[nodiscard]] bool ends_line(std::size_t at) const
    { return behind_blanks(at) == line_end(at) || text_[behind_blanks(at)] == '#'; }
    /// Takes a statement out; its line too where nothing else stands on it. A comment behind it stays, in its place.
    void cut(const TextSpan& span)
    {
        const std::size_t from = line_begin(span.begin), to = line_end(span.end);
        if (is_blank(from, span.begin) && is_blank(span.end, to))
            changes_.push_back({{from, std::min(text_.find('\n', to), text_.size() - 1) + 1}, ""});
        else if (is_blank(from, span.begin) && ends_line(span.end))
            changes_.push_back({{span.begin, behind_blanks(span.end)}, ""});
        else
            changes_.push_back({span, ""});
    }

    /// A stretch of written text with the indentation of another place.
    static std::string indented(const Written& from, const TextSpan& span, const std::string& indent)
    {
        std::string_view whole(from.text);
        std::size_t      line = whole.rfind('\n', span.begin);
        line                  = line == std::string_view::npos ? 0 : line + 1;
        const std::string own(whole.substr(line, span.begin - line));
        std::string       text(whole.substr(span.begin, span.end - span.begin));
        // Strings of several lines must not be indented: their blanks are content.
        if (own.find_first_not_of(" \t") != std::string::npos || own == indent ||
            text.find("\"\"\"") != std::string::npos || text.find("'''") != std::string::npos)
            return text;
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t end = text.find('\n', at);
            end             = end == std::string::npos ? text.size() : end + 1;
            std::string_view row(text.data() + at, end - at);
            if (at > 0) {
                if (row.starts_with(own)) row.remove_prefix(own.size());
                if (row != "\n") out += indent;
            }
            out += row;
            at = end;
        }
        return out;
    }

    // -- properties

    static std::vector<const TextStatement*> statements(const TextSpec& spec, const std::string& key)
    {
        std::vector<const TextStatement*> found;
        for (const TextStatement& one : spec.properties)
            if (one.key == key) found.push_back(&one);
        return found;
    }

    // The habit of the file: what the first property has that begins a line.
    [[nodiscard]] std::string inner_indent(const TextSpec& spec) const
    {
        if (spec.path == "/") return "";
        for (const TextStatement& one : spec.properties)
            if (is_blank(line_begin(one.whole.begin), one.whole.begin)) return indent_of(one.whole.begin);
        return indent_of(spec.whole.begin) + "    ";
    }

    void remove_property(const SdfPath& path)
    {
        const TextSpec* owner = spec(path.GetParentPath());
        if (owner == nullptr) return;
        const auto said = statements(*owner, path.GetName());
        if (said.empty()) failed_ = true;
        for (const TextStatement* one : said) {
            if (one == said.front()) freed_[owner->path].push_back({one, changes_.size()});
            cut(one->whole);
        }
    }

    /// The place of a property that goes, for one of the same namespace that comes instead, as an orientation for a
    /// rotation: what a comment says of the old one mostly holds for the new one.
    std::optional<Freed> place_for(const TextSpec& owner, const std::string& name)
    {
        const std::string space = name.substr(0, name.find(':') + 1);
        auto&             free  = freed_[owner.path];
        const auto        found = std::find_if(free.begin(), free.end(), [&](const Freed& one) {
            return !space.empty() && one.said->key.starts_with(space);
        });
        if (found == free.end()) return std::nullopt;
        const Freed place = *found;
        free.erase(found);
        return place;
    }

    /// Behind the last property that stays, or at the beginning of the body.
    void insert_property(const TextSpec& owner, const std::string& text, const std::string& indent)
    {
        const SdfPath prim(owner.path);
        const auto    last_one =
            std::find_if(owner.properties.rbegin(), owner.properties.rend(), [&](const TextStatement& one) {
                return SdfPath::IsValidNamespacedIdentifier(one.key) &&
                       after_->HasSpec(prim.AppendProperty(TfToken(one.key)));
            });
        if (last_one == owner.properties.rend()) {
            const std::size_t at = owner.body.begin, line = line_end(at);
            // A comment behind the brace stays there.
            if (ends_line(at))
                changes_.push_back({{line, line}, "\n" + indent + text});
            else
                changes_.push_back({{at, at}, "\n" + indent + text + "\n" + indent_of(owner.whole.begin)});
            return;
        }
        const std::size_t end = last_one->whole.end, line = line_end(end);
        // A comment behind the last property belongs to it, so the new line goes behind the comment.
        if (ends_line(end))
            changes_.push_back({{line, line}, "\n" + indent + text});
        else
            changes_.push_back({{end, end}, "\n" + indent + text + "\n" + indent});
    }

    /// A property as the layer would write it, its statements one below the other.
    std::string property_text(const SdfPath& path, const std::string& indent)
    {
        const Written   one = written(path);
        const TextSpec* at  = one.spans.find(path.GetParentPath().GetString());
        std::string     out;
        if (at != nullptr)
            for (const TextStatement* said : statements(*at, path.GetName()))
                out += (out.empty() ? "" : "\n" + indent) + indented(one, said->whole, indent);
        if (out.empty()) failed_ = true;
        return out;
    }

    void add_property(const SdfPath& path)
    {
        const TextSpec* owner = spec(path.GetParentPath());
        if (owner == nullptr) return;
        const std::string indent = inner_indent(*owner), text = property_text(path, indent);
        if (const auto place = place_for(*owner, path.GetName()))
            changes_[place->change] = {place->said->whole, text};
        else
            insert_property(*owner, text, indent);
    }

    /// The text of the value alone, where nothing else of the property changes.
    [[nodiscard]] std::string value_text(const SdfPath& path, const std::string& part) const
    {
        const Written   one = written(path);
        const TextSpec* at  = one.spans.find(path.GetParentPath().GetString());
        if (at == nullptr) return {};
        for (const TextStatement* said : statements(*at, path.GetName()))
            if (said->part == part)
                return indented(one, said->value,
                                indent_of(spans_.find(path.GetParentPath().GetString())->whole.begin) + "    ");
        return {};
    }

    void change_property(const SdfPath& path, const std::vector<TfToken>& fields)
    {
        const TextSpec* owner = spec(path.GetParentPath());
        if (owner == nullptr) return;
        const auto said = statements(*owner, path.GetName());
        if (said.empty()) {
            failed_ = true;
            return;
        }
        // A change of the value alone replaces the value's text, so that blanks, metadata and comments around it stay.
        const bool samples = fields.size() == 1 && fields.front() == SdfFieldKeys->TimeSamples;
        if (samples || (fields.size() == 1 && fields.front() == SdfFieldKeys->Default)) {
            const std::string part = samples ? "timeSamples" : "";
            const auto        at =
                std::find_if(said.begin(), said.end(), [&](const TextStatement* one) { return one->part == part; });
            const bool        had = at != said.end() && (*at)->value.end > (*at)->value.begin;
            const std::string now = value_text(path, part);
            if (had && !now.empty()) return changes_.push_back({(*at)->value, now});
        }
        const std::string indent = inner_indent(*owner);
        // An attribute may have several statements (value, .timeSamples, .connect): all are written where the first
        // stood.
        changes_.push_back({said.front()->whole, property_text(path, indent)});
        for (std::size_t i = 1; i < said.size(); ++i) cut(said[i]->whole);
    }

    // -- prims

    void add_prim(const SdfPath& path)
    {
        const TextSpec* owner = spec(path.GetParentPath());
        if (owner == nullptr) return;
        const Written   one  = written(path);
        const TextSpec* made = one.spans.find(path.GetString());
        if (made == nullptr) {
            failed_ = true;
            return;
        }
        const bool        top   = owner->path == "/";
        const std::string outer = top ? "" : indent_of(owner->whole.begin), indent = top ? "" : outer + "    ";
        const std::string text  = indent + indented(one, made->whole, indent) + "\n";
        const std::size_t close = top ? text_.size() : owner->body.end;
        const std::size_t line  = line_begin(close);
        // The closing brace stands on a line of its own: the prim goes before that line. "{}" on one line is opened.
        const bool alone  = !top && is_blank(line, close) && line >= owner->body.begin;
        const bool broken = top && !text_.empty() && text_.back() != '\n';
        if (top || alone)
            changes_.push_back({{top ? close : line, top ? close : line}, (broken ? "\n\n" : "\n") + text});
        else
            changes_.push_back({{close, close}, "\n" + text + outer});
    }

    /// Entries of metadata as the layer would write them.
    [[nodiscard]] std::vector<std::string> metadata_text(const SdfPath& path, const TfToken& field,
                                                         const std::string& indent) const
    {
        Layer                 one;
        const SdfLayerRefPtr& layer = one.impl().layer;
        const bool            root  = path == SdfPath::AbsoluteRootPath();
        if (!root && !one.impl().ensure_prim(path)) return {};
        // Offsets are part of the subLayers entry in the text, but a field of their own in Sdf.
        for (const TfToken& also : {field, SdfFieldKeys->SubLayerOffsets})
            if ((also == field || field == SdfFieldKeys->SubLayers) && after_->HasField(path, also))
                layer->SetField(path, also, after_->GetField(path, also));
        const Written            text = written(layer);
        const TextSpec*          at   = text.spans.find(path.GetString());
        std::vector<std::string> found;
        if (at == nullptr) return found;
        for (const TextStatement& entry : at->metadata)
            if (entry.key == key_of(field)) found.push_back(indented(text, entry.whole, indent));
        return found;
    }

    // `head` reaches from the specifier to the name, so that both specifier and type are replaced.
    void change_head(const TextSpec& at, const SdfPath& path)
    {
        const SdfPrimSpecHandle prim = after_->GetPrimAtPath(path);
        if (!prim || !path.IsPrimPath()) {
            failed_ = true;
            return;
        }
        const char*       specifier = prim->GetSpecifier() == SdfSpecifierDef    ? "def "
                                      : prim->GetSpecifier() == SdfSpecifierOver ? "over "
                                                                                 : "class ";
        const std::string type      = prim->GetTypeName().GetString();
        changes_.push_back({at.head, specifier + (type.empty() ? "" : type + " ")});
    }

    // Fields that share a key are one entry (subLayers and their offsets); an entry is replaced where it stands, and
    // new ones go before the closing parenthesis.
    void change_metadata(const TextSpec& at, const SdfPath& path, const std::vector<TfToken>& fields)
    {
        const bool  root   = path == SdfPath::AbsoluteRootPath();
        std::string indent = (root ? "" : indent_of(at.whole.begin)) + "    ";
        if (at.block && !at.metadata.empty() &&
            is_blank(line_begin(at.metadata.front().whole.begin), at.metadata.front().whole.begin))
            indent = indent_of(at.metadata.front().whole.begin);
        std::set<std::string> done;
        std::string           added;
        std::size_t           removed = 0;
        for (const TfToken& field : fields) {
            const std::string key = key_of(field);
            if (!done.insert(key).second) continue;
            const std::vector<std::string> now =
                metadata_text(path, field == SdfFieldKeys->SubLayerOffsets ? SdfFieldKeys->SubLayers : field, indent);
            if (now.empty() && after_->HasField(path, field)) failed_ = true;
            std::string text;
            for (const std::string& entry : now) text += (text.empty() ? "" : "\n" + indent) + entry;
            bool placed = false;
            for (const TextStatement& entry : at.metadata) {
                if (entry.key != key) continue;
                if (!placed && !text.empty())
                    changes_.push_back({entry.whole, text});
                else
                    cut(entry.whole), ++removed;
                placed = true;
            }
            if (!placed && !text.empty()) added += indent + text + "\n";
            if (!placed && text.empty()) failed_ = true;  // it was said in a way that is not understood
        }
        if (added.empty()) return;
        const std::string outer = root ? "" : indent_of(at.whole.begin);
        if (!at.block)
            return changes_.push_back({{at.name_end, at.name_end}, (root ? "\n(\n" : " (\n") + added + outer + ")"});
        const std::size_t close = at.block->end - 1, line = line_begin(close);
        if (is_blank(line, close) && line > at.block->begin)
            changes_.push_back({{line, line}, added});
        else
            changes_.push_back({{close, close}, "\n" + added + outer});
    }

    // -- differences

    void remove(const SdfPath& path)
    {
        if (path.IsPropertyPath()) return remove_property(path);
        if (const TextSpec* at = path.IsPrimPath() ? spec(path) : nullptr)
            cut(at->whole);
        else
            failed_ = true;
    }

    void add(const SdfPath& path)
    {
        if (path.IsPropertyPath())
            add_property(path);
        else if (path.IsPrimPath())
            add_prim(path);
        else
            failed_ = true;
    }

    void change(const SdfPath& path)
    {
        if (before_->GetSpecType(path) != after_->GetSpecType(path)) {
            failed_ = true;
            return;
        }
        const std::vector<TfToken> fields = changed_fields(before_, after_, path);
        if (fields.empty()) return;
        if (path.IsPropertyPath()) return change_property(path, fields);
        const TextSpec* at = spec(path);
        if (at == nullptr) return;
        std::vector<TfToken> metadata;
        bool                 head = false;
        for (const TfToken& field : fields) {
            head |= field == SdfFieldKeys->Specifier || field == SdfFieldKeys->TypeName;
            // Statements of order stand among the children; they are not edited here.
            if (field == SdfFieldKeys->PrimOrder || field == SdfFieldKeys->PropertyOrder) failed_ = true;
            if (!is_structure(field)) metadata.push_back(field);
        }
        if (head) change_head(*at, path);
        if (!metadata.empty()) change_metadata(*at, path, metadata);
    }

    std::optional<std::string> applied()
    {
        // Changes of one place keep the order in which they were found. Overlapping ones would need to know of one
        // another: none is applied.
        std::stable_sort(changes_.begin(), changes_.end(),
                         [](const Change& a, const Change& b) { return a.span.begin < b.span.begin; });
        std::string out;
        std::size_t at = 0;
        for (const Change& change : changes_) {
            if (change.span.begin < at) return std::nullopt;  // they overlap
            out += text_.substr(at, change.span.begin - at);
            out += windows_ ? with_crlf(without_crlf(change.text)) : change.text;
            at = change.span.end;
        }
        out += text_.substr(at);
        return out;
    }
};

}  // namespace

namespace {

/// Whether each line ends as on Windows.
bool has_crlf(std::string_view text)
{
    bool any = false;
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
        if (at == 0 || text[at - 1] != '\r') return false;
        any = true;
    }
    return any;
}

/// The text after the edits, if the editor finds its way in it.
/// @param windows  lines of new text end as on Windows
std::optional<std::string> edited(std::string_view original, const SdfLayerRefPtr& wanted, bool windows = false)
{
    const auto before = Layer::from_text(original);
    if (!before) return std::nullopt;
    if (says_the_same(before->impl().layer, wanted)) return std::string(original);
    return TextEditor(original, before->impl().layer, wanted, windows).run();
}

}  // namespace

std::optional<std::string> edited_text(std::string_view original, const Layer& layer)
{
    if (!original.starts_with("#usda")) return std::nullopt;
    const SdfLayerRefPtr& wanted = layer.impl().layer;
    // The proof: the new text must say exactly what the layer says, else it is thrown away. An error of this editor
    // costs the layout and never the content.
    const auto proven = [&](const std::string& text) {
        const auto again = Layer::from_text(text);
        return again && says_the_same(again->impl().layer, wanted);
    };
    // The editor knows one end of lines. Where a text value has lines of its own, what comes of this may be no proof.
    if (has_crlf(original)) {
        if (const auto lines = edited(without_crlf(original), wanted))
            if (std::string all = with_crlf(*lines); proven(all)) return all;
        // Values of several lines hold the ends of lines that the file has: they stay, and only new text is changed.
        if (const auto lines = edited(original, wanted, true); lines && proven(*lines)) return lines;
    }
    auto now = edited(original, wanted);
    if (!now || !proven(*now)) return std::nullopt;
    return now;
}

std::size_t count_comments(std::string_view text)
{
    std::size_t count = 0;
    for (std::size_t at = text.starts_with('#') ? std::min(text.find('\n'), text.size()) : 0; at < text.size();) {
        at = next_special(text, at);
        if (at == text.size()) break;
        const char c = text[at];
        if (c == '#') {
            ++count;
            at = std::min(text.find('\n', at), text.size());
        } else if (c == '"' || c == '\'' || c == '@') {
            at = skip_quoted(text, at);
        } else {
            ++at;
        }
    }
    return count;
}

}  // namespace mechane::usd
