// What a model has several times: <replicate>, and what refers to copies.
#include <fmt/format.h>

#include "mechane/sourceformats/codes.h"
#include "sourceformats/mjcf/reader.h"

namespace mechane::sourceformats {

void MjcfReader::suffix_names(XmlElement& e, const std::string& suffix)
{
    for (XmlAttribute& a : e.attributes)
        if (a.name == "name") a.value += suffix;
    if (e.name != "replicate")  // its copies get their own number first
        for (XmlElement& c : e.children) suffix_names(c, suffix);
}

void MjcfReader::replicate(const XmlElement& e, int link, const Posed& X, const std::string& childclass)
{
    const double count = s_.number(e, "count").value_or(1);
    if (!(count >= 0 && count <= 10000)) return s_.error(kLimit, e.place, fmt::format("{} copies are too many", count));
    e.find("sep");
    const Vec3d offset = s_.vec3(e, "offset").value_or(Vec3d{});
    const Vec3d euler  = s_.vec3(e, "euler").value_or(Vec3d{});
    e.use_all();
    Posed at_copy;
    if (static_cast<double>(copies_ += static_cast<std::size_t>(count)) > 100'000)
        return s_.error(kLimit, e.place, "there are too many copies");
    const std::string outer  = copy_suffix_;  // copies of copies: the inner number comes first
    int               number = 0;
    for (const std::string& suffix : suffixes_of(e)) {
        // Copy i is turned by i times the angles of `euler`, which is no power of one turn where several angles are
        // given; its place is one offset from that of the copy before, in the axes of that copy.
        if (number > 0) at_copy.p = at_copy.p + rotate(at_copy.q, offset);
        at_copy.q       = mjcf_euler(static_cast<double>(number++) * euler, compiler_);
        XmlElement copy = e;
        copy_suffix_    = suffix + outer;
        for (XmlElement& c : copy.children) suffix_names(c, copy_suffix_);
        // Elements are referred to by address until the end of the reading, so each copy is kept; a list does not move
        // them.
        replicated_.push_back(std::move(copy));
        body_children(replicated_.back(), link, X * at_copy, childclass);
    }
    copy_suffix_ = outer;
}

std::vector<std::string> MjcfReader::suffixes_of(const XmlElement& e)
{
    std::vector<std::string> out;
    const std::string*       said      = e.peek("count");
    const double             count     = said != nullptr ? parse_number(*said).value_or(0) : 1;
    const std::string*       separator = e.peek("sep");
    if (!(count >= 1 && count <= 10000)) return out;
    // Numbers have as many digits as the largest of them: sphere00 .. sphere99.
    const int width = static_cast<int>(fmt::format("{}", static_cast<int>(count) - 1).size());
    for (int i = 0; i < static_cast<int>(count); ++i)
        out.push_back(fmt::format("{}{:0{}}", separator != nullptr ? *separator : "", i, width));
    return out;
}

std::set<std::string> MjcfReader::note_copies(const XmlElement& e)
{
    std::set<std::string> names;
    if (const std::string* name = e.peek("name"); name != nullptr && e.name != "replicate") names.insert(*name);
    for (const XmlElement& c : e.children) names.merge(note_copies(c));
    if (e.name != "replicate" || names.size() > 100'000) return names;
    Copies                made{std::move(names), suffixes_of(e)};
    std::set<std::string> out;
    if (made.names.size() * made.suffixes.size() <= 100'000)
        for (const std::string& name : made.names)
            for (const std::string& suffix : made.suffixes) out.insert(name + suffix);
    replications_.push_back(std::move(made));
    return out;
}

void MjcfReader::replicate_sections(XmlElement& root)
{
    // Tendons, equalities, contacts, actuators and sensors that name something within a <replicate> are copied as often
    // as it is, each copy with the names of its own number. Inner replications come first, as their copies are what the
    // outer ones copy again.
    for (Copies& copies : replications_)
        for (const char* name : {"tendon", "equality", "contact", "actuator", "sensor"})
            for (XmlElement& section : root.children) {
                if (section.name != name) continue;
                std::vector<XmlElement> plain, copied;
                for (XmlElement& c : section.children) {
                    bool refers = false;
                    references(c, [&](const XmlAttribute& a) { refers = refers || copies.names.contains(a.value); });
                    (refers ? copied : plain).push_back(std::move(c));
                }
                if ((copies_ += copied.size() * copies.suffixes.size()) > 100'000) {
                    s_.error(kLimit, section.place, "there are too many copies");
                    copied.clear();
                }
                for (const std::string& suffix : copies.suffixes)
                    for (const XmlElement& c : copied) {
                        plain.push_back(c);
                        XmlElement& made = plain.back();
                        references(made, [&](XmlAttribute& a) {
                            if (copies.names.contains(a.value)) a.value += suffix;
                        });
                        if (const std::string* own = made.peek("name")) made.set("name", *own + suffix);
                    }
                for (const XmlElement& c : copied)  // what refers to these is copied, too
                    if (const std::string* own = c.peek("name")) copies.names.insert(*own);
                section.children = std::move(plain);
            }
}

}  // namespace mechane::sourceformats
