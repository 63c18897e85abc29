"""Speed and memory, as ratios in one run. The trap: comparing seconds of two runs on a noisy machine; every figure here
has its floor measured beside it."""
