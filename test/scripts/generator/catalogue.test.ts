import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withTables } from '../../../scripts/generator/emit/pages/index.js';
import { OURS } from '../../../src/descriptor/check/foreign.js';
import { CODE_SECTIONS, CODES } from '../../../src/descriptor/codes/index.js';
import { REPOSITORY } from './project.js';

/** Where complaints about descriptors and their files are made. */
const SOURCES = ['scripts/generator', 'src/descriptor'].map((path) => join(REPOSITORY, path));
const PAGE = readFileSync(join(REPOSITORY, 'docs/reference/errors.md'), 'utf8');

/** Codes with no case in test/golden/errors, each with what tries it instead. */
const ELSEWHERE: Readonly<Record<string, RegExp>> = {
  'needs files beside descriptors: test/scripts/generator/command.test.ts': /^file-/,
  'needs hook files: test/scripts/generator/hooks': /hook/,
  'needs files of evolve/: test/scripts/generator/evolve.test.ts': /^bad-evolution$/,
  'needs a history of migrations: test/scripts/migrations':
    /^(migration-|property-(removed|not|type|without|narrowed|sealed|retargeted)|type-removed|key-changed|later-engine|database-name|singleton-changed|unique-)/,
  'needs a database: test/scripts/generator/without-git.test.ts': /^unread-database$/,
  'needs a project of an older version: test/package/upgrade.test.ts': /^moved-file$/,
  'warns and writes: golden.test.ts': /^(unindexed|unmarked|unused|unreachable)-/,
};

describe('docs/reference/errors.md', () => {
  it('has a heading for every code in the generator, and no other', () => {
    expect(Object.keys(CODES).sort()).toEqual(codes());
    expect([...entries()].sort()).toEqual(codes());
  });

  it('says what each code means, and how to accept a warning', () => {
    for (const { title, codes: rows } of CODE_SECTIONS)
      for (const { cause, wrong, right, cure, silence } of Object.values(rows)) {
        expect(cause).toMatch(/^\S.*[.]$/);
        // An example or words: an error has one of them.
        expect(wrong === undefined, cause).toBe(right === undefined);
        expect(wrong === undefined, cause).toBe(cure !== undefined);
        expect(silence !== undefined).toBe(title === 'Warnings');
      }
  });

  it('leaves out no table, and its template names no unknown one', () => {
    const tables = { a: ['| A |'] };
    expect(withTables('x\n\n{{a}}\n', tables, 'p.md')).toBe('x\n\n| A |\n');
    expect(() => withTables('x\n', tables, 'p.md')).toThrow('p.md leaves out: a.');
    expect(() => withTables('{{a}}\n{{b}}\n', tables, 'p.md')).toThrow('no table "b"');
  });

  it('names the rules that types of other servers need not follow', () => {
    expect([...OURS].filter((code) => !entries().includes(code))).toEqual([]);
  });

  it('has a golden case for every code that a descriptor alone can cause', () => {
    const told = readdirSync(join(REPOSITORY, 'test/golden/errors'))
      .map((name) => join(REPOSITORY, 'test/golden/errors', name, 'stderr.txt'))
      .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/^ {2}\[([a-z-]+)\] /gm)])
      .map(([, code]) => code);
    const expected = codes().filter((code) =>
      Object.values(ELSEWHERE).every((pattern) => !pattern.test(code)),
    );
    expect(expected.filter((code) => !told.includes(code))).toEqual([]);
  });
});

function entries(): readonly string[] {
  return [...PAGE.matchAll(/^### ([a-z-]+)$/gm)].map(([, code]) => code ?? '');
}

/** Every code that a call of `report`, a problem or a table of codes names. */
function codes(): readonly string[] {
  const found = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.startsWith('codes'))
      .flatMap((path) => codesIn(readFileSync(join(folder, path), 'utf8'))),
  );
  const findings = ['missing', 'stale', 'hand-edited', 'orphaned', 'orphaned-edited', 'foreign'];
  return [...new Set([...found, ...findings.map((word) => `file-${word}`)])].sort();
}

function codesIn(source: string): readonly string[] {
  const patterns = [
    /report\(\s*'([a-z]+(?:-[a-z]+)*)'/g,
    /code: '([a-z]+(?:-[a-z]+)*)'/g,
    /'((?:unknown|duplicate|too)-[a-z]+(?:-[a-z]+)*)'/g,
    /(?:\? |: )'(syntax)'/g,
    /BEHIND = '([a-z-]+)'/g,
  ];
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, code]) => code ?? ''));
}
