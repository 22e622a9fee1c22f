import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server.js';

/** Every page of the repository, without those that tests of the generator expect. */
const PAGES = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((path) => path !== '' && !path.startsWith('test/golden/'))
  .filter((path) => existsSync(join(ROOT, path)));

it('finds the pages of all folders', () => {
  expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/glossary.md', 'src/README.md']));
});

it.each(PAGES)('%s links only pages and headings that exist', (page) => {
  expect(brokenLinks(page, read(page))).toEqual([]);
});

it('reports a link to no file, to no heading, and a heading with code in it as there', () => {
  const text = [
    '# A `name` (1.2)',
    '[a](#a-name-12) [b](#b) [c](none.md) [d](src/README.md#the-arrows) [e](src/README.md#e)',
    '`[f](none.md)` [g](https://example.com/x#y)',
  ].join('\n');
  expect(brokenLinks('README.md', text)).toEqual(['#b', 'none.md', 'src/README.md#e']);
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Returns the targets of a page's links that lead nowhere; other sites are not looked at. */
function brokenLinks(page: string, text: string): readonly string[] {
  const targets = Array.from(withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g), ([, to = '']) => to);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', heading] = target.split('#');
    const file = path === '' ? page : normalize(join(dirname(page), path));
    if (path !== '' && !existsSync(join(ROOT, file))) return true;
    return heading !== undefined && !headingsOf(path === '' ? text : read(file)).has(heading);
  });
}

const BLOCK = /^ *(`{3,})[\s\S]*?^ *\1/gm;

function withoutCode(text: string): string {
  return text.replace(BLOCK, '').replace(/`[^`\n]*`/g, '');
}

/** Returns the anchors that GitHub gives a page's headings. */
function headingsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replace(BLOCK, '').matchAll(/^#+ (.+)$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n += 1) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}
