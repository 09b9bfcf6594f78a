"""Plain Python as a session. Argument: a secret.

A cell is a line of JSON on standard input, {"code": text}. What it shows goes to standard output unchanged. Lines that
only a holder of the secret can write report there when the cell begins, from when on it can be interrupted, and when it
ends:

    0x1E <secret> {"status": "begun" | "ok" | "error" | "exit"} newline
"""

import ast
import atexit
import builtins
import faulthandler
import getpass
import json
import linecache
import os
import queue
import signal
import sys
import threading
import time
import traceback
import types

from longhand_lifeline import agent_skills, leave, open_lifeline, refuse_to_ask

GRACE_SECONDS = 1
secret = sys.argv[1]
sys.argv = ['']
sys.path.insert(0, '')
os.dup2(1, 2)
told = os.dup(1)
own = os.getpid()
faulthandler.enable()
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(encoding='utf-8', errors='backslashreplace', line_buffering=True)
main = types.ModuleType('__main__')
main.__builtins__ = builtins
main.__dict__.update(agent_skills())
sys.modules['__main__'] = main
cells = queue.Queue()
alone = threading.Event()
# What is registered first is called last.
atexit.register(lambda: alone.is_set() and leave())


class Leave(BaseException):
    pass


def ask_to_leave(code=None):
    raise Leave


builtins.exit = builtins.quit = ask_to_leave
builtins.input = getpass.getpass = refuse_to_ask


def receive(lifeline):
    rest = b''
    while True:
        received = os.read(lifeline, 65536)
        if not received:
            break
        *lines, rest = (rest + received).split(b'\n')
        for line in lines:
            cells.put(json.loads(line.decode())['code'])
    alone.set()
    cells.put(None)
    time.sleep(GRACE_SECONDS)
    leave()


def run(code, name):
    linecache.cache[name] = (len(code), None, (code + '\n').splitlines(True), name)
    tree = compile(code, name, 'exec', ast.PyCF_ONLY_AST, dont_inherit=True)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, 'exec', dont_inherit=True), main.__dict__)
    if last is not None:
        exec(compile(ast.Interactive([last]), name, 'single', dont_inherit=True), main.__dict__)


def tell(status):
    os.write(told, ('\x1e' + secret + json.dumps({'status': status}) + '\n').encode())


def status_of(code, name):
    try:
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            tell('begun')
            run(code, name)
        finally:
            signal.signal(signal.SIGINT, ignore)
        return 'ok'
    except Leave:
        return 'exit'
    except BaseException as error:
        if os.getpid() != own and isinstance(error, SystemExit):
            return 'exit'
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == run.__code__.co_filename:
            trace = trace.tb_next
        print(''.join(traceback.format_exception(type(error), error, trace)), end='', file=sys.stderr)
        return 'error'


def ignore(*_):
    pass


signal.signal(signal.SIGINT, ignore)
threading.Thread(target=receive, args=(open_lifeline(),), daemon=True).start()
count = 0
while True:
    code = cells.get()
    if code is None:
        break
    count += 1
    status = status_of(code, '<cell %d>' % count)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # a cell may have closed it
    if os.getpid() != own:
        os._exit(0)  # a cell has forked, and its child has reached the end of the cell as well
    tell(status)
    if status == 'exit':
        break
