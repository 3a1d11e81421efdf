#pragma once
/// Values or diagnostics (`Result`), findings (`Diagnostics`, `to_text`), and what happens when a program makes a
/// mistake (`set_failure_handler`). docs/cpp.md, "Errors".
#if __cplusplus < 202002L
#error "mechane needs C++20: -std=c++20, or newer"
#endif
#include "mechane/core/codes.h"
#include "mechane/core/diagnostic.h"
#include "mechane/core/failure.h"
#include "mechane/core/result.h"
