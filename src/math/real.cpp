#include "mechane/math/real.h"

// The one of the two symbols that this library answers for (real.h).
extern "C" const char MECHANE_PRECISION_SYMBOL = 1;
