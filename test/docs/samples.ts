import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/server.js';

/**
 * The samples of README.md, examples/README.md and the pages of docs/: their fenced blocks. Other
 * tests have the pages that the generator makes of capabilities (test/reference), the guides
 * (test/guide) and the typed client's (client/test/readme.test.ts). A comment in the line above a
 * block, `<!-- sample: WORDS -->`, says what the language can't:
 *
 * - `ts`: the file that it is, from the root of a project that has the pages' descriptors
 * - `yaml`: `descriptor FILE` for a whole one that such a project has. For a part, the place where
 *   it stands (`capability`, `types`, `type` or `properties`), and the names of other types to
 *   which it refers
 * - any: `untested: REASON`
 */
export interface Sample {
  /** `docs/reference/hooks.md:25`: its first line. */
  readonly place: string;
  readonly page: string;
  readonly language: string;
  /** Words of the comment above, or "". */
  readonly words: string;
  readonly text: string;
}

const FENCE = /^ {0,3}(`{3,})(.*)$/;
const COMMENT = /^<!-- sample: (.+) -->$/;

export const PAGES: readonly string[] = [
  'README.md',
  'examples/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter(
      (path) =>
        path.endsWith('.md') &&
        !/^docs[/](?:guide[/]|reference[/]capabilities[/]|reference[/]client[-.])/.test(path),
    )
    .sort(),
];

export const SAMPLES: readonly Sample[] = PAGES.flatMap((page) =>
  samplesOf(page, readFileSync(join(ROOT, page), 'utf8')),
);

export function samplesOf(page: string, markdown: string): readonly Sample[] {
  const samples: Sample[] = [];
  const lines = markdown.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const [, fence, info = ''] = FENCE.exec(lines[at] ?? '') ?? [];
    if (fence === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
    if (end === -1) throw new Error(`${page}:${at + 1}: the block has no end.`);
    const [, words = ''] = COMMENT.exec(lines[at - 1] ?? '') ?? [];
    const text = `${lines.slice(at + 1, end).join('\n')}\n`;
    samples.push({ place: `${page}:${at + 2}`, page, language: info.trim(), words, text });
    at = end;
  }
  return samples;
}

const UNTESTED = 'untested: ';

/** Why nothing tests a sample; null where something does. */
export function reasonOf({ words }: Sample): string | null {
  return words.startsWith(UNTESTED) ? words.slice(UNTESTED.length) : null;
}

/** The samples of a language that are to be tested. */
export function testedIn(language: string): readonly Sample[] {
  return SAMPLES.filter((sample) => sample.language === language && reasonOf(sample) === null);
}

/** Whole descriptors, by the name of their file. */
export function descriptors(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    testedIn('yaml').flatMap(({ words, text }) => {
      const [, file] = /^descriptor (\S+)$/.exec(words) ?? [];
      return file === undefined ? [] : [[file, text]];
    }),
  );
}
