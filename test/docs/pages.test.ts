import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/server.js';
import { SAMPLES } from './samples.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

it('README.md shows todos.yaml as it is', () => {
  const shown = SAMPLES.find(
    ({ page, words }) => page === 'README.md' && /todos\.yaml$/.test(words),
  );
  expect(parse(shown?.text ?? '')).toEqual(parse(read('capabilities/todos.yaml')));
});

it('docs/README.md links every page of docs, of the guide and of the reference', () => {
  const pages = ['', 'guide/', 'reference/'].flatMap((folder) =>
    readdirSync(join(ROOT, 'docs', folder))
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .map((name) => `${folder}${name}`),
  );
  const linked = read('docs/README.md').matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm);
  expect(Array.from(linked, ([, page = '']) => page).sort()).toEqual(pages.sort());
});

it('docs/glossary.md has at most 25 words, in alphabetical order', () => {
  const rows = read('docs/glossary.md').matchAll(/^- \*\*(.+?)\*\*/gm);
  const listed = Array.from(rows, ([, word]) => word);
  expect(listed).toContain('descriptor');
  expect(listed).toEqual([...listed].sort());
  expect(listed.length).toBeLessThanOrEqual(25);
});

it('README.md links the three parts of docs/README.md', () => {
  const parts = Array.from(
    read('README.md').matchAll(/\]\(docs\/README\.md#(\w+)\)/g),
    ([, part]) => part,
  );
  const sections = Array.from(read('docs/README.md').matchAll(/^## (\w+)$/gm), ([, name = '']) =>
    name.toLowerCase(),
  );
  expect(parts).toEqual(sections);
});
