#pragma once
/// How src/usd looks inside the public handles. Nothing outside this folder includes this file.
#include <pxr/sdf/path.h>
#include <pxr/tf/token.h>
#include <pxr/vt/value.h>

#include "mechane/usd/path.h"
#include "mechane/usd/value.h"

namespace mechane::usd {

struct Token::Access {
    static pxr::TfToken&       of(Token& t) { return *reinterpret_cast<pxr::TfToken*>(t.storage_); }
    static const pxr::TfToken& of(const Token& t) { return *reinterpret_cast<const pxr::TfToken*>(t.storage_); }
};

struct Path::Access {
    static pxr::SdfPath&       of(Path& p) { return *reinterpret_cast<pxr::SdfPath*>(p.storage_); }
    static const pxr::SdfPath& of(const Path& p) { return *reinterpret_cast<const pxr::SdfPath*>(p.storage_); }
};

struct Value::Access {
    static const pxr::VtValue* of(const Value& v) { return static_cast<const pxr::VtValue*>(v.impl_.get()); }
    static Value               make(pxr::VtValue value)
    {
        Value out;
        if (!value.IsEmpty()) out.impl_ = std::make_shared<const pxr::VtValue>(std::move(value));
        return out;
    }
};

inline const pxr::TfToken& unwrap(const Token& t) { return Token::Access::of(t); }
inline const pxr::SdfPath& unwrap(const Path& p) { return Path::Access::of(p); }

inline Token wrap(const pxr::TfToken& token)
{
    Token out;
    Token::Access::of(out) = token;
    return out;
}
inline Path wrap(const pxr::SdfPath& path)
{
    Path out;
    Path::Access::of(out) = path;
    return out;
}
inline Value wrap(pxr::VtValue value) { return Value::Access::make(std::move(value)); }

}  // namespace mechane::usd
