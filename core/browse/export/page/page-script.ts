/**
 * What an exported page does by itself: it filters by a text and shows the lineage of what is selected. It builds no
 * markup from texts and loads nothing. The policy of the page names the hash of exactly this text.
 */
export const PAGE_SCRIPT = /* js */ `'use strict';
(() => {
  const root = document.documentElement;
  const field = document.querySelector('header input');
  const told = document.querySelector('header output');
  const aside = document.querySelector('aside');
  const nodes = new Map();
  for (const element of document.querySelectorAll('main [data-node]')) nodes.set(element.id, element);
  const idOf = (link) => {
    try { return decodeURIComponent(link.getAttribute('href').slice(1)); } catch { return ''; }
  };
  const sources = new Map();
  for (const line of document.querySelectorAll('main details > .sources')) {
    sources.set(line.parentElement.id, [...line.querySelectorAll('a')].map(idOf));
  }
  const sourcesOf = (id) => sources.get(id) ?? [];
  const dependents = new Map();
  for (const [id, own] of sources) {
    for (const source of own) {
      if (!dependents.has(source)) dependents.set(source, []);
      dependents.get(source).push(id);
    }
  }
  const reach = (id, step) => {
    const found = new Set();
    const waiting = [id];
    while (waiting.length > 0) {
      for (const next of step(waiting.pop())) {
        if (next === id || found.has(next)) continue;
        found.add(next);
        waiting.push(next);
      }
    }
    return [...found];
  };
  const usersOf = (id) => dependents.get(id) ?? [];
  const nameOf = (id) => nodes.get(id)?.dataset.name || id;
  const make = (tag, text, parent) => {
    const element = document.createElement(tag);
    element.textContent = text;
    element.dir = 'auto';
    parent.append(element);
    return element;
  };
  const MOST = 200;
  const list = (title, ids) => {
    make('h3', title + ' · ' + ids.length, aside);
    if (ids.length === 0) make('p', 'none', aside);
    const items = document.createElement('ul');
    aside.append(items);
    for (const id of ids.slice(0, MOST)) {
      const link = make('a', nameOf(id), make('li', '', items));
      link.href = '#' + encodeURIComponent(id);
      link.title = id;
    }
    if (ids.length > MOST) make('p', 'and ' + (ids.length - MOST) + ' more', aside);
  };
  let selected = null;
  const select = () => {
    let id = '';
    try { id = decodeURIComponent(location.hash.slice(1)); } catch {}
    const element = nodes.get(id);
    selected?.classList.remove('selected');
    selected = element ?? null;
    for (const drawing of document.querySelectorAll('svg')) drawing.classList.toggle('chosen', Boolean(element));
    if (!element) return;
    element.classList.add('selected');
    if (element.hidden) { field.value = ''; find(); }
    if (element.tagName === 'DETAILS') element.open = true;
    element.scrollIntoView({ block: 'nearest' });
    const above = reach(id, usersOf);
    const below = reach(id, sourcesOf);
    const lit = new Set([...above, ...below]);
    for (const link of document.querySelectorAll('svg a')) {
      const to = idOf(link);
      link.classList.toggle('self', to === id);
      link.classList.toggle('on', to === id || lit.has(to));
    }
    aside.replaceChildren();
    make('h2', nameOf(id), aside);
    make('p', id + (element.dataset.seen ? ' · in the window' : ''), aside);
    list('Summarised by', above);
    if (element.tagName === 'DETAILS') list('Made from', sourcesOf(id));
    const messages = below.filter((one) => nodes.get(one)?.tagName === 'ARTICLE');
    if (element.tagName === 'DETAILS' && messages.length !== sourcesOf(id).length) list('Stands for messages', messages);
  };
  addEventListener('hashchange', select);

  let texts = null;
  let hits = [];
  let at = -1;
  const highlight = (words) => {
    if (!('highlights' in CSS)) return;
    CSS.highlights.delete('found');
    if (words === '') return;
    const ranges = [];
    for (const element of hits.slice(0, 200)) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node && ranges.length < 2000; node = walker.nextNode()) {
        const text = node.data.toLowerCase();
        if (text.length !== node.data.length) continue;
        for (let i = text.indexOf(words); i >= 0 && ranges.length < 2000; i = text.indexOf(words, i + words.length)) {
          const range = new Range();
          range.setStart(node, i);
          range.setEnd(node, i + words.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  };
  const find = () => {
    const words = field.value.trim().toLowerCase();
    texts ??= [...nodes.values()].map((element) => [element, element.textContent.toLowerCase()]);
    hits = [];
    at = -1;
    for (const [element, text] of texts) {
      const isHit = words === '' || text.includes(words);
      element.hidden = !isHit;
      if (isHit) hits.push(element);
    }
    if (words !== '' && hits.length <= 20) for (const one of hits) if (one.tagName === 'DETAILS') one.open = true;
    for (const part of document.querySelectorAll('main .items')) part.parentElement.hidden = words !== '';
    told.textContent = words === '' ? '' : hits.length + ' of ' + nodes.size;
    highlight(words);
  };
  let timer = 0;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(find, 120);
  });
  addEventListener('keydown', (event) => {
    if (event.target !== field) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      field.focus();
    } else if (event.key === 'Escape') {
      field.value = '';
      find();
    } else if (event.key === 'Enter') {
      clearTimeout(timer);
      if (at < 0) find();
      if (hits.length === 0) return;
      at = (at + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
      location.hash = encodeURIComponent(hits[at].id);
    }
  });
  root.classList.add('live');
  select();
})();
`
