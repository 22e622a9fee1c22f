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

it('README.md links every page of docs', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  const linked = read('README.md').matchAll(/^\| \[docs\/[^\]]+\]\(docs\/([^)]+)\)/gm);
  expect(Array.from(linked, ([, page = '']) => page).sort()).toEqual(pages.sort());
});

it('docs/glossary.md has at most 25 words, in order', () => {
  const words = Array.from(read('docs/glossary.md').matchAll(/^\| (.+?) \|/gm), ([, word]) => word);
  const [, ...listed] = words;
  expect(listed).toEqual([...listed].sort());
  expect(listed.length).toBeLessThanOrEqual(25);
});
