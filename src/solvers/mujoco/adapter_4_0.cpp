// Compiled where headers of this version are found (cmake/mechane_mujoco.cmake).
#define MECHANE_MUJOCO_VERSION v4_0
#define MECHANE_MUJOCO_TEXT "4.0.0"
#include "solvers/mujoco/adapter.inl"
