// Compiled where headers of this version are found (cmake/mechane_mujoco.cmake).
#define MECHANE_MUJOCO_VERSION v3_17
#define MECHANE_MUJOCO_TEXT "3.17.0"
#include "solvers/mujoco/adapter.inl"
