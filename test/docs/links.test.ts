import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server.js';

/** The pages of the repository that people write; those under `capabilities/` are emitted. */
const PAGES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path.endsWith('.md') && existsSync(join(ROOT, path)));

const LINK = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

function proseOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8').replaceAll(/^```.*?^```/gms, '');
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
}

function anchorsOf(path: string): ReadonlySet<string> {
  const headings = proseOf(path).matchAll(/^#+ (.+)$/gm);
  return new Set(Array.from(headings, ([, heading = '']) => anchorOf(heading)));
}

/** What is wrong with the links of a page. */
function complaintsOf(page: string): readonly string[] {
  return Array.from(proseOf(page).matchAll(LINK), ([, path = '', anchor]) => {
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, target))) return `${path} is not there`;
    if (anchor === undefined || !statSync(join(ROOT, target)).isFile()) return '';
    return anchorsOf(target).has(anchor) ? '' : `${path} has no #${anchor}`;
  }).filter((complaint) => complaint !== '');
}

it.each(PAGES)('%s: each link leads to a page and a heading', (page) => {
  expect(complaintsOf(page)).toEqual([]);
});
