#pragma once
#include <pxr/sdf/layer.h>
#include <pxr/sdf/valueTypeName.h>
#include <pxr/tf/token.h>
#include <pxr/vt/value.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mechane/core/diagnostic.h"
#include "usd/schema_tables.h"
#include "usd/user_schemas.h"

namespace mechane::usd {

/// A property that a schema brings.
struct PropertyDefinition {
    bool                       is_relationship = false;
    bool                       uniform         = false;
    pxr::SdfValueTypeName      type;      ///< attributes only
    pxr::VtValue               fallback;  ///< empty when there is none
    pxr::SdfPropertySpecHandle spec;      ///< for metadata
    pxr::SdfPropertySpecHandle weaker;    ///< metadata of the built-in API whose property `spec` overrides
};

/// A problem of an authored list of API schemas.
struct ApiProblem {
    enum Kind { unknown, instance_missing, instance_unexpected, version_clash, not_applicable } kind;
    pxr::TfToken name;
    std::string  about;  ///< the version that is applied already; the types that the schema is made for
};

/// What a prim type and its applied API schemas bring: properties by name, strongest first.
struct Definition {
    pxr::TfToken       type;     ///< the schema's, which stands in for an unknown one where the stage says so
    pxr::TfTokenVector applied;  ///< built-in and valid authored APIs, strongest first
    std::unordered_map<pxr::TfToken, PropertyDefinition, pxr::TfToken::HashFunctor> properties;
    std::vector<ApiProblem>                                                         problems;  ///< of the authored APIs
};

/// All schemas of this build and of the user's plug-ins. Class texts are parsed on first use. Definitions are shared by
/// equal (type, applied list).
class SchemaRegistry {
  public:
    /// Made on first use, from the bundled tables, the plug-ins added by then, and those of PXR_PLUGINPATH_NAME.
    static SchemaRegistry& instance();
    /// What was wrong with the user's plug-ins.
    [[nodiscard]] const Diagnostics& findings() const { return findings_; }

    struct Schema {
        SchemaRow                row;
        std::vector<std::size_t> bases;
        bool                     api, multiple, concrete, openusd;
    };

    [[nodiscard]] const Schema* find(const pxr::TfToken& identifier) const;
    /// Identifiers of all schemas that can be applied, or of all that a prim can be, for suggestions.
    [[nodiscard]] std::vector<std::string> identifiers(bool api) const;
    /// True when `identifier` names `base` or derives from it.
    [[nodiscard]] bool is_a(const pxr::TfToken& identifier, const pxr::TfToken& base) const;

    /// The definition of a prim; thread-safe. `openusd_only` leaves out other vendors' schemas; `problems`, which may
    /// be null, gets those of the authored APIs.
    std::shared_ptr<const Definition> definition(const pxr::TfToken& type, const pxr::TfTokenVector& authored_apis,
                                                 bool openusd_only, std::vector<ApiProblem>* problems);

  private:
    SchemaRegistry();
    void add_row(const SchemaRow& row, pxr::SdfLayerRefPtr layer, bool openusd);
    void link_bases();
    void link_auto_apply();
    /// Names of types or identifiers, separated by spaces, as schemas; what is not known is left out.
    [[nodiscard]] std::vector<std::size_t> named(const char* names) const;

    pxr::SdfPrimSpecHandle class_spec(std::size_t schema);
    void add_schema(std::size_t schema, const std::string& instance, bool openusd_only, Definition& out);
    std::optional<ApiProblem> problem_of(const pxr::TfToken& api, const pxr::TfToken& type, bool openusd_only,
                                         const Definition& so_far) const;
    void                      add_api(const pxr::TfToken& name, bool openusd_only, Definition& out);
    [[nodiscard]] bool usable(const Schema& schema, bool openusd_only) const { return schema.openusd || !openusd_only; }

    PluginSchemas                                                            user_;  ///< rows point into it
    Diagnostics                                                              findings_;
    std::vector<Schema>                                                      schemas_;
    std::unordered_map<pxr::TfToken, std::size_t, pxr::TfToken::HashFunctor> by_identifier_;
    std::unordered_map<std::string, std::size_t>                             by_type_;
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>>            auto_apply_;  ///< (api, types), by name
    std::mutex                                                               mutex_;
    std::vector<pxr::SdfLayerRefPtr>                                         layers_;
    std::map<std::string, std::shared_ptr<const Definition>>                 cache_;
};

}  // namespace mechane::usd
