#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mechane/core/result.h"
#include "mechane/usd/stage.h"

namespace mechane::usd {

/// The same stage with a prim below each PointInstancer for each of its items, named after prototype and item
/// ("box_3"): a reference to the prototype, with the item's transform in front of the prototype's own. An item that
/// moves by samples has them. Items that `inactiveIds` names get none, those of `invisibleIds` are invisible.
/// Prototypes that hold instancers themselves get theirs. An instancer inside an instance opens that instance.
///
/// The stage is opened again with the copies on its session layer; its other layers are not read again.
///
/// @param with_looks  false: only instancers whose prototypes hold physics
/// @param complaints  what could not be made as it is authored, a few for each instancer
/// @return a null pointer where nothing is to be added
/// @error  STAGE_LIMIT
struct InstancerComplaint {
    Site        site;
    std::string text;
};
Result<std::shared_ptr<const Stage>> with_instancer_copies(const Stage& stage, bool with_looks,
                                                           std::vector<InstancerComplaint>& complaints);

/// Where a prim comes from that `with_instancer_copies` made.
struct InstancerItem {
    Path        instancer;
    std::size_t index = 0;  ///< into the instancer's arrays
    Path        prototype;
    bool        own = true;  ///< the instancer is authored there: not in a prototype, nor in an instance that was opened
};
/// Of a prim that was made for an item, itself; nothing for all others, those below it included.
std::optional<InstancerItem> instancer_item(const Prim& prim);
/// The nearest such prim at or above this one, invalid when there is none.
Prim instancer_copy(const Prim& prim);
/// Whether a prim lies in an instance that was opened to hold copies: its file takes no opinions about it.
bool in_opened_instance(const Prim& prim);
/// Whether the stage has any.
bool has_instancer_copies(const Stage& stage);

}  // namespace mechane::usd
