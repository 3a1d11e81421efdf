// What was read of every prim and what became of it: the account behind `explain` and the list of unused attributes.
// Reading threads write into it at once, under one lock; the result does not depend on their order because a note only
// ever gives way to a stronger one.

#include "mechane/physics/read_log.h"

#include <algorithm>

namespace mechane::physics {

namespace {

auto find_in(auto& notes, const usd::Token& property)
{
    return std::find_if(notes.begin(), notes.end(), [&](const auto& entry) { return entry.first == property; });
}

}  // namespace

void ReadLog::note(const usd::Prim& prim, const usd::Token& property, Use use, std::string note)
{
    const std::scoped_lock lock(mutex_);
    Notes&                 notes = by_prim_[prim.index()];
    const auto             there = find_in(notes, property);
    if (there == notes.end()) notes.emplace_back(property, UseNote{use, std::move(note)});
    // The uses are ordered from weakest to strongest. Of two notes of one use the first by its letters stays, whoever
    // came first.
    else if (there->second.use < use || (there->second.use == use && note < there->second.note))
        there->second = {use, std::move(note)};
}

/// The later finding counts here, be it weaker: a value was read, and then turned out to have no effect.
void ReadLog::correct(const usd::Prim& prim, const usd::Token& property, Use use, std::string note)
{
    const std::scoped_lock lock(mutex_);
    Notes&                 notes = by_prim_[prim.index()];
    const auto             there = find_in(notes, property);
    if (there == notes.end())
        notes.emplace_back(property, UseNote{use, std::move(note)});
    else
        there->second = {use, std::move(note)};
}

void ReadLog::dismiss(const usd::Prim& prim, std::string_view prefix, const std::string& reason)
{
    const std::scoped_lock lock(mutex_);
    const auto             notes = by_prim_.find(prim.index());
    if (notes == by_prim_.end()) return;
    for (auto& [property, note] : notes->second)
        if (note.use == Use::read && property.text().starts_with(prefix)) note = {Use::ignored, reason};
}

const UseNote* ReadLog::find(const usd::Prim& prim, const usd::Token& property) const
{
    const auto notes = by_prim_.find(prim.index());
    if (notes == by_prim_.end()) return nullptr;
    const auto there = find_in(notes->second, property);
    return there == notes->second.end() ? nullptr : &there->second;
}

}  // namespace mechane::physics
