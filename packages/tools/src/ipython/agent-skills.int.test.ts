import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPythonPlace, type PythonPlace, type TriedPython } from '../../test-support/python.ts';

let place: PythonPlace;
let python: TriedPython;
before(async () => {
  place = await openPythonPlace();
  python = await place.open({ params: { plain: true } });
  if (place.any !== null) await python.run('');
});
after(async () => {
  await python.tried.close();
  place.close();
});

function withSkills(
  name: string,
  body: (run: (code: string) => Promise<string>, folder: string) => Promise<void>,
) {
  test(name, async (t) => {
    if (place.any === null) return t.skip('needs python3');
    await body(async (code) => (await python.run(code)).said, python.folder);
  });
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}|line ${from + i}`);

function placeLines(folder: string, name: string, count: number): string {
  const path = join(folder, name);
  writeFileSync(path, Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join(''));
  return path;
}

withSkills('open_file shows a file around a line, and scrolling leaves no gap', async (run, folder) => {
  const path = placeLines(folder, 'long.txt', 350);
  const shown = (text: string) => text.split('\n').slice(2, -1);
  assert.deepEqual((await run('open_file("long.txt")')).split('\n'), [
    `[${path}: 350 lines]`,
    '(beginning of the file)',
    ...numbered(1, 100),
    '(250 lines below: scroll_down() shows more)',
  ]);
  assert.deepEqual(shown(await run('scroll_down()')), numbered(101, 200));
  assert.deepEqual(shown(await run('goto_line(250)')), numbered(200, 299));
  assert.deepEqual(shown(await run('scroll_up()')), numbered(100, 199));
  assert.deepEqual((await run('open_file("long.txt", 300, context_lines=4)')).split('\n'), [
    `[${path}: 350 lines]`,
    '(297 lines above)',
    ...numbered(298, 301),
    '(49 lines below: scroll_down() shows more)',
  ]);
  const end = (await run('scroll_down()')).split('\n');
  assert.deepEqual(end.slice(2), [...numbered(251, 350), '(end of the file)']);
});

withSkills('open_file shows short and empty files', async (run, folder) => {
  placeLines(folder, 'short.txt', 2);
  assert.match(
    await run('open_file("short.txt", 2)'),
    /: 2 lines\]\n\(beginning of the file\)\n1\|line 1\n2\|line 2\n\(end of the file\)$/,
  );
  writeFileSync(join(folder, 'empty.txt'), '');
  assert.match(await run('open_file("empty.txt")'), /\(beginning of the file\)\n1\|\n\(end of the file\)$/);
});

withSkills('invalid arguments are errors that say why, and the open file stays open', async (run, folder) => {
  const path = placeLines(folder, 'open.txt', 2);
  await run('open_file("open.txt")');
  assert.match(await run('open_file("nowhere.txt")'), /FileNotFoundError: there is no file .*nowhere\.txt$/);
  assert.match(await run('open_file(".")'), /IsADirectoryError: \. is a folder, not a file$/);
  assert.match(await run('goto_line(3)'), /ValueError: line_number must be from 1 to 2, not 3$/);
  assert.match(await run('search_dir("x", "nowhere")'), /NotADirectoryError: there is no folder .*nowhere$/);
  assert.ok((await run('goto_line(1)')).startsWith(`[${path}: 2 lines]`));
});

withSkills(
  'searches find text in a file and in a folder, except in hidden and binary files, and files by name',
  async (run, folder) => {
    const inside = join(folder, 'tree/inner');
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(folder, 'tree/a.py'), 'x = 1\n  needle = 2\n');
    writeFileSync(join(inside, 'b.py'), 'needle\n');
    writeFileSync(join(inside, 'c.bin'), 'needle\0');
    writeFileSync(join(inside, '.hidden'), 'needle');
    assert.equal(
      await run('search_dir("needle", "tree")'),
      '[2 matches: "needle" in tree]\ntree/a.py:2: needle = 2\ntree/inner/b.py:1: needle',
    );
    assert.equal(await run('search_dir("nothing", "tree")'), '[no matches: "nothing" in tree]');
    assert.equal(
      await run('search_file("needle", "tree/a.py")'),
      '[1 match: "needle" in tree/a.py]\n2: needle = 2',
    );
    await run('open_file("tree/inner/b.py")');
    assert.match(await run('search_file("needle")'), /^\[1 match: .*b\.py\]\n1: needle$/);
    assert.equal(
      await run('find_file(".py", "tree")'),
      '[2 matches: files named *.py* in tree]\ntree/a.py\ntree/inner/b.py',
    );
  },
);

withSkills('a search that finds more than 100 files asks for a narrower one', async (run, folder) => {
  mkdirSync(join(folder, 'many'));
  for (let i = 0; i < 101; i += 1) writeFileSync(join(folder, `many/${i}.txt`), 'needle');
  assert.match(await run('search_dir("needle", "many")'), /^More than 100 files in many contain "needle"\./);
});

/** Has Python write an archive. */
const archive = (path: string, parts: { readonly [name: string]: string }) =>
  `import json, zipfile\nwith zipfile.ZipFile("${path}", "w") as made:\n    for name, part in json.loads(${JSON.stringify(JSON.stringify(parts))}).items(): made.writestr(name, part)`;

withSkills('the text of documents is extracted', async (run, folder) => {
  const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const paragraphs =
    '<w:p><w:r><w:t>one</w:t><w:tab/><w:t>ä</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>';
  await run(
    archive('a.docx', {
      'word/document.xml': `<w:document ${word}><w:body>${paragraphs}</w:body></w:document>`,
    }),
  );
  assert.equal(await run('parse_docx("a.docx")'), 'one\tä\ntwo');

  const office = 'http://schemas.openxmlformats.org';
  const slide = (text: string) =>
    `<x xmlns:a="${office}/drawingml/2006/main"><a:p><a:r><a:t>${text}</a:t></a:r></a:p></x>`;
  const ids = ['r2', 'r1'].map((id) => `<p:sldId r:id="${id}"/>`).join('');
  const targets = [1, 2].map((n) => `<Relationship Id="r${n}" Target="slides/slide${n}.xml"/>`).join('');
  await run(
    archive('a.pptx', {
      'ppt/presentation.xml': `<p:x xmlns:p="${office}/presentationml/2006/main" xmlns:r="${office}/officeDocument/2006/relationships">${ids}</p:x>`,
      'ppt/_rels/presentation.xml.rels': `<x>${targets}</x>`,
      'ppt/slides/slide1.xml': slide('shown last'),
      'ppt/slides/slide2.xml': slide('shown first'),
    }),
  );
  assert.equal(
    await run('parse_pptx("a.pptx")'),
    '[a.pptx, slide 1 of 2]\nshown first\n[a.pptx, slide 2 of 2]\nshown last',
  );

  writeFileSync(join(folder, 'a.tex'), '\\section{x}\n');
  assert.equal(await run('parse_latex("a.tex")'), '\\section{x}');
});

withSkills('the text of a PDF is extracted, or the error says what is missing', async (run, folder) => {
  writeFileSync(join(folder, 'a.pdf'), pdf('some words'));
  const said = await run('parse_pdf("a.pdf")');
  assert.match(
    said,
    /^\[a\.pdf, page 1 of 1\]\n\s*some words$|RuntimeError: reading a PDF requires the package pypdf/,
  );
});

/** A page with one line. */
function pdf(text: string): string {
  const drawing = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let written = '%PDF-1.4\n';
  const places = objects.map((object, i) => {
    const at = written.length;
    written += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  return `${written}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${written.length}\n%%EOF\n`;
}
