"""The functions of V0's AgentSkills plugin, ready to call in cells: they show and search files window by window.

Names and parameters are V0's, since prompts and recorded runs call them; the wording is ours. What is not in the
standard library is imported only when it is called for.
"""

import os

__all__ = [
    'open_file',
    'goto_line',
    'scroll_down',
    'scroll_up',
    'search_dir',
    'search_file',
    'find_file',
    'parse_pdf',
    'parse_docx',
    'parse_pptx',
    'parse_latex',
]

WINDOW = 100
MOST_FILES = 100
MOST_MATCHES = 1000
LONGEST_LINE = 500

# The open file and which of its lines were shown last.
opened = {'path': None, 'first': 1, 'last': 0}


def open_file(path, line_number=1, context_lines=WINDOW):
    """Shows context_lines (at most 100) lines of a file, with line_number in the middle."""
    lines = read_lines(path)
    check_line(line_number, lines)
    opened['path'] = os.path.abspath(path)
    size = max(1, min(context_lines or WINDOW, WINDOW))
    show(lines, line_number - size // 2, size)


def goto_line(line_number):
    """Shows the open file around a line."""
    lines = read_lines(open_path())
    check_line(line_number, lines)
    show(lines, line_number - WINDOW // 2, WINDOW)


def scroll_down():
    """Shows the next 100 lines of the open file."""
    show(read_lines(open_path()), opened['last'] + 1, WINDOW)


def scroll_up():
    """Shows the previous 100 lines of the open file."""
    show(read_lines(open_path()), opened['first'] - WINDOW, WINDOW)


def search_dir(search_term, dir_path='./'):
    """Shows the lines that contain a text, in all files of a folder except hidden and binary ones."""
    found, files = [], 0
    for path in files_of(dir_path):
        matches = matches_of(search_term, path)
        files += bool(matches)
        found += [f'{path}:{number}: {line}' for number, line in matches]
        if files > MOST_FILES:
            print(
                f'More than {MOST_FILES} files in {dir_path} contain "{search_term}". '
                'Search for a longer text, or in a subfolder.'
            )
            return
    report(found, f'"{search_term}" in {dir_path}')


def search_file(search_term, file_path=None):
    """Shows the lines of a file, by default the open one, that contain a text."""
    path = file_path or open_path()
    read_lines(path)
    report([f'{number}: {line}' for number, line in matches_of(search_term, path)], f'"{search_term}" in {path}')


def find_file(file_name, dir_path='./'):
    """Shows the files in a folder whose names contain file_name."""
    report(
        [path for path in files_of(dir_path) if file_name in os.path.basename(path)],
        f'files named *{file_name}* in {dir_path}',
    )


def parse_pdf(file_path):
    """Prints the text of a PDF, page by page. Needs pypdf, PyPDF2 or pdftotext."""
    pages = pdf_pages(existing(file_path))
    print_parts(file_path, 'page', pages)


def parse_docx(file_path):
    """Prints the text of a Word document, one paragraph a line."""
    word = '{http://schemas.openxmlformats.org/wordprocessingml/2006/main}'
    breaks = {word + 'tab': '\t', word + 'br': '\n', word + 'cr': '\n'}
    root = part_of(existing(file_path), 'word/document.xml')
    for paragraph in root.iter(word + 'p'):
        print(
            ''.join(
                (each.text or '') if each.tag == word + 't' else breaks.get(each.tag, '') for each in paragraph.iter()
            )
        )


def parse_pptx(file_path):
    """Prints the text of a presentation, slide by slide."""
    draw = '{http://schemas.openxmlformats.org/drawingml/2006/main}'
    link = '{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id'
    slide_id = '{http://schemas.openxmlformats.org/presentationml/2006/main}sldId'
    path = existing(file_path)
    targets = {each.get('Id'): each.get('Target') for each in part_of(path, 'ppt/_rels/presentation.xml.rels')}
    slides = []
    for slide in part_of(path, 'ppt/presentation.xml').iter(slide_id):
        target = targets[slide.get(link)]
        root = part_of(path, target[1:] if target.startswith('/') else 'ppt/' + target)
        slides.append(
            '\n'.join(''.join(each.text or '' for each in line.iter(draw + 't')) for line in root.iter(draw + 'p'))
        )
    print_parts(file_path, 'slide', slides)


def parse_latex(file_path):
    """Prints a LaTeX file unchanged."""
    print('\n'.join(read_lines(file_path)))


def existing(path):
    if os.path.isdir(path):
        raise IsADirectoryError(f'{path} is a folder, not a file')
    if not os.path.exists(path):
        raise FileNotFoundError(f'there is no file {os.path.abspath(path)}')
    return path


def read_lines(path):
    with open(existing(path), encoding='utf-8', errors='replace') as file:
        return file.read().split('\n')


def open_path():
    if opened['path'] is None:
        raise RuntimeError('no file is open: call open_file(path) first')
    return opened['path']


def count_of(lines):
    return max(1, len(lines) - (lines[-1] == ''))


def check_line(number, lines):
    if not isinstance(number, int) or not 1 <= number <= count_of(lines):
        raise ValueError(f'line_number must be from 1 to {count_of(lines)}, not {number!r}')


def show(lines, first, size):
    count = count_of(lines)
    first = max(1, min(first, count - size + 1))
    last = min(count, first + size - 1)
    opened.update(first=first, last=last)
    above, below = first - 1, count - last
    print(f'[{opened["path"]}: {count} lines]')
    print(f'({above} lines above)' if above else '(beginning of the file)')
    for number in range(first, last + 1):
        print(f'{number}|{lines[number - 1]}')
    print(f'({below} lines below: scroll_down() shows more)' if below else '(end of the file)')


def files_of(folder):
    if not os.path.isdir(folder):
        raise NotADirectoryError(f'there is no folder {os.path.abspath(folder)}')
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith('.'))
        for name in sorted(names):
            if not name.startswith('.'):
                yield os.path.join(parent, name)


def matches_of(text, path):
    try:
        with open(path, 'rb') as file:
            content = file.read()
    except OSError:
        return []  # not readable, or removed meanwhile
    if b'\0' in content[:8192]:
        return []
    lines = content.decode('utf-8', 'replace').split('\n')
    return [(number, line.strip()[:LONGEST_LINE]) for number, line in enumerate(lines, 1) if text in line]


def report(found, what):
    print(f'[{len(found) or "no"} {"match" if len(found) == 1 else "matches"}: {what}]')
    for line in found[:MOST_MATCHES]:
        print(line)
    if len(found) > MOST_MATCHES:
        print(f'[{len(found) - MOST_MATCHES} more are omitted]')


def part_of(path, name):
    import xml.etree.ElementTree as tree
    import zipfile

    with zipfile.ZipFile(path) as file:
        return tree.fromstring(file.read(name))


def pdf_pages(path):
    import importlib
    import shutil
    import subprocess

    for name in ('pypdf', 'PyPDF2'):
        try:
            reader = importlib.import_module(name).PdfReader(path)
        except ModuleNotFoundError:
            continue
        return [page.extract_text() for page in reader.pages]
    if shutil.which('pdftotext') is None:
        raise RuntimeError(
            'reading a PDF requires the package pypdf (pip install pypdf) or the program pdftotext (poppler-utils)'
        )
    made = subprocess.run(['pdftotext', '-layout', os.path.abspath(path), '-'], stdout=subprocess.PIPE, check=True)
    return made.stdout.decode('utf-8', 'replace').rstrip('\f').split('\f')


def print_parts(path, kind, parts):
    for number, part in enumerate(parts, 1):
        print(f'[{path}, {kind} {number} of {len(parts)}]')
        print(part.rstrip())
