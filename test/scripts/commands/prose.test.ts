import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../support/server.js';

const THIRTY = `The server ${'now and then '.repeat(8)}answers a long call.`;

/** Texts of pages without a finding. */
const CLEAN: readonly string[] = [
  THIRTY,
  `See RFC 8620, 5.1. ${THIRTY}`,
  `The writer commits, e.g. A or B. ${THIRTY}`,
  `The code \`${'a '.repeat(40)}\` is one word.`,
  `An address is none: [page](${'a/'.repeat(40)}).`,
  '## What is supported',
  'What does the server answer?',
  '| What it is | Who |\n|---|---|\n| a page | a user |',
  '```\nWhat is code is no prose.\n```',
  'The rule is [decision 13](protocol.md#d13).',
  'The server stores blobs in S3.',
  '<!-- What a comment says. -->',
];

/** Texts of pages, the rule that each breaks, and the line of the finding. */
const FAULTS: readonly (readonly [text: string, rule: string, line: number])[] = [
  [`One.\n\nTwo. ${THIRTY.replace('long', 'very long')}`, 'sentence-length', 3],
  [`- **A list.** ${THIRTY.replace('long', 'very long')}`, 'sentence-length', 1],
  ['What is read early is kept.', 'relative-opening', 1],
  ['It waits.\nWho reads it waits too.', 'relative-opening', 2],
  ['Those that wait are told.', 'relative-opening', 1],
  ['Of those that wait one is told.', 'relative-opening', 1],
  ['| a | b |\n|---|---|\n| c | What it says. |', 'relative-opening', 3],
  ['The place of those that wait is that of the call.', 'pronoun-chain', 1],
  ['It waits for the the call.', 'repeated-word', 1],
  ['It waits (D13).', 'undefined-label', 1],
  ['The server follows decision 13.', 'undefined-label', 1],
];

const CODE = `/**
 * What a comment says.
 */
export const address = 'https://example.org'; // Returns (D13).
const pattern = /[/]/;
export const text = \`// What is code. \${address} // What is code.\`;

// Returns the first part of what is
// there. Who reads this finds a second sentence.
export const message = \`What is \${pattern} that the server says to \` + 'its user.';
`;

describe('the check of prose (scripts/check-prose.mjs)', () => {
  let folder: string;

  /** Runs the check in the folder of the files; the result has each line that names a file. */
  function check(...files: string[]) {
    const script = join(ROOT, 'scripts', 'check-prose.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, ...files], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, findings: stderr.split('\n').filter((line) => /^\S/.test(line)), stderr };
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'jmapsmith-prose-'));
    CLEAN.forEach((text, index) => {
      writeFileSync(join(folder, `clean-${index}.md`), `${text}\n`);
    });
    FAULTS.forEach(([text], index) => {
      writeFileSync(join(folder, `fault-${index}.md`), `${text}\n`);
    });
    writeFileSync(join(folder, 'code.ts'), CODE);
    mkdirSync(join(folder, 'empty'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('finds nothing in clean pages', () => {
    expect(check(...CLEAN.map((_, index) => `clean-${index}.md`))).toEqual({
      status: 0,
      findings: [],
      stderr: '',
    });
  });

  it('names the file, the line, the rule and the sentence of each fault of a page', () => {
    const { status, findings, stderr } = check(...FAULTS.map((_, index) => `fault-${index}.md`));
    expect(status).toBe(1);
    expect(findings.map((finding) => finding.split(': ')[0])).toEqual(
      FAULTS.map(([, rule, line], index) => `fault-${index}.md:${line} ${rule}`),
    );
    expect(stderr).toContain(
      '"Who" opens a relative clause; begin with the noun that acts\n    Who reads it waits too.\n',
    );
  });

  it('reads the comments and the messages of code', () => {
    const { status, findings } = check('code.ts');
    expect(status).toBe(1);
    expect(findings.map((finding) => finding.split(': ')[0])).toEqual([
      'code.ts:2 relative-opening',
      'code.ts:4 undefined-label',
      'code.ts:9 relative-opening',
      'code.ts:10 relative-opening',
    ]);
  });

  it.each(['missing.md', 'empty', 'code.css'])('refuses %s with exit code 2', (name) => {
    const { status, stderr } = check(name);
    expect(status).toBe(2);
    expect(stderr).toContain(name);
  });
});
