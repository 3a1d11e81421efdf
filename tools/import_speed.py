#!/usr/bin/env python3
"""Measures `import mechane` beyond NumPy's own import, by processor time: at most 150 ms. usage: import_speed.py FOLDER_OF_THE_MODULE"""
import os
import subprocess
import sys

CODE = "import numpy, time; t = time.process_time(); import mechane; print(time.process_time() - t)"


def main():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([sys.argv[1], os.environ.get("PYTHONPATH", "")])}
    least = min(float(subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=environment).stdout) for _ in range(7))
    print(f"import mechane   {1000 * least:.0f} ms, the least of seven")
    return int(least > 0.150)


if __name__ == "__main__":
    sys.exit(main())
