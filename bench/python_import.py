#!/usr/bin/env python3
"""Processor time of `import mechane`, NumPy's own import aside: the best of five warm ones, 150 ms at most."""
import subprocess
import sys

CODE = "import numpy, time; t = time.process_time(); import mechane; print(time.process_time() - t)"
best = min(float(subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True).stdout) for _ in range(5))
print(f"import mechane  {1000 * best:.0f} ms (at most 150)")
sys.exit(best >= 0.150)
