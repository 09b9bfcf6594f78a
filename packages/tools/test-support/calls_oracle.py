"""Tells how CPython reads programs that consist of calls with literal arguments.

Each line of standard input is a program, as a JSON string. The answer is a line of JSON: its calls, the span of the
first node that is neither such a call nor a literal, or that Python refuses the program.
"""

import ast
import json
import sys
import warnings

warnings.simplefilter('ignore')


class NotLiteral(Exception):
    pass


def value(node):
    if isinstance(node, ast.Constant) and not isinstance(node.value, (bytes, complex)) and node.value is not ...:
        if node.value in (float('inf'), float('-inf')):
            raise NotLiteral(node)
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        if isinstance(node.operand, ast.Constant) and type(node.operand.value) in (int, float):
            size = value(node.operand)
            return -size if isinstance(node.op, ast.USub) else size
    if isinstance(node, (ast.List, ast.Tuple)):
        return [value(each) for each in node.elts]
    if isinstance(node, ast.Dict) and None not in node.keys:
        return {key(k): value(v) for k, v in zip(node.keys, node.values)}
    raise NotLiteral(node)


def key(node):
    found = value(node)
    if not isinstance(found, str):
        raise NotLiteral(node)
    return found


def call(node):
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise NotLiteral(node)
    found = {'name': node.func.id, 'positional': [], 'named': {}}
    for each in sorted([*node.args, *node.keywords], key=lambda each: (each.lineno, each.col_offset)):
        if not isinstance(each, ast.keyword):
            found['positional'].append(value(each))
        elif each.arg is None:
            raise NotLiteral(each)
        else:
            found['named'][each.arg] = value(each.value)
    return found


def place(code, line, offset):
    before = code.encode().split(b'\n')[line - 1][:offset].decode()
    return [line, len(before.encode('utf-16-le')) // 2 + 1]


def answer(code):
    try:
        compile(code, '', 'exec')  # finds what the grammar alone does not, such as a keyword that is given twice
        body = ast.parse(code).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return {'verdict': 'refused'}
    try:
        calls = [call(each.value if isinstance(each, ast.Expr) else each) for each in body]
    except NotLiteral as error:
        node = error.args[0]
        return {
            'verdict': 'not literal',
            'from': place(code, node.lineno, node.col_offset),
            'to': place(code, node.end_lineno, node.end_col_offset),
        }
    return {'verdict': 'calls', 'calls': calls}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
