// Expands xacro, the macro language of ROS for XML (wiki.ros.org/xacro), with its own expressions instead of Python.
// Order matters: a property or macro counts from where it stands. Every element that is made keeps the place of the one
// it was made of, so that messages point into the source.
//
// Covered: property (lazy, default, scope, remove, blocks), macro with parameters, blocks and inherited values, arg,
// include with namespaces, if, unless, insert_block, element, attribute, call; $(arg), $(find), $(env), $(optenv),
// $(dirname), $(eval), ${...} and xacro.load_yaml. Left out: expressions that need Python itself
// (expression.h says what is known).
//
// A file cannot make this run for ever: macros and files nest 200 deep at most, and elements are counted.
#include "sourceformats/xacro.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "mechane/core/nearest.h"
#include "mechane/files/read.h"
#include "mechane/sourceformats/codes.h"
#include "sourceformats/expression.h"
#include "sourceformats/yaml.h"

namespace mechane::sourceformats {
namespace {

constexpr std::string_view kPrefix = "xacro:";
// Both bounds are far above what robots need; a macro that calls itself, or itself twice, ends at them.
constexpr int         kMostDepth    = 200;  ///< of macros in macros and files in files
constexpr std::size_t kMostElements = 1'000'000;

// `raw` is the text as written, `value` what it means once it was asked for, `busy` while that is computed: a
// property that asks for itself is found by it.
struct Property {
    std::string             raw;
    Value                   value;
    std::vector<XmlElement> block;
    bool                    is_block = false, known = false, busy = false;
};

struct Parameter {
    std::string                name;
    std::optional<std::string> otherwise;
    bool                       inherits = false;  ///< ":=^": the caller's property of that name comes first
    int                        stars    = 0;      ///< 1: a block, 2: what is in a block
};

struct Scope;
struct Macro {
    std::vector<Parameter> parameters;
    const XmlElement*      body = nullptr;
    Scope*                 home = nullptr;  ///< of a macro in a namespace
};

/// Names are looked up from the inside out; a macro sees what its caller sees.
struct Scope {
    Scope*                                    parent = nullptr;
    std::unordered_map<std::string, Property> properties;
    std::unordered_map<std::string, Macro>    macros;
    std::unordered_map<std::string, Scope*>   spaces;
};

class Expander {
  public:
    Expander(const std::map<std::string, std::string>& arguments, const FileFinder& finder, Diagnostics& found)
        : arguments_(arguments), finder_(finder), found_(found)
    {
    }

    XmlElement run(const XmlElement& root, const std::string& file)
    {
        files_.push_back(file);
        Scope& global = make(nullptr);
        global_       = &global;
        std::vector<XmlElement> out;
        expand(root, global, out);
        // A document that is all directives leaves an empty root of the same name.
        return out.empty() ? XmlElement{root.name, root.place, {}, {}, {}} : std::move(out.front());
    }

  private:
    std::map<std::string, std::string> arguments_;
    const FileFinder&                  finder_;
    Diagnostics&                       found_;
    // Deques, since scopes and documents are pointed to while more are made.
    std::deque<Scope>            scopes_;
    std::deque<XmlElement>       documents_;  ///< included files, kept for the macros that they define
    std::map<std::string, Value> yaml_;       ///< files that were loaded
    std::vector<std::string>     files_;      ///< that are open, outermost first
    Scope*                       global_ = nullptr;
    int                          depth_  = 0;
    std::size_t                  made_   = 0;
    bool                         full_   = false;

    Scope& make(Scope* parent)
    {
        Scope& scope = scopes_.emplace_back();
        scope.parent = parent;
        return scope;
    }

    void fault(const XmlElement& at, std::string message, std::string hint = {})
    { found_.add(kXacro, site_of(at.place), std::move(message), std::move(hint)); }

    // -- names and texts

    Property* property(Scope* scope, const std::string& name)
    {
        for (; scope != nullptr; scope = scope->parent)
            if (const auto at = scope->properties.find(name); at != scope->properties.end()) return &at->second;
        return nullptr;
    }

    const Macro* macro(Scope* scope, const std::string& name)
    {
        for (; scope != nullptr; scope = scope->parent)
            if (const auto at = scope->macros.find(name); at != scope->macros.end()) return &at->second;
        return nullptr;
    }

    Scope* space(Scope* scope, const std::string& name)
    {
        for (; scope != nullptr; scope = scope->parent)
            if (const auto at = scope->spaces.find(name); at != scope->spaces.end()) return at->second;
        return nullptr;
    }

    /// The value of a property, computed when it is first asked for.
    const Value* value_of(Property& p, const std::string& name, Scope& scope, std::string& why)
    {
        if (p.is_block) return why = fmt::format("'{}' is a block, not a value", name), nullptr;
        if (p.known) return &p.value;
        if (p.busy) return why = fmt::format("'{}' is defined by itself", name), nullptr;
        if (depth_ > kMostDepth) return why = "properties refer to each other too deep", nullptr;
        p.busy = true;
        // Properties that name properties recurse here: they count as depth too.
        ++depth_;
        Evaluated e = text(p.raw, scope);
        --depth_;
        p.busy = false;
        if (!e.why.empty()) return why = e.why, nullptr;
        // A text becomes the number that it looks like, unless an expression has computed a value of another kind.
        p.value = e.value.text() != nullptr ? literal(*e.value.text()) : std::move(e.value);
        p.known = true;
        return &p.value;
    }

    Value dictionary(Scope& of)
    {
        auto dict = std::make_shared<ValueDict>();
        for (auto& [name, p] : of.properties) {
            std::string why;
            if (const Value* v = p.is_block ? nullptr : value_of(p, name, of, why)) dict->emplace_back(name, *v);
        }
        // Hash order must not be seen: dictionaries are sorted by name.
        std::sort(dict->begin(), dict->end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        return {std::move(dict)};
    }

    Evaluated expression(std::string_view what, Scope& scope)
    {
        // Values that are made for a namespace live until the expression is computed.
        std::deque<Value> made;
        return evaluate(
            what,
            [&](const std::string& name, std::string& why) -> const Value* {
                if (Property* p = property(&scope, name)) return value_of(*p, name, scope, why);
                if (Scope* s = space(&scope, name)) return &made.emplace_back(dictionary(*s));
                return nullptr;
            },
            [&](const std::string& name, const ValueList& a, std::string& why) { return call(name, a, why); });
    }

    /// A function of xacro's own module.
    Value call(const std::string& name, const ValueList& a, std::string& why)
    {
        const std::string first = a.empty() ? std::string() : a[0].str();
        if (name == "arg" && a.size() == 1) {
            if (const auto known = arguments_.find(first); known != arguments_.end()) return literal(known->second);
            why = fmt::format("the argument '{}' is not given and has no default", first);
        } else if (name == "load_yaml" && a.size() == 1) {
            // Relative to the file that is open, which may be an included one.
            const std::string path = finder_.find(first, folder_of(files_.back()));
            if (path.empty()) return why = finder_.why_not(first, folder_of(files_.back())), Value{};
            if (const auto known = yaml_.find(path); known != yaml_.end()) return known->second;
            const auto text = files::read_given(path);
            if (!text) return why = text.error().message, Value{};
            Evaluated e = parse_yaml(*text);
            if (!e.why.empty()) return why = fmt::format("{}: {}", first, e.why), Value{};
            return yaml_[path] = std::move(e.value);
        } else if (name == "abs_filename" && a.size() == 1) {
            return {std::filesystem::path(first).is_absolute()
                        ? first
                        : (std::filesystem::path(folder_of(files_.back())) / first).string()};
        } else if (name == "dict" || name == "list") {
            return a.empty()
                       ? (name == "dict" ? Value{std::make_shared<ValueDict>()} : Value{std::make_shared<ValueList>()})
                       : a[0];
        } else {
            why = fmt::format("xacro.{}() is not known here", name);
        }
        return {};
    }

    /// What stands between "$(" and ")".
    Evaluated substitution(std::string_view command, Scope& scope)
    {
        command                    = trimmed(command);
        const std::size_t      end = std::min(command.find_first_of(" \t\n"), command.size());
        const std::string      verb(command.substr(0, end));
        const std::string_view rest = trimmed(command.substr(end));
        if (verb == "arg") {
            const auto at = arguments_.find(std::string(rest));
            if (at != arguments_.end()) return {{at->second}, {}};
            return {{}, fmt::format("the argument '{}' is not given and has no default", rest)};
        }
        if (verb == "find") {
            const std::string folder = finder_.package(std::string(rest));
            if (!folder.empty()) return {{folder}, {}};
            return {{}, fmt::format("the package '{}' is not known", rest)};
        }
        if (verb == "env" || verb == "optenv") {
            const std::size_t name_end = std::min(rest.find_first_of(" \t"), rest.size());
            const std::string name(rest.substr(0, name_end));
            if (const char* set = std::getenv(name.c_str()))
                return {{std::string(set)}, {}};  // NOLINT(concurrency-mt-unsafe)
            if (verb == "optenv") return {{std::string(trimmed(rest.substr(name_end)))}, {}};
            return {{}, fmt::format("the environment has no '{}'", name)};
        }
        if (verb == "dirname") {
            // The file's folder as an absolute path.
            std::error_code failed;
            return {{std::filesystem::absolute(folder_of(files_.back()), failed).lexically_normal().string()}, {}};
        }
        if (verb == "eval") return expression(rest, scope);
        return {{}, fmt::format("$({} ...) is not known here", verb)};
    }

    /// The end of what opens at `from`, brackets and quoted texts within it counted.
    static std::size_t closing(std::string_view in, std::size_t from, char open, char close)
    {
        int  nested = 1;
        char quote  = 0;
        for (std::size_t i = from; i < in.size(); ++i) {
            if (quote != 0) {
                if (in[i] == quote) quote = 0;
            } else if (in[i] == '\'' || in[i] == '"') {
                // An apostrophe in a plain text opens nothing; only a pair quotes.
                if (in.find(in[i], i + 1) != std::string_view::npos) quote = in[i];
            } else if (in[i] == open) {
                ++nested;
            } else if (in[i] == close && --nested == 0) {
                return i;
            }
        }
        return std::string_view::npos;
    }

    /// A text with its expressions computed. A text that is one expression gives its value, any other a text.
    Evaluated text(std::string_view raw, Scope& scope)
    {
        // The common case, without a copy of the expression's machinery.
        if (raw.find('$') == std::string_view::npos) return {{std::string(raw)}, {}};
        std::string out;
        Value       only;
        int         parts = 0;
        for (std::size_t i = 0; i < raw.size();) {
            const std::string_view left = raw.substr(i);
            // A doubled dollar stands for one that is not computed.
            if (left.starts_with("$${") || left.starts_with("$$(")) {
                out += left.substr(1, 2);
                i += 3;
                ++parts;
                continue;
            }
            const bool braces = left.starts_with("${"), brackets = left.starts_with("$(");
            if (!braces && !brackets) {
                out += raw[i++];
                only = {};
                // Any plain character makes the whole a text, even if only one expression stands beside it.
                parts += parts == 0 ? 2 : 1;
                continue;
            }
            const std::size_t end = closing(raw, i + 2, braces ? '{' : '(', braces ? '}' : ')');
            if (end == std::string_view::npos) return {{}, fmt::format("'{}' has no end", left.substr(0, 40))};
            std::string inside(raw.substr(i + 2, end - i - 2));
            if (inside.find("$(") !=
                std::string::npos) {  // $(arg of another), and ${load_yaml('$(find package)/file')}
                Evaluated e = text(inside, scope);
                if (!e.why.empty()) return e;
                inside = e.value.str();
            }
            Evaluated e = braces ? expression(inside, scope) : substitution(inside, scope);
            if (!e.why.empty()) return {{}, fmt::format("{} in '{}'", e.why, raw)};
            out += e.value.str();
            only = std::move(e.value);
            ++parts;
            i = end + 1;
        }
        // One expression alone keeps its kind: "${x}" may be a list. Anything beside it makes a text.
        return parts == 1 && only.is.index() != 0 ? Evaluated{std::move(only), {}} : Evaluated{{std::move(out)}, {}};
    }

    /// The text of an attribute; what cannot be computed is reported and stays as it is written.
    std::string string(const XmlElement& at, const std::string& raw, Scope& scope)
    {
        Evaluated e = text(raw, scope);
        if (e.why.empty()) return e.value.str();
        fault(at, e.why);
        return raw;
    }

    std::optional<bool> condition(const XmlElement& at, Scope& scope)
    {
        const std::string* raw = at.find("value");
        if (raw == nullptr) return fault(at, fmt::format("<{}> has no value", at.name)), std::nullopt;
        Evaluated e = text(*raw, scope);
        if (!e.why.empty()) return fault(at, e.why), std::nullopt;
        if (e.value.text() != nullptr) {
            const Value v = literal(*e.value.text());
            // xacro accepts numbers, true and false here, and no other texts.
            if (v.is_number()) return v.truth();
            fault(at, fmt::format("'{}' is neither true nor false", e.value.str()));
            return std::nullopt;
        }
        return e.value.truth();
    }

    // -- elements

    void expand_children(const XmlElement& of, Scope& scope, std::vector<XmlElement>& out)
    {
        for (const XmlElement& child : of.children) expand(child, scope, out);
    }

    void expand(const XmlElement& element, Scope& scope, std::vector<XmlElement>& out)
    {
        if (full_) return;
        // Blocks that are inserted count as well (below), since they cost as much memory.
        if (++made_ > kMostElements) {
            full_ = true;
            found_.add(kLimit, site_of(element.place),
                       fmt::format("xacro makes more than {} elements; the rest is left out", kMostElements));
            return;
        }
        if (element.name.starts_with(kPrefix))
            return directive(element, element.name.substr(kPrefix.size()), scope, out);
        XmlElement made{element.name, element.place, {}, {}, {}};
        for (const XmlAttribute& a : element.attributes) {
            if (a.name == "xmlns:xacro" || a.name.starts_with(kPrefix)) continue;
            made.attributes.push_back({a.name, string(element, a.value, scope)});
        }
        if (!trimmed(element.text).empty()) made.text = string(element, element.text, scope);
        // Children first: <xacro:attribute> is known only after expansion, it may stand in a macro or a condition.
        std::vector<XmlElement> inner;
        expand_children(element, scope, inner);
        for (XmlElement& child : inner) {
            // <xacro:attribute> below an element sets an attribute of it.
            if (child.name != "xacro:attribute")
                made.children.push_back(std::move(child));
            else if (const std::string* name = child.find("name"))
                made.set(*name, child.get("value"));
        }
        out.push_back(std::move(made));
    }

    void directive(const XmlElement& e, const std::string& name, Scope& scope, std::vector<XmlElement>& out)
    {
        if (name == "property") return define_property(e, scope);
        if (name == "macro") return define_macro(e, scope);
        if (name == "arg") {
            const std::string* arg = e.find("name");
            if (arg == nullptr) return fault(e, "<xacro:arg> has no name");
            // The command line comes before the file: a default counts only for what was not given.
            if (const std::string* otherwise = e.find("default"); otherwise != nullptr && !arguments_.contains(*arg))
                arguments_[*arg] = string(e, *otherwise, scope);
            return;
        }
        if (name == "include") return include(e, scope, out);
        if (name == "if" || name == "unless") {
            if (const auto holds = condition(e, scope); holds && *holds == (name == "if"))
                expand_children(e, scope, out);
            return;
        }
        if (name == "insert_block") {
            const std::string wanted = string(e, e.get("name"), scope);
            const Property*   block  = property(&scope, wanted);
            if (block == nullptr || !block->is_block) return fault(e, fmt::format("there is no block '{}'", wanted));
            // A block was expanded where it was given; here it is copied.
            made_ += block->block.size();
            out.insert(out.end(), block->block.begin(), block->block.end());
            return;
        }
        if (name == "element") {
            const std::string* as = e.find("xacro:name");
            if (as == nullptr) return fault(e, "<xacro:element> has no xacro:name");
            XmlElement& plain = documents_.emplace_back(e);  // macros in it outlive this call
            plain.name        = string(e, *as, scope);
            std::erase_if(plain.attributes, [](const XmlAttribute& a) { return a.name == "xacro:name"; });
            if (plain.name.starts_with(kPrefix))
                return fault(e, fmt::format("'{}' cannot be the name of an element", plain.name));
            return expand(plain, scope, out);
        }
        if (name == "attribute") {
            XmlElement made{e.name, e.place, {}, {}, {}};
            made.set("name", string(e, e.get("name"), scope));
            made.set("value", string(e, e.get("value"), scope));
            out.push_back(std::move(made));
            return;
        }
        // <xacro:call macro="${name}"> computes the name of a macro.
        if (name == "call") return call(e, string(e, e.get("macro"), scope), scope, out);
        call(e, name, scope, out);
    }

    void define_property(const XmlElement& e, Scope& scope)
    {
        const std::string* written = e.find("name");
        if (written == nullptr) return fault(e, "<xacro:property> has no name");
        const std::string  name      = string(e, *written, scope);
        const std::string* value     = e.find("value");
        const std::string* otherwise = e.find("default");
        Scope*             target    = &scope;
        const std::string  where     = e.get("scope");
        // Values for other scopes are computed here, where the names in them are known.
        if (where == "global") target = global_;
        if (where == "parent" && scope.parent != nullptr) target = scope.parent;
        if (!where.empty() && where != "global" && where != "parent")
            fault(e, fmt::format("the scope '{}' is neither global nor parent", where));
        // `remove` takes away the property of that scope; one of an outer scope is seen again.
        if (const std::string* gone = e.find("remove"); gone != nullptr && literal(*gone).truth()) {
            target->properties.erase(name);
            return;
        }
        // `default` sets what nobody has set, in any scope that can be seen from there.
        if (value == nullptr && otherwise != nullptr) {
            if (property(target, name) != nullptr) return;
            value = otherwise;
        }
        Property made;
        if (value == nullptr) {
            made.is_block = true;
            expand_children(e, scope, made.block);
            // Others are computed when they are first asked for: they may name what is defined further down.
        } else if (target != &scope || e.get("lazy_eval", "true") == "false") {
            Evaluated now = text(*value, scope);
            if (!now.why.empty()) return fault(e, now.why);
            made.value = now.value.text() != nullptr ? literal(*now.value.text()) : std::move(now.value);
            made.known = true;
        } else {
            made.raw = *value;
            // It is computed at once, or it would be defined by itself.
            // "x = ${x + 1}" means the old x.
            std::string why;
            if (Property* old = property(&scope, name);
                old != nullptr && !old->is_block && made.raw.find(name) != std::string::npos) {
                Evaluated now = text(made.raw, scope);
                if (now.why.empty()) {
                    made.value = now.value.text() != nullptr ? literal(*now.value.text()) : std::move(now.value);
                    made.known = true;
                }
            }
        }
        target->properties[name] = std::move(made);
    }

    void define_macro(const XmlElement& e, Scope& scope)
    {
        const std::string* name = e.find("name");
        if (name == nullptr) return fault(e, "<xacro:macro> has no name");
        Macro       made;
        std::string bare = *name;
        if (bare.starts_with(kPrefix)) bare.erase(0, kPrefix.size());
        static constexpr std::string_view kOwn[] = {"property", "macro",        "arg",     "include",   "if",
                                                    "unless",   "insert_block", "element", "attribute", "call"};
        if (std::find(std::begin(kOwn), std::end(kOwn), bare) != std::end(kOwn))
            return fault(e, fmt::format("a macro cannot be called '{}'", bare));
        if (!parameters(e, e.get("params"), made.parameters)) return;
        made.body = &e;
        // A macro of a namespace sees the names of the file it stands in.
        made.home          = &scope;
        scope.macros[bare] = std::move(made);
    }

    /// "a b:=1 c:='two words' *block **content d:=^ e:=^|3"
    bool parameters(const XmlElement& e, std::string_view left, std::vector<Parameter>& out)
    {
        // Parameters are separated by blanks, except within quotes and brackets.
        for (left = trimmed(left); !left.empty(); left = trimmed(left)) {
            Parameter p;
            while (left.starts_with('*')) ++p.stars, left.remove_prefix(1);
            std::size_t end  = std::min(left.find_first_of(" \t\r\n"), left.size());
            std::size_t mark = left.substr(0, end).find(":=");
            std::size_t size = 2;
            if (mark == std::string_view::npos) mark = left.substr(0, end).find('='), size = 1;
            if (mark != std::string_view::npos) {
                // ":=" and "=" are both in use.
                p.name                 = left.substr(0, mark);
                std::string_view value = left.substr(mark + size);
                // ":=^" inherits; ":=^|x" inherits and otherwise takes x.
                if (value.starts_with('^')) {
                    p.inherits = true;
                    value.remove_prefix(1);
                    if (value.starts_with('|')) value.remove_prefix(1), p.otherwise = "";
                }
                std::size_t length = 0;
                char        quote  = 0;
                int         nested = 0;
                for (; length < value.size(); ++length) {
                    const char c = value[length];
                    if (quote != 0) {
                        if (c == quote) quote = 0;
                    } else if (c == '\'' || c == '"') {
                        quote = c;
                    } else if (c == '{' || c == '(') {
                        ++nested;
                    } else if (c == '}' || c == ')') {
                        --nested;
                    } else if (nested <= 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
                        break;
                    }
                }
                std::string word(value.substr(0, length));
                if (word.size() >= 2 && (word.front() == '\'' || word.front() == '"') && word.back() == word.front())
                    word = word.substr(1, word.size() - 2);
                if (!p.inherits || p.otherwise) p.otherwise = word;
                left = value.substr(length);
            } else {
                p.name = left.substr(0, end);
                left   = left.substr(end);
            }
            if (p.name.empty() || p.stars > 2) return fault(e, "the parameters of a macro are not understood"), false;
            out.push_back(std::move(p));
        }
        return true;
    }

    void call(const XmlElement& e, const std::string& name, Scope& scope, std::vector<XmlElement>& out)
    {
        const Macro* m     = macro(&scope, name);
        Scope*       outer = &scope;
        // "space.macro": the namespaces are followed from left to right.
        if (const std::size_t dot = name.rfind('.'); m == nullptr && dot != std::string::npos) {
            std::string_view left = name;
            Scope*           at   = &scope;
            while (at != nullptr && left.find('.') != std::string_view::npos) {
                at = space(at, std::string(left.substr(0, left.find('.'))));
                left.remove_prefix(left.find('.') + 1);
            }
            if (at != nullptr) m = macro(at, std::string(left)), outer = at;
        }
        if (m == nullptr) {
            std::vector<std::string> known;
            for (const Scope* s = &scope; s != nullptr; s = s->parent)
                for (const auto& [other, macro] : s->macros) known.push_back(other);
            std::sort(known.begin(), known.end());
            return fault(e, fmt::format("<xacro:{}> is neither a macro nor an element that is known here", name),
                         did_you_mean(name, known));
        }
        if (++depth_ > kMostDepth) {
            --depth_;
            found_.add(kLimit, site_of(e.place), fmt::format("macros call each other more than {} deep", kMostDepth));
            full_ = true;
            return;
        }
        const Macro used = *m;  // the body may define the macro anew
        // Blocks are expanded by the caller's names, and the body by those of the macro.
        Scope&                  own  = make(outer);
        bool                    good = true;
        std::vector<XmlElement> blocks;
        // Blocks belong to parameters in the order in which both stand.
        expand_children(e, scope, blocks);
        std::size_t next_block = 0;
        for (const XmlAttribute& a : e.attributes) {
            if (e.name == "xacro:call" && a.name == "macro") continue;
            const bool known = std::any_of(used.parameters.begin(), used.parameters.end(),
                                           [&](const Parameter& p) { return p.stars == 0 && p.name == a.name; });
            if (!known) {
                good = false;
                fault(e, fmt::format("the macro '{}' has no parameter '{}'", name, a.name));
            }
        }
        for (const Parameter& p : used.parameters) {
            Property made;
            if (p.stars > 0) {
                if (next_block >= blocks.size()) {
                    good = false;
                    fault(e, fmt::format("the macro '{}' gets no block for '{}'", name, p.name));
                    continue;
                }
                made.is_block = true;
                if (p.stars == 1)
                    made.block.push_back(blocks[next_block]);
                else
                    made.block = blocks[next_block].children;
                ++next_block;
                own.properties[p.name] = std::move(made);
                continue;
            }
            Evaluated value;
            if (const std::string* given = e.find(p.name)) {
                value = text(*given, scope);
            } else if (Property* inherited = p.inherits ? property(&scope, p.name) : nullptr) {
                std::string  why;
                const Value* v = value_of(*inherited, p.name, scope, why);
                value          = v != nullptr ? Evaluated{*v, {}} : Evaluated{{}, why};
            } else if (p.otherwise) {
                value = text(*p.otherwise, scope);
            } else {
                value.why = fmt::format("the macro '{}' gets no '{}'", name, p.name);
            }
            if (!value.why.empty()) {
                good = false;
                fault(e, value.why);
                continue;
            }
            made.value = value.value.text() != nullptr ? literal(*value.value.text()) : std::move(value.value);
            made.known = true;
            own.properties[p.name] = std::move(made);
        }
        if (next_block < blocks.size())
            fault(e, fmt::format("the macro '{}' has no place for <{}>", name, blocks[next_block].name));
        // A call with a fault expands to nothing: half a macro would make more findings than the cause.
        if (good) expand_children(*used.body, own, out);
        --depth_;
    }

    void include(const XmlElement& e, Scope& scope, std::vector<XmlElement>& out)
    {
        const std::string* raw = e.find("filename");
        if (raw == nullptr) return fault(e, "<xacro:include> has no filename");
        const std::string address = string(e, *raw, scope);
        const std::string file    = finder_.find(address, folder_of(files_.back()));
        const bool        optional =
            literal(e.get("optional")).truth() && e.peek("optional") != nullptr && *e.peek("optional") != "false";
        if (file.empty()) {
            if (!optional) found_.add(kInclude, site_of(e.place), finder_.why_not(address, folder_of(files_.back())));
            return;
        }
        std::error_code failed;
        // By identity of the files, not by name, so that links do not hide a circle.
        const auto same = [&](const std::string& open) { return std::filesystem::equivalent(open, file, failed); };
        if (std::any_of(files_.begin(), files_.end(), same) || files_.size() > 64)
            return found_.add(kInclude, site_of(e.place), fmt::format("{} includes itself", address));
        const auto content = files::read(file, XmlLimits{}.bytes);
        if (!content)
            return found_.add(kInclude, site_of(e.place), fmt::format("{}: {}", address, content.error().message));
        auto parsed = parse_xml(*content, file, found_);
        if (!parsed) return found_.add(parsed.error());
        Scope* target = &scope;
        if (const std::string* ns = e.find("ns")) {
            // With ns="x" the names of the file are reached as x.name only.
            Scope& own                          = make(&scope);
            scope.spaces[string(e, *ns, scope)] = &own;
            target                              = &own;
        }
        files_.push_back(file);
        // The document lives as long as the macros that it defines.
        const XmlElement& document = documents_.emplace_back(std::move(*parsed));
        expand_children(document, *target, out);
        files_.pop_back();
    }
};

}  // namespace

// Directives without a declaration of the namespace are accepted, as xacro does.
bool uses_xacro(const XmlElement& root)
{
    if (root.name.starts_with(kPrefix)) return true;
    for (const XmlAttribute& a : root.attributes)
        if (a.name.starts_with(kPrefix) || a.name == "xmlns:xacro") return true;
    return std::any_of(root.children.begin(), root.children.end(), uses_xacro);
}

XmlElement expand_xacro(const XmlElement& root, const std::string& file,
                        const std::map<std::string, std::string>& arguments, const FileFinder& finder,
                        Diagnostics& found)
{ return Expander(arguments, finder, found).run(root, file); }

}  // namespace mechane::sourceformats
