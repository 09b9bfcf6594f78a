"""Runs ipykernel. Argument: the kernel's connection file, whose folder is removed when we end.

IPython would run `!command` in a terminal of its own, where a program that asks waits for ever. Here it has neither
input nor a terminal.
"""

import codecs
import faulthandler
import os
import select
import subprocess
import sys
import threading

from longhand_lifeline import agent_skills, leave, open_lifeline, refuse_to_ask


def watch(lifeline, folder):
    while os.read(lifeline, 1):
        pass
    leave(folder)


connection = sys.argv[1]
threading.Thread(target=watch, args=(open_lifeline(), os.path.dirname(connection)), daemon=True).start()
sys.argv = ['']
# Descriptor 2 itself will be the cells'.
faulthandler.enable(os.fdopen(os.dup(2), 'w'), all_threads=False)

from ipykernel.kernelapp import IPKernelApp  # takes long: only once we are watched

app = IPKernelApp.instance()
app.initialize(['-f', connection, '--HistoryManager.hist_file=:memory:'])
app.shell.push(agent_skills(), interactive=False)
app.kernel.raw_input = app.kernel.getpass = refuse_to_ask


def system(command):
    """Runs `!command` and prints its output as it comes."""
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
                break  # a process that it left in the background may hold the pipe for long
        code = child.wait()
    finally:
        child.stdout.close()
        if child.poll() is None:
            child.kill()
    app.shell.user_ns['_exit_code'] = code
    if code != 0:
        print('[exit code %d]' % code)


def follow_descriptors():
    """Shows what programs write to the descriptors, past sys.stdout.

    ipykernel reads them in threads of its own, which may come too late for the cell that printed and in some versions
    stop in the middle of a character. Here whoever comes first passes the output on, and ipykernel flushes before it
    reports a result and at the end of a cell.
    """
    reader, writer = os.pipe()  # the writer stays open, so the pipe never ends
    shown = sys.stdout
    flush = shown.flush
    decoder = codecs.getincrementaldecoder('utf-8')('replace')
    lock = threading.RLock()
    own = os.getpid()

    def pass_on():
        if os.getpid() == own:  # in a forked child nobody would release the lock
            with lock:
                if select.select([reader], [], [], 0)[0]:
                    shown.write(decoder.decode(os.read(reader, 1 << 20)))  # more than a pipe holds

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
    app.shell.events.register('post_execute', flush_all)  # a cell may have replaced sys.stdout
    threading.Thread(target=follow, daemon=True).start()


if os.name == 'posix':
    app.shell.system = system
    follow_descriptors()
app.start()
