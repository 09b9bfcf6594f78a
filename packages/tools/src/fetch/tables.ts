/** Markdown tables; turndown alone turns their cells into paragraphs. */
import type TurndownService from 'turndown';

interface Cell {
  readonly nodeName: string;
  readonly parentNode: Row;
}
interface Row {
  readonly nodeName: string;
  readonly childNodes: ArrayLike<Cell>;
  readonly parentNode: Row | null;
  readonly previousSibling: Row | null;
}

export function tables(turndown: TurndownService): void {
  turndown.addRule('cell', {
    filter: ['th', 'td'],
    replacement: (content) =>
      ` ${content
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join(' ')
        .replaceAll('|', '\\|')} |`,
  });
  turndown.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => {
      const row = node as unknown as Row;
      if (content.trim() === '') return '';
      const cells = Array.from(row.childNodes).filter(
        ({ nodeName }) => nodeName === 'TH' || nodeName === 'TD',
      );
      const rule = isFirst(row) ? `\n|${' --- |'.repeat(cells.length)}` : '';
      return `\n|${content}${rule}`;
    },
  });
  turndown.addRule('rows', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content });
  turndown.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` });
}

/** Whether the row is the head of its table. */
function isFirst(row: Row): boolean {
  const isRow = (each: Row) => each.nodeName === 'TR' || /^T(HEAD|BODY|FOOT)$/.test(each.nodeName);
  for (let each: Row | null = row; each !== null && each.nodeName !== 'TABLE'; each = each.parentNode) {
    for (let before = each.previousSibling; before !== null; before = before.previousSibling) {
      if (isRow(before)) return false;
    }
  }
  return true;
}
