/** The script of the page: search, filters, folding. It reads text only and creates no markup. */
export const SCRIPT = `
(() => {
  const query = document.getElementById('query');
  const found = document.getElementById('found');
  const articles = [...document.querySelectorAll('article')].map((node) => ({ node, text: node.textContent.toLowerCase(), groups: node.dataset.groups.split(' ') }));
  const chips = [...document.querySelectorAll('[data-group]')];
  let group = '';
  let hits = [];
  let at = -1;
  const mark = (words) => {
    if (!('highlights' in CSS)) return;
    CSS.highlights.delete('found');
    if (words === '') return;
    const ranges = [];
    for (const { node } of hits) {
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      for (let text = walker.nextNode(); text && ranges.length < 5000; text = walker.nextNode()) {
        const data = text.data.toLowerCase();
        if (data.length !== text.data.length) continue;
        for (let i = data.indexOf(words); i !== -1; i = data.indexOf(words, i + words.length)) {
          const range = new Range();
          range.setStart(text, i);
          range.setEnd(text, i + words.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  };
  const look = () => {
    const words = query.value.trim().toLowerCase();
    hits = articles.filter(({ text, groups }) => text.includes(words) && (group === '' || groups.includes(group)));
    const shown = new Set(hits);
    for (const each of articles) each.node.hidden = !shown.has(each);
    at = -1;
    found.textContent = words === '' && group === '' ? articles.length + ' entries' : hits.length + ' of ' + articles.length;
    mark(words);
  };
  query.addEventListener('input', look);
  query.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') { query.value = ''; look(); }
    if (event.key !== 'Enter' || hits.length === 0) return;
    at = (at + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
    const { node } = hits[at];
    const words = query.value.trim().toLowerCase();
    for (const folded of node.querySelectorAll('details')) if (words !== '' && folded.textContent.toLowerCase().includes(words)) folded.open = true;
    node.scrollIntoView({ block: 'start' });
  });
  for (const chip of chips) chip.addEventListener('click', () => {
    group = chip.dataset.group;
    for (const each of chips) each.setAttribute('aria-pressed', String(each === chip));
    look();
  });
  const folds = document.getElementById('folds');
  folds.addEventListener('click', () => {
    const open = folds.getAttribute('aria-pressed') !== 'true';
    folds.setAttribute('aria-pressed', String(open));
    for (const each of document.querySelectorAll('details')) each.open = open;
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || document.activeElement === query) return;
    event.preventDefault();
    query.focus();
  });
  look();
})();
`.trim();
