"""What both kinds of session share: they end when we do, and leave no process behind.

Standard input is a pipe of ours that closes when we end, however we end. Cells get an empty one, so that a program that
reads does not wait for ever.
"""

import os
import shutil
import signal
import sys
import time

# In the environment of every process that a cell has started, even if it has a session of its own.
MARK = os.environ.get('LONGHAND_PROCESS')


def refuse_to_ask(*_, **__):
    raise EOFError('nobody can answer: put the value into the code')


def open_lifeline():
    """Returns a descriptor that reads the end of standard input when we have ended."""
    lifeline = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return lifeline


def started():
    """Yields the ids of the processes that carry our mark."""
    for pid in os.listdir('/proc'):
        try:
            with open('/proc/' + pid + '/environ', 'rb') as environ:
                if int(pid) != os.getpid() and b'LONGHAND_PROCESS=' + MARK.encode() in environ.read().split(b'\0'):
                    yield int(pid)
        except (OSError, ValueError):
            pass  # it has ended meanwhile, or is not a process


def leave(folder=None):
    """Ends this process and all that cells have started, and removes a folder."""
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    if MARK and os.path.isdir('/proc/self'):
        for number in (signal.SIGTERM, signal.SIGKILL):
            pids = list(started())
            for pid in pids:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass  # it has ended meanwhile
            if pids:
                time.sleep(0.2)
    elif hasattr(os, 'getpgrp') and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGTERM)
    os._exit(0)


def agent_skills():
    """Returns the functions that cells find ready to call, by name; none if the module is not defined."""
    agentskills = sys.modules.get('agentskills')
    if agentskills is None:
        return {}
    return {name: getattr(agentskills, name) for name in agentskills.__all__}
