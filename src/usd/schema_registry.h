#pragma once
#include <pxr/sdf/layer.h>
#include <pxr/sdf/valueTypeName.h>
#include <pxr/tf/token.h>
#include <pxr/vt/value.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "usd/schema_tables.h"

namespace mechane::usd {

/// A property that a schema brings.
struct PropertyDefinition {
    bool                       is_relationship = false;
    bool                       uniform         = false;
    pxr::SdfValueTypeName      type;      ///< attributes only
    pxr::VtValue               fallback;  ///< empty when there is none
    pxr::SdfPropertySpecHandle spec;      ///< for metadata
};

/// What a prim type and its applied API schemas bring: properties by name, strongest first.
struct Definition {
    pxr::TfTokenVector applied;  ///< built-in and valid authored APIs, strongest first
    std::unordered_map<pxr::TfToken, PropertyDefinition, pxr::TfToken::HashFunctor> properties;
};

/// All schemas of this build. Class texts are parsed on first use. Definitions are shared by equal (type, applied
/// list).
class SchemaRegistry {
  public:
    static SchemaRegistry& instance();

    struct Schema {
        const SchemaRow*         row;
        std::vector<std::size_t> bases;
        bool                     api, multiple, concrete, openusd;
    };

    [[nodiscard]] const Schema* find(const pxr::TfToken& identifier) const;
    /// True when `identifier` names `base` or derives from it.
    [[nodiscard]] bool is_a(const pxr::TfToken& identifier, const pxr::TfToken& base) const;

    /// Problems of an authored list of API schemas.
    struct ApiProblem {
        enum Kind { unknown, instance_missing, instance_unexpected } kind;
        pxr::TfToken name;
    };
    /// The definition of a prim; thread-safe. `openusd_only` leaves out other vendors' schemas.
    std::shared_ptr<const Definition> definition(const pxr::TfToken& type, const pxr::TfTokenVector& authored_apis,
                                                 bool openusd_only, std::vector<ApiProblem>* problems);

  private:
    SchemaRegistry();
    pxr::SdfPrimSpecHandle class_spec(std::size_t schema);
    void               add_schema(std::size_t schema, const std::string& instance, bool openusd_only, Definition& out);
    void               add_api(const pxr::TfToken& name, bool openusd_only, Definition& out);
    [[nodiscard]] bool usable(const Schema& schema, bool openusd_only) const { return schema.openusd || !openusd_only; }

    std::vector<Schema>                                                      schemas_;
    std::unordered_map<pxr::TfToken, std::size_t, pxr::TfToken::HashFunctor> by_identifier_;
    std::unordered_map<std::string, std::size_t>                             by_type_;
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>>            auto_apply_;  ///< (api, types), by name
    std::mutex                                                               mutex_;
    std::vector<pxr::SdfLayerRefPtr>                                         layers_;
    std::map<std::string, std::shared_ptr<const Definition>>                 cache_;
};

}  // namespace mechane::usd
