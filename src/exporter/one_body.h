#pragma once
#include <optional>

#include "exporter/output.h"

namespace mechane::exporter {

/// The robot for formats without links that have no mass. Such a link that moves or is a root, and what is fixed to it,
/// are one link, which has the masses and shapes of all; such a link that is fixed to another one is part of that. What
/// became part of another link is a frame of it. In URDF a root is often such a link.
/// @return nothing when no link is of that kind
std::optional<sf::RobotTree> with_whole_bodies(const sf::RobotTree& tree, sf::LossReport& losses);

}  // namespace mechane::exporter
