import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../test/support/server.js';
import { CHECKS } from '../src/checks/index.js';
import { fileOf, LEDGER_BEGIN, proofOf, withLedger } from '../src/ledger.js';
import {
  keywordsOfBlobSections,
  keywordsOfSections,
  requirements,
  type Specification,
} from '../src/requirements/index.js';

/** What the ids of a specification's rows begin with. */
const PREFIXES: Readonly<Record<Specification, string>> = {
  'RFC 8620': '',
  'RFC 8887': 'W',
  'RFC 9404': 'B',
};

/** Musts that no check of level must shows, and why none can; all others have one. */
const BELOW_MUST: Readonly<Record<string, string>> = {
  '5.3 specific-errors-used': 'Which errors a type adds no descriptor says: ours are known alone.',
  '5.5 condition-by-type': 'What a condition means its type says, more than a descriptor can.',
  '7.3 types-form': 'Binds clients: what answers one that breaks it is a choice.',
  '7.3 closeafter-form': 'Binds clients: what answers one that breaks it is a choice.',
};

/** The same for shoulds, by checks of level should or must. */
const BELOW_SHOULD: Readonly<Record<string, string>> = {};

const PAGE = join(ROOT, 'docs/conformance.md');

describe('the ledger of requirements', () => {
  it('has an id for each row, which begins with its section', () => {
    const ids = requirements.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, section, spec = 'RFC 8620' } of requirements) {
      expect(id).toMatch(/^[BW]?[0-9]+([.][0-9]+)* [a-z0-9]+([-.][a-z0-9]+)*$/);
      expect(id.split(' ')[0]).toBe(`${PREFIXES[spec]}${section}`);
    }
  });

  it.each([
    ['RFC 8620 1 to 6, 7.1, 7.3 and 8', 'RFC 8620', keywordsOfSections],
    ['RFC 9404 3 to 5', 'RFC 9404', keywordsOfBlobSections],
  ] as const)('covers every key word of %s, and counts none twice', (_, name, keywords) => {
    const covered: Record<string, number> = {};
    for (const { section, spec = 'RFC 8620', keywords: count = 0 } of requirements)
      if (spec === name && count > 0) covered[section] = (covered[section] ?? 0) + count;
    expect(covered).toEqual(keywords);
  });

  it('has for each row a check, a test, or a reason why there is none', () => {
    const without = requirements.filter(
      (row) => proofOf(row) === 'reason' && (row.reason ?? '') === '',
    );
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('names checks that are there', () => {
    const known = new Set(CHECKS.map(({ id }) => id));
    const missing = requirements.flatMap(({ id, checks = [] }) =>
      checks.filter((check) => !known.has(check)).map((check) => `${id}: ${check}`),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    ['must', ['must'], BELOW_MUST],
    ['should', ['must', 'should'], BELOW_SHOULD],
  ] as const)(
    'has for each %s with checks one of level %j, which any server is run at',
    (level, levels, known) => {
      const foreign: ReadonlySet<string> = new Set(
        CHECKS.flatMap((one) => (levels.some((name) => name === one.level) ? [one.id] : [])),
      );
      const below = requirements.filter(
        (row) =>
          row.level === level &&
          (row.checks ?? []).length > 0 &&
          !row.checks?.some((id) => foreign.has(id)),
      );
      expect(below.map(({ id }) => id)).toEqual(Object.keys(known));
      // Without such a check tests of the repository prove it, and the row says so.
      for (const { id, tests = [], reason = '' } of below)
        expect([id, tests.length > 0, reason !== '']).toEqual([id, true, true]);
    },
  );

  it('names tests that are there', () => {
    const texts = new Map<string, string>();
    const missing = requirements.flatMap(({ id, tests = [] }) =>
      tests.filter((test) => !isThere(test, texts)).map((test) => `${id}: ${test}`),
    );
    // A case that becomes a check of the runner takes its place along: from `tests` to `checks`.
    expect(missing).toEqual([]);
  });

  it('says every rule in a few words of our own', () => {
    for (const { id, rule } of requirements) {
      expect(rule, id).toMatch(/^\S.{10,300}[.]$/s);
      // Key words in capitals are the RFC's way to say it.
      expect(rule, id).not.toMatch(/\b(MUST|SHOULD|SHALL|MAY|REQUIRED|RECOMMENDED|OPTIONAL)\b/);
    }
  });

  it('is what docs/conformance.md shows (npx tsx conform/src/write-ledger.ts)', () => {
    const page = readFileSync(PAGE, 'utf8');
    expect(page).toContain(LEDGER_BEGIN);
    expect(page).toBe(withLedger(page, requirements));
  });
});

/** A file, and a part of a title in it, quoted as the source has it. */
function isThere(test: string, texts: Map<string, string>): boolean {
  const file = fileOf(test);
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  const title = test.slice(file.length + ' > '.length);
  const text = texts.get(file) ?? readFileSync(path, 'utf8');
  texts.set(file, text);
  return text.includes(title) || text.includes(title.replaceAll("'", "\\'"));
}
