"""Run a Python program on a host whose clock is wrong: `wrong_clock.py HOURS_AHEAD program …`, as `python program …`.

Only what the clock says moves; the counter by which time-outs are kept goes on, as on a real host."""

import datetime as dt
import runpy
import sys

import time_machine

if __name__ == "__main__":
    _, hours, *arguments = sys.argv
    time_machine.travel(dt.datetime.now(dt.UTC) + dt.timedelta(hours=float(hours)), tick=True).start()
    sys.argv = arguments[1:] if arguments[0] == "-m" else arguments
    if arguments[0] == "-m":
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(arguments[0], run_name="__main__")
