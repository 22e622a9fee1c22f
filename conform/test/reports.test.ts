import { describe, expect, it } from 'vitest';
import { CHECKS } from '../src/checks/index.js';
import { satisfying } from '../src/expected.js';
import type { Failure, Outcome, Results } from '../src/outcome.js';
import { findCauses } from '../src/report/causes.js';
import { REPORTS } from '../src/report/index.js';
import { writeSummary } from '../src/report/text.js';
import { makeVisible } from '../src/report/visible.js';

// A reader of a report finds few causes first, and signs that can be told apart.

function outcome(id: string, failure: Partial<Failure>): Outcome {
  const check = CHECKS.find((one) => one.id === id);
  if (check === undefined) throw new Error(`There is no ${id}.`);
  const whole = { message: 'It differs.', exchanges: [], ...failure };
  return { check, type: null, transport: 'http', status: 'failed', ms: 1, failure: whole };
}

const results = (outcomes: readonly Outcome[]): Results => ({
  ...{ url: 'http://a', transport: 'http', seed: 1, outcomes },
});

const wrongName = (path: string): Partial<Failure> => ({
  expected: [path, ['error', satisfying('an error invalidResultReference', () => false)]],
  actual: [path, ['error', { type: 'resultReference' }]],
});

describe('failures of one probable cause', () => {
  const outcomes = [
    outcome('get-all', { expected: 1, actual: 2 }),
    outcome('references-slash', wrongName('ids')),
    outcome('references-name', wrongName('Core')),
  ];

  it('are those whose expectation and difference are equal', () => {
    expect(findCauses(outcomes).map(({ words, outcomes: all }) => [words, all.length])).toEqual([
      ['expected "<an error invalidResultReference>", got {"type":"resultReference"}', 2],
      ['expected 1, got 2', 1],
    ]);
  });

  it('may name other ids', () => {
    const some = ['A0bcdefghijk1', 'Zyxwvutsrq27'].map((id) =>
      outcome('get-all', { expected: { list: [] }, actual: { list: [{ id }] } }),
    );
    expect(findCauses(some)).toHaveLength(1);
  });

  it.each(['text', 'html'])('come first in a report as %s, with links', (word) => {
    const told = REPORTS[word]?.(results(outcomes)) ?? '';
    expect(told).toContain('https://www.rfc-editor.org/rfc/rfc8620#section-3.7');
    expect(told.indexOf('references-name')).toBeLessThan(told.indexOf('RFC 8620 3.7:'));
    if (word === 'html') expect(told).toContain('<a href="#references-name">references-name</a>');
  });
});

it('a summary has one screen, however much failed', () => {
  const many = Array.from({ length: 200 }, (_, n) =>
    outcome('get-all', { expected: n, actual: 'x'.repeat(500) }),
  );
  const warnings = Array.from({ length: 50 }, (_, n) => `Left behind: x${n}`);
  const summary = writeSummary({ ...results(many), warnings, ended: 'The server is lost.' });
  expect(summary.split('\n').length).toBeLessThanOrEqual(24);
  expect(summary).toContain('200 failed');
  expect(summary).toContain('The run is not whole: The server is lost.');
});

const refused = (id: string): Outcome => {
  const { failure: _, ...rest } = outcome(id, {});
  return { ...rest, status: 'notApplicable', reason: 'It is refused.', isRefused: true };
};

it.each(Object.keys(REPORTS))('objects that a server refuses are counted by %s', (word) => {
  const all = results([refused('get-all'), refused('get-no-ids')]);
  const told = REPORTS[word]?.(all) ?? '';
  if (word === 'json') expect(JSON.parse(told)).toMatchObject({ refused: 2 });
  else expect(told).toContain('NOT SHOWN: 2 checks were not run, because the server refuses');
  expect(writeSummary(all)).toMatch(/^http:.*\nNOT SHOWN: 2 checks/);
  expect(REPORTS[word]?.(results([outcome('get-all', {})]))).not.toContain('NOT SHOWN');
});

it('a section has its own word where some of its objects are refused', () => {
  const { failure: _, ...rest } = outcome('get-no-ids', {});
  const passed: Outcome = { ...rest, status: 'passed' };
  const lines = REPORTS['text']?.(results([refused('get-all'), passed]))?.split('\n');
  const count = '1 not applicable (1 by objects that the server refuses)';
  expect(lines).toContain(`NOT ALL RFC 8620 5.1: 1 passed, 0 failed, ${count}`);
});

it.each([...Object.keys(REPORTS), 'summary'])('%s has no sign that a terminal obeys', (word) => {
  const bad = 'a\u001b[31mb\u009b2Jc\u007fd\u202ee';
  const one = outcome('get-all', {
    ...{ message: bad, expected: bad, actual: { [bad]: bad } },
    exchanges: [
      { request: { line: `POST ${bad}`, headers: {}, body: bad }, answer: null },
      {
        request: { line: `POST ${bad}`, headers: { bad }, body: bad },
        answer: { status: 200, headers: { bad }, body: bad },
      },
    ],
  });
  const all: Results = {
    ...results([
      { ...one, type: bad },
      { ...refused('get-no-ids'), type: bad, reason: bad },
    ]),
    ...{ url: bad, warnings: [bad], ended: bad },
  };
  const told = word === 'summary' ? writeSummary(all) : REPORTS[word]?.(all);
  expect(told).toMatch(/a\\u.*b/);
  expect(told).not.toMatch(/[^\n\P{C}]/u);
  if (word === 'json') expect(JSON.parse(told ?? '')).toMatchObject({ url: bad });
});

it('a defect of the runner is counted apart', () => {
  const defect: Outcome = { ...outcome('get-all', {}), status: 'defect' };
  const all = results([defect, outcome('get-no-ids', {})]);
  expect(REPORTS['text']?.(all)).toContain(
    '0 passed, 1 failed, 0 not applicable, 1 not done by a defect of the runner',
  );
  expect(REPORTS['junit']?.(all)).toMatch(/errors="1"/);
});

it.each([
  ['an accent of its own', 'e\u0301', 'e\\u{301}'],
  ['the letter with the accent', '\u00e9', '\u00e9'],
  ['a Cyrillic letter', '\u0430', '\\u{430}'],
  ['the Kelvin sign', '\u212a', '\\u{212A}'],
  ['a space of no width', 'a\u200bb', 'a\\u{200B}b'],
  ['a space that does not break', 'a\u00a0b', 'a\\u{A0}b'],
  ['a tab', 'a\tb', 'a\\u{9}b'],
  ['half a pair', '\ud800', '\\u{D800}'],
  ['a turn of direction', '\u202e', '\\u{202E}'],
  ['lines of ASCII', '{"a": 1}\n', '{"a": 1}\n'],
])('%s is shown so that it is told apart', (_, text, shown) => {
  expect(makeVisible(text)).toBe(shown);
});
