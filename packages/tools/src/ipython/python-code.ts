import { AGENT_SKILLS } from './agent-skills.ts';

/** What we run inside of Python. Programs as text, so that nothing has to be found beside the bundle. */

/**
 * The first lines of both programs. The folder of the project must not be searched for what they import, so it is taken
 * off the path meanwhile. Standard input is ours, a pipe that ends when we do, however we end: then nothing may stay
 * behind. Cells get an empty one, so that a program that reads is not left waiting.
 */
const LIFELINE = `
import sys
if sys.path and sys.path[0] == '':
    del sys.path[0]
import os, shutil, signal, threading, time, types

def refuse_to_ask(*_, **__):
    raise EOFError('there is nobody who could answer: put the value into the code')

def open_lifeline():
    lifeline = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return lifeline

MARK = os.environ.get('LONGHAND_PROCESS')

def started():
    for pid in os.listdir('/proc'):
        try:
            with open('/proc/' + pid + '/environ', 'rb') as environ:
                if int(pid) != os.getpid() and b'LONGHAND_PROCESS=' + MARK.encode() in environ.read().split(b'\\0'):
                    yield int(pid)
        except (OSError, ValueError):
            pass # gone meanwhile, or no process

# What cells have started has our mark, also in a session of its own.
def leave(folder=None):
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    if MARK and os.path.isdir('/proc/self'):
        for number in (signal.SIGTERM, signal.SIGKILL):
            pids = list(started())
            for pid in pids:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass # gone meanwhile
            if pids:
                time.sleep(0.2)
    elif hasattr(os, 'getpgrp') and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGTERM)
    os._exit(0)

def agent_skills():
    module = types.ModuleType('agentskills')
    exec(compile(${JSON.stringify(AGENT_SKILLS)}, '<agentskills>', 'exec'), module.__dict__)
    sys.modules['agentskills'] = module
    return {name: getattr(module, name) for name in module.__all__}
`;

/**
 * Arguments: the kernel's connection file. IPython would run `!command` in a terminal of its own, where a program that
 * asks waits for ever; here it has neither input nor a terminal.
 */
export const KERNEL_PROGRAM = `${LIFELINE}
import codecs, faulthandler, select, subprocess

def watch(lifeline, folder):
    while os.read(lifeline, 1):
        pass
    leave(folder)

connection = sys.argv[1]
threading.Thread(target=watch, args=(open_lifeline(), os.path.dirname(connection)), daemon=True).start()
sys.argv = ['']
faulthandler.enable(os.fdopen(os.dup(2), 'w'), all_threads=False) # 2 itself is going to be the cells'
from ipykernel.kernelapp import IPKernelApp
app = IPKernelApp.instance()
app.initialize(['-f', connection, '--HistoryManager.hist_file=:memory:'])
app.shell.push(agent_skills(), interactive=False)
app.kernel.raw_input = app.kernel.getpass = refuse_to_ask

def system(command):
    command = app.shell.var_expand(command, depth=1)
    pipe = subprocess.PIPE
    child = subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT)
    decoder = codecs.getincrementaldecoder('utf-8')('replace')
    try:
        while True:
            if select.select([child.stdout], [], [], 0.1)[0]:
                said = os.read(child.stdout.fileno(), 65536)
                if not said:
                    break
                print(decoder.decode(said), end='')
            elif child.poll() is not None:
                break # what it left in the background may hold the pipe for long
        code = child.wait()
    finally:
        child.stdout.close()
        if child.poll() is None:
            child.kill()
    app.shell.user_ns['_exit_code'] = code
    if code != 0:
        print('[exit code %d]' % code)

# What programs print goes to the descriptors, past sys.stdout. ipykernel reads those in threads of its own, which may come
# too late for the cell that printed, and in some versions end at half a character. Here whoever comes first passes it on,
# and ipykernel flushes before it tells a result and at the end of a cell.
def follow_descriptors():
    reader, writer = os.pipe() # writer stays open, for there to be no end
    shown = sys.stdout
    flush = shown.flush
    decoder = codecs.getincrementaldecoder('utf-8')('replace')
    lock = threading.RLock()
    own = os.getpid()

    def pass_on():
        if os.getpid() == own: # nobody would let go of the lock in a child
            with lock:
                if select.select([reader], [], [], 0)[0]:
                    shown.write(decoder.decode(os.read(reader, 1 << 20))) # more than a pipe holds

    def flush_all():
        pass_on()
        flush()

    def follow():
        while True:
            select.select([reader], [], [])
            pass_on()

    shown.flush = flush_all
    shown.fileno = lambda: 1
    sys.stderr.fileno = lambda: 2
    os.dup2(writer, 1)
    os.dup2(writer, 2)
    app.shell.events.register('post_execute', flush_all) # a cell may have put something else in the place of sys.stdout
    threading.Thread(target=follow, daemon=True).start()

if os.name == 'posix':
    app.shell.system = system
    follow_descriptors()
app.start()
`;

/**
 * Plain Python as a session. Arguments: a secret. A cell comes as a line of JSON, {"code": text}, on standard input. What
 * it shows goes to standard output as it is; its beginning, from which on it can be interrupted, and its end are told there
 * too, by lines that only who knows the secret can write:
 *
 *     0x1E <secret> {"status": "begun" | "ok" | "error" | "exit"} newline
 */
export const PLAIN_PROGRAM = `${LIFELINE}
import ast, atexit, builtins, faulthandler, getpass, json, linecache, queue, traceback

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
# The first that is registered is the last that is called.
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
        *lines, rest = (rest + received).split(b'\\n')
        for line in lines:
            cells.put(json.loads(line.decode())['code'])
    alone.set()
    cells.put(None)
    time.sleep(GRACE_SECONDS)
    leave()

def run(code, name):
    linecache.cache[name] = (len(code), None, (code + '\\n').splitlines(True), name)
    tree = compile(code, name, 'exec', ast.PyCF_ONLY_AST, dont_inherit=True)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, 'exec', dont_inherit=True), main.__dict__)
    if last is not None:
        exec(compile(ast.Interactive([last]), name, 'single', dont_inherit=True), main.__dict__)

def tell(status):
    os.write(told, ('\\x1e' + secret + json.dumps({'status': status}) + '\\n').encode())

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
        os._exit(0) # a cell has forked, and its child has come to the end of the cell as well
    tell(status)
    if status == 'exit':
        break
`;

/**
 * Tells what a Python is, as one line of JSON. Old ones fail. Looks only for where the kernel would be: loading it takes
 * half a second.
 */
export const PROBE_PROGRAM = `
import sys
if sys.path and sys.path[0] == '':
    del sys.path[0]
import json
from importlib.util import find_spec
assert sys.version_info >= (3, 8)
print(json.dumps({'executable': sys.executable, 'hasKernel': find_spec('ipykernel') is not None}))
`;
