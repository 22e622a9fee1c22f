import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../test/support/server.js';
import { renderPage } from '../ledger/page.js';
import { readSections } from '../ledger/requirements.js';
import { CHECKS } from '../src/checks/index.js';

const sections = readSections();
const rules = sections.flatMap((section) => section.rules);

describe('the ledger of requirements', () => {
  it('has each section once, and a name of plain words for each rule', () => {
    const names = sections.map(({ specification, number }) => `${specification} ${number}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, id } of rules) expect(name, id).toMatch(/^[a-z0-9]+([-.][a-z0-9]+)*$/);
  });

  it('covers every key word of a section, and counts none twice', () => {
    for (const { specification, number, keywords, rules: own } of sections) {
      const covered = own.reduce((sum, row) => sum + row.keywords, 0);
      // RFC 8887's key words are not counted; a section without a key word says no number.
      expect([specification, number, covered]).toEqual([
        specification,
        number,
        specification === 'RFC 8887' ? covered : (keywords ?? 0),
      ]);
    }
  });

  it('has counted the key words of the RFCs', () => {
    const total = (name: string) =>
      sections
        .filter(({ specification }) => specification === name)
        .reduce((sum, { keywords = 0 }) => sum + keywords, 0);
    const names = ['RFC 8620', 'RFC 9404', 'RFC 9425', 'RFC 9670'];
    expect(names.map(total)).toEqual([247, 30, 13, 23]);
  });

  it('has for each rule a check, a test, or a reason why there is none', () => {
    const without = rules.filter(
      ({ checks, tests, reason = '' }) => checks.length + tests.length === 0 && reason === '',
    );
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('names checks and tests that are there', () => {
    const known = new Set(CHECKS.map(({ id }) => id));
    const missing = rules.flatMap(({ id, checks, tests }) =>
      [
        ...checks.filter((check) => !known.has(check)),
        ...tests.filter((file) => !existsSync(join(ROOT, file))),
      ].map((name) => `${id}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    ['must', ['must']],
    ['should', ['must', 'should']],
  ] as const)('has for each %s with checks one of level %j', (level, levels) => {
    const strong = new Set(
      CHECKS.flatMap((one) => (levels.some((name) => name === one.level) ? [one.id] : [])),
    );
    const below = rules.filter(
      (row) =>
        row.level === level && row.checks.length > 0 && !row.checks.some((id) => strong.has(id)),
    );
    expect(below.map(({ id }) => id)).toEqual([]);
  });

  it('says every rule in a few words of our own', () => {
    for (const { id, rule } of rules) {
      expect(rule, id).toMatch(/^\S.{10,300}[.]$/s);
      // Key words in capitals are the RFC's way to say it.
      expect(rule, id).not.toMatch(/\b(MUST|SHOULD|SHALL|MAY|REQUIRED|RECOMMENDED|OPTIONAL)\b/);
    }
  });

  it('is what docs/reference/conformance.md shows', () => {
    const page = readFileSync(join(ROOT, 'docs/reference/conformance.md'), 'utf8');
    expect(page).toBe(renderPage(sections));
  });

  it.each([
    [
      '- section: RFC 1 1',
      '"RFC 1" is none of these: RFC 8620, RFC 8887, RFC 9404, RFC 9425, RFC 9670',
    ],
    ['- section: RFC 8620 1\n  rows: {}', 'RFC 8620 1: unknown key rows. Legal: section, keywords'],
    [
      '- section: RFC 8620 1\n  rules: { a: { level: can, rule: x. } }',
      'RFC 8620 1 a: "can" is none of these: must, should, may',
    ],
  ])('refuses a wrong row by name: %j', (text, words) => {
    expect(() => readSections(text)).toThrow(words);
  });
});
