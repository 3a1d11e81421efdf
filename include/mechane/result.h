#pragma once
/// Values or diagnostics (`Result`), findings (`Diagnostics`, `to_text`), and what happens when a program makes a
/// mistake (`set_failure_handler`). docs/cpp.md, "Errors".
#include "mechane/core/codes.h"
#include "mechane/core/diagnostic.h"
#include "mechane/core/failure.h"
#include "mechane/core/result.h"
