import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDescriptor } from '../../../src/descriptor/parse.js';
import { Random } from '../../support/random.js';
import { createProject } from './project.js';
import { FILE, judge, mutated, sound, texts } from './random/texts.js';

const { seed } = Random.fromEnvironment();
const HEAD = 'capability: urn:example:a\n';

describe(`any text of a descriptor (TEST_SEED=${seed})`, () => {
  it('random text is reported with place and code, and never throws', () => {
    fc.assert(fc.property(texts, sound), { seed, numRuns: 100 });
  });

  it('valid descriptors that were changed at random are reported, and never throw', () => {
    fc.assert(fc.property(mutated, sound), { seed, numRuns: 12 });
  });
});

it('an object among the values of a unique text is reported, and never throws', () => {
  const source = type(
    'properties: { a: { type: string, enum: [{ b: c }, d], default: d, unique: true } }\n',
  );
  sound(source);
  expect(judge(source).map(({ code }) => code)).toEqual(['bad-enum-value']);
});

const many = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('');
/** Returns the line of a property that is computed from the next one. */
const computedFromNext = (index: number) =>
  `  p${index}: { type: string, access: serverSet, default: '', ` +
  `computed: { from: [p${index + 1}] } }\n`;
const type = (lines: string) => `${HEAD}types:\n  T:\n${lines.replace(/^(?=.)/gm, '    ')}`;

/** Each took minutes, or ended the process, before something bounded it. */
const BOMBS: readonly (readonly [what: string, code: string, source: string])[] = [
  ['brackets', 'too-deep', `${HEAD}session: ${'['.repeat(3_000)}`],
  ['braces', 'too-deep', `${HEAD}session: ${'{a: '.repeat(3_000)}${'}'.repeat(3_000)}`],
  ['lists within lists', 'too-deep', '- '.repeat(3_000)],
  ['a text of millions of characters', 'too-deep', `${HEAD}description: ${'x'.repeat(4_000_001)}`],
  [
    'aliases of aliases',
    'too-deep',
    `${HEAD}session:\n  a0: &a0 [x, x]\n` +
      `${many(30, (i) => `  a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`)}`,
  ],
  ['an alias within its own anchor', 'syntax', 'a: &a [*b]\n'],
  ['unknown keys by the thousand', 'unknown-key', HEAD + many(3_000, (i) => `k${i}: 1\n`)],
  ['one key by the thousand', 'duplicate-key', HEAD + many(5_000, () => 'session: {}\n')],
  [
    'names by the thousand',
    'unknown-property',
    type(
      "properties: { a: { type: string, default: '' } }\nrequired: " +
        `[${many(5_000, (i) => `x${i},`)}]\n`,
    ),
  ],
  [
    'definitions in a chain',
    'too-deep',
    `${HEAD}$defs:\n${many(1_500, (i) => `  d${i}: { $ref: '#/$defs/d${i + 1}' }\n`)}`,
  ],
  [
    'properties computed in a chain',
    'over-limit',
    type(`properties:\n${many(1_000, computedFromNext)}`),
  ],
  [
    'a pattern of thousands of groups',
    'out-of-range',
    type(
      "properties: { a: { type: string, default: '', pattern: " +
        `'${'(a|b'.repeat(2_000)}${')*'.repeat(2_000)}' } }\n`,
    ),
  ],
];

describe('the cost of a hostile descriptor is bounded:', () => {
  it.each(BOMBS)('%s (%s)', (_what, code, source) => {
    const found = judge(source);
    expect(found.map((problem) => problem.code)).toContain(code);
    expect(found.length).toBeLessThanOrEqual(2_001);
    expect(JSON.stringify(found).length).toBeLessThan(10_000_000);
  });

  it('many aliases of one anchor are read at once', () => {
    expect(judge(`${HEAD}session:\n  a: &a 1\n  b: [${many(5_000, () => '*a,')}]\n`)).toEqual([]);
  });

  it('an anchor that is given twice is the last one before the alias', () => {
    const { root } = parseDescriptor(FILE, 'a: &x [&y 1]\nb: &y 2\nc: *x\nd: *y\n');
    expect(JSON.stringify(root?.value)).toBe('{"a":[1],"b":2,"c":[1],"d":2}');
  });
});

it('the command reports them in lines, with exit code 2', async () => {
  const project = await createProject({ 'deep.yaml': '['.repeat(3_000) });
  await writeFile(join(project.root, 'capabilities/octets.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
  const { code, stderr } = await project.generate();
  expect(code).toBe(2);
  expect(stderr).toMatch(/^capabilities\/deep\.yaml:1:\d+: the descriptor nests too deeply/m);
  expect(stderr).toContain('capabilities/octets.yaml:1:1: the file is not UTF-8.');
  expect(stderr).toMatch(/^2 errors; nothing was written\.$/m);
});
