// A layer's data in several parts, as the parallel reader of text leaves them: each part holds whole subtrees.
// Questions go to the part that has the spec; the first edit joins all parts into one.

#include "usd/joined_data.h"

#include <iterator>

namespace mechane::usd {

using namespace pxr;

namespace {

/// Visits the specs of a part as if they were the whole's, and goes on with the next part.
class PartVisitor final : public SdfAbstractDataSpecVisitor {
  public:
    PartVisitor(const SdfAbstractData& whole, SdfAbstractDataSpecVisitor& visitor) : whole_(whole), visitor_(visitor) {}
    bool VisitSpec(const SdfAbstractData&, const SdfPath& path) override
    { return going_on = visitor_.VisitSpec(whole_, path); }
    void Done(const SdfAbstractData&) override {}

    bool going_on = true;

  private:
    const SdfAbstractData&      whole_;
    SdfAbstractDataSpecVisitor& visitor_;
};

}  // namespace

template <class Ask>
bool JoinedData::any(const Ask& ask) const
{
    // Who reads one prim reads its neighbours next, and they lie in one part.
    thread_local std::size_t last  = 0;
    const std::size_t        count = parts_.size();
    for (std::size_t k = 0, i = last < count ? last : 0; k < count; ++k, i = i + 1 < count ? i + 1 : 0)
        if (ask(*parts_[i])) {
            last = i;
            return true;
        }
    return false;
}

template <class Out>
bool JoinedData::read(const Path& path, const Field& field, Out* out, SdfSpecType* type) const
{
    bool has = false;
    any([&](const SdfAbstractData& part) {
        *type = SdfSpecTypeUnknown;
        has   = part.HasSpecAndField(path, field, out, type);
        return *type != SdfSpecTypeUnknown;
    });
    return has;
}

const SdfAbstractData& JoinedData::at(const Path& path) const
{
    const SdfAbstractData* found = parts_[0].operator->();
    any([&](const SdfAbstractData& part) { return part.HasSpec(path) && (found = &part, true); });
    return *found;
}

SdfAbstractData& JoinedData::whole()
{
    if (parts_.size() > 1) {
        const SdfAbstractDataRefPtr all = TfCreateRefPtr(new SdfUsdaData);
        all->CopyFrom(TfCreateWeakPtr(this));
        parts_.assign(1, all);
    }
    return *parts_[0];
}

// What is asked most is answered by one look-up, which finds the part as well.
bool JoinedData::HasSpec(const Path& path) const
{
    return any([&](const SdfAbstractData& part) { return part.HasSpec(path); });
}
SdfSpecType JoinedData::GetSpecType(const Path& path) const
{
    SdfSpecType type = SdfSpecTypeUnknown;
    any([&](const SdfAbstractData& part) { return (type = part.GetSpecType(path)) != SdfSpecTypeUnknown; });
    return type;
}
std::vector<JoinedData::Field> JoinedData::List(const Path& path) const { return at(path).List(path); }
VtValue                        JoinedData::Get(const Path& path, const Field& field) const
{
    VtValue     value;
    SdfSpecType type = SdfSpecTypeUnknown;
    read(path, field, &value, &type);
    return value;
}
bool JoinedData::Has(const Path& path, const Field& field, AnyOut* value) const
{
    SdfSpecType type = SdfSpecTypeUnknown;
    return read(path, field, value, &type);
}
bool JoinedData::Has(const Path& path, const Field& field, Value* value) const
{
    SdfSpecType type = SdfSpecTypeUnknown;
    return read(path, field, value, &type);
}
bool JoinedData::HasSpecAndField(const Path& path, const Field& field, AnyOut* value, SdfSpecType* type) const
{ return read(path, field, value, type); }
bool JoinedData::HasSpecAndField(const Path& path, const Field& field, Value* value, SdfSpecType* type) const
{ return read(path, field, value, type); }

std::set<double> JoinedData::ListAllTimeSamples() const
{
    std::set<double> all;
    for (const SdfAbstractDataRefPtr& part : parts_) all.merge(part->ListAllTimeSamples());
    return all;
}

std::set<double> JoinedData::ListTimeSamplesForPath(const Path& path) const
{ return at(path).ListTimeSamplesForPath(path); }
std::size_t JoinedData::GetNumTimeSamplesForPath(const Path& path) const
{ return at(path).GetNumTimeSamplesForPath(path); }

bool JoinedData::GetBracketingTimeSamples(double time, double* lower, double* upper) const
{
    const std::set<double> all = ListAllTimeSamples();
    if (all.empty()) return false;
    const auto above = all.lower_bound(time);  // outside the samples both are the nearest one
    *upper           = above == all.end() ? *all.rbegin() : *above;
    *lower           = above == all.begin() || (above != all.end() && *above == time) ? *upper : *std::prev(above);
    return true;
}

bool JoinedData::GetBracketingTimeSamplesForPath(const Path& path, double time, double* lower, double* upper) const
{ return at(path).GetBracketingTimeSamplesForPath(path, time, lower, upper); }
bool JoinedData::GetPreviousTimeSampleForPath(const Path& path, double time, double* previous) const
{ return at(path).GetPreviousTimeSampleForPath(path, time, previous); }
bool JoinedData::QueryTimeSample(const Path& path, double time, AnyOut* value) const
{ return at(path).QueryTimeSample(path, time, value); }
bool JoinedData::QueryTimeSample(const Path& path, double time, Value* value) const
{ return at(path).QueryTimeSample(path, time, value); }

void JoinedData::CreateSpec(const Path& path, SdfSpecType type) { whole().CreateSpec(path, type); }
void JoinedData::EraseSpec(const Path& path) { whole().EraseSpec(path); }
void JoinedData::MoveSpec(const Path& from, const Path& to) { whole().MoveSpec(from, to); }
void JoinedData::Set(const Path& path, const Field& field, const Value& value) { whole().Set(path, field, value); }
void JoinedData::Set(const Path& path, const Field& field, const SdfAbstractDataConstValue& value)
{ whole().Set(path, field, value); }
void JoinedData::Erase(const Path& path, const Field& field) { whole().Erase(path, field); }
void JoinedData::SetTimeSample(const Path& path, double time, const Value& value)
{ whole().SetTimeSample(path, time, value); }
void JoinedData::EraseTimeSample(const Path& path, double time) { whole().EraseTimeSample(path, time); }

void JoinedData::_VisitSpecs(SdfAbstractDataSpecVisitor* visitor) const
{
    PartVisitor each(*this, *visitor);
    for (const SdfAbstractDataRefPtr& part : parts_)
        if (each.going_on) part->VisitSpecs(&each);
}

}  // namespace mechane::usd
