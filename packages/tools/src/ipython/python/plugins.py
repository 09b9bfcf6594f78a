"""A cell that defines the public functions and classes of files, without leaving a name of its own.

`define(paths)` is called with their absolute paths by the line that follows. Public is what `__all__` lists, or else
what the file itself defines without a leading underscore.
"""


def define(paths):
    import importlib.util
    import os
    import sys

    del globals()['define']
    names = {}
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        if name in sys.modules:
            name = 'cell_plugin_' + name  # it must not hide a module that others import
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        defined = [
            each
            for each, value in vars(module).items()
            if not each.startswith('_') and callable(value) and getattr(value, '__module__', None) == name
        ]
        names.update({each: getattr(module, each) for each in getattr(module, '__all__', defined)})
    if 'get_ipython' in globals():
        get_ipython().push(names, interactive=False)  # noqa: F821
    else:
        globals().update(names)
