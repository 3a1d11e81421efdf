#pragma once
#include <pxr/sdf/usdaData.h>

#include <set>
#include <utility>
#include <vector>

namespace mechane::usd {

/// The storage of a text layer that was parsed in pieces: each spec lies in one of several storages. It reads as one;
/// the first edit makes it one.
class JoinedData final : public pxr::SdfUsdaData {
  public:
    using Path   = pxr::SdfPath;
    using Field  = pxr::TfToken;
    using Value  = pxr::VtValue;
    using AnyOut = pxr::SdfAbstractDataValue;

    /// @param parts   at least one; no path has a spec in two of them
    explicit JoinedData(std::vector<pxr::SdfAbstractDataRefPtr> parts) : parts_(std::move(parts)) {}

    [[nodiscard]] bool               HasSpec(const Path& path) const override;
    [[nodiscard]] pxr::SdfSpecType   GetSpecType(const Path& path) const override;
    [[nodiscard]] std::vector<Field> List(const Path& path) const override;
    [[nodiscard]] Value              Get(const Path& path, const Field& field) const override;
    bool                             Has(const Path& path, const Field& field, AnyOut* value) const override;
    bool                             Has(const Path& path, const Field& field, Value* value) const override;
    bool HasSpecAndField(const Path& path, const Field& field, AnyOut* value, pxr::SdfSpecType* type) const override;
    bool HasSpecAndField(const Path& path, const Field& field, Value* value, pxr::SdfSpecType* type) const override;

    [[nodiscard]] std::set<double> ListAllTimeSamples() const override;
    [[nodiscard]] std::set<double> ListTimeSamplesForPath(const Path& path) const override;
    [[nodiscard]] std::size_t      GetNumTimeSamplesForPath(const Path& path) const override;
    bool                           GetBracketingTimeSamples(double time, double* lower, double* upper) const override;
    bool GetBracketingTimeSamplesForPath(const Path& path, double time, double* lower, double* upper) const override;
    bool GetPreviousTimeSampleForPath(const Path& path, double time, double* previous) const override;
    bool QueryTimeSample(const Path& path, double time, AnyOut* value) const override;
    bool QueryTimeSample(const Path& path, double time, Value* value) const override;

    void CreateSpec(const Path& path, pxr::SdfSpecType type) override;
    void EraseSpec(const Path& path) override;
    void MoveSpec(const Path& from, const Path& to) override;
    void Set(const Path& path, const Field& field, const Value& value) override;
    void Set(const Path& path, const Field& field, const pxr::SdfAbstractDataConstValue& value) override;
    void Erase(const Path& path, const Field& field) override;
    void SetTimeSample(const Path& path, double time, const Value& value) override;
    void EraseTimeSample(const Path& path, double time) override;

  protected:
    void _VisitSpecs(pxr::SdfAbstractDataSpecVisitor* visitor) const override;

  private:
    /// Asks the parts until one says yes, the one that said so last first.
    template <class Ask>
    bool any(const Ask& ask) const;
    /// Whether the path's spec has the field, and the type of the spec, unknown when there is none.
    template <class Out>
    bool read(const Path& path, const Field& field, Out* out, pxr::SdfSpecType* type) const;
    /// The part that has the path's spec; any one when none has.
    [[nodiscard]] const pxr::SdfAbstractData& at(const Path& path) const;
    /// The one part, after all specs were moved into it.
    pxr::SdfAbstractData& whole();

    std::vector<pxr::SdfAbstractDataRefPtr> parts_;
};

}  // namespace mechane::usd
