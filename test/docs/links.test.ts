import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/server.js';

/** The pages of the repository. Templates have the links of the pages that are made from them. */
const PAGES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path.endsWith('.md') && existsSync(join(ROOT, path)))
  .filter((path) => !path.startsWith('scripts/generator/emit/pages/'));

const LINK = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

function proseOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8').replaceAll(/^```.*?^```/gms, '');
}

/** The anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return words.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
}

/** The anchors of headings, and those that the page itself has. */
function anchorsOf(path: string): ReadonlySet<string> {
  const prose = proseOf(path);
  const headings = Array.from(prose.matchAll(/^#+ (.+)$/gm), ([, text = '']) => anchorOf(text));
  const own = Array.from(prose.matchAll(/<a id="([^"]+)">/g), ([, id = '']) => id);
  return new Set([...headings, ...own]);
}

/** Returns the faults of the links of a page. */
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
