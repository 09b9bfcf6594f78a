"""First part of each program that imports modules of ours.

They come as text: `python -c` may run where our files are not.
"""

import sys

# The project's folder must not be searched for what the programs import.
if sys.path and sys.path[0] == '':
    del sys.path[0]

import types


def define(name, text):
    """Makes a module importable."""
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, '<%s>' % name, 'exec'), module.__dict__)
