import { describe, expect, it } from 'vitest';
import { describeType } from '../../../scripts/generator/describe.js';
import { excerpt } from '../../../scripts/generator/report/excerpt.js';
import { summary } from '../../../scripts/generator/report/index.js';
import { githubLine } from '../../../scripts/generator/report/machine.js';
import { PLAIN, styleOf } from '../../../scripts/generator/report/style.js';
import { capture, createProject, thing } from './project.js';

const THING = thing('properties:\n  text: { type: string, maxLength: 9, default: "" }');
const at = { file: 'a.yaml', line: 1, column: 3 };

describe('problems', () => {
  it('are an array on stdout with --format json, empty where all is well', async () => {
    const project = await createProject({ 'things.yaml': 'capability: nonsense\n' });
    const wrong = await project.generate({ format: 'json' });
    expect(wrong).toMatchObject({ code: 2, stderr: '' });
    expect(JSON.parse(wrong.stdout)).toMatchObject([
      { code: 'bad-urn', severity: 'error', line: 1, column: 13, related: [] },
    ]);
    await project.write('capabilities/things.yaml', THING);
    expect(JSON.parse((await project.generate({ format: 'json' })).stdout)).toEqual([]);
  });

  it.each(['\n', '\r\n'])(
    'have all their places, behind characters of any width too, with %j',
    async (end) => {
      const source = `capability: urn:example:things
types:
  Thing:
    properties: { 中文: { type: string }, b: { description: "é😀", typ: string } }
    sort: [nope]
  Other: 7
`;
      const project = await createProject({
        'things.yaml': source.replaceAll('\n', end),
        'zoo.yaml': 'capability: zoo',
      });
      const { code, stdout } = await project.generate({ format: 'json' });
      expect(code).toBe(2);
      const told: { file: string; line: number; column: number; code: string }[] =
        JSON.parse(stdout);
      const places = told.map(({ file, line, column, ...each }) => [file, line, column, each.code]);
      const things = 'capabilities/things.yaml';
      // UTF-16 code units, as editors count.
      const at = (line: number, word: string) => [
        ...[things, line, 1 + (source.split('\n')[line - 1]?.indexOf(word) ?? -1)],
      ];
      expect(places).toEqual([
        [...at(4, '中文'), 'missing-default'],
        [...at(4, '中文'), 'bad-property-name'],
        [...at(4, 'b:'), 'missing-key'],
        [...at(4, 'typ:'), 'unknown-key'],
        [...at(5, 'nope'), 'unknown-property'],
        [...at(6, '7'), 'wrong-type'],
        ['capabilities/zoo.yaml', 1, 13, 'bad-urn'],
      ]);
      const github = await project.generate({ format: 'github' });
      expect(github.stdout.match(/^::error file=[^,]+,line=\d+,col=\d+/gm)).toEqual(
        places.map(([file, line, column]) => `::error file=${file},line=${line},col=${column}`),
      );
    },
  );

  it('escape what a workflow command would read as its own', () => {
    expect(githubLine({ at, code: 'x', message: '50%\n::' })).toBe(
      '::error file=a.yaml,line=1,col=3,title=x::50%25%0A::',
    );
  });

  it('warn without failing, until there are more than --max-warnings', async () => {
    const project = await createProject({
      'things.yaml': `${THING.trimEnd()}\n    sort: [text]\n`,
    });
    expect((await project.generate({ maxWarnings: 0 })).code).toBe(1);
    const run = await project.generate({ maxWarnings: 1 });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(': warning: a sort by "text"');
  });

  it('tell people five warnings and count the others, unless they set a bound', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const lines = names.map((name) => `  ${name}: { type: integer, default: 0 }`);
    const project = await createProject({
      'things.yaml': thing(`properties:\n${lines.join('\n')}\nsort: [${names.join(', ')}]`),
    });
    const short = await project.generate();
    expect(short).toMatchObject({ code: 0 });
    expect(short.stderr.match(/: warning: /g)).toHaveLength(5);
    expect(short.stderr).toMatch(/^and 2 warnings more; npm run generate -- --max-warnings 0 /m);
    const full = await project.generate({ check: true, maxWarnings: 0 });
    expect(full.stderr.match(/: warning: /g)).toHaveLength(7);
    expect(full.stderr).not.toContain('warnings more;');
    const { stdout } = await project.generate({ format: 'github' });
    expect(stdout.match(/^::warning /gm)).toHaveLength(7);
  });

  it('tell errors before warnings, each in order of place, in every format', async () => {
    const text = (length: number) =>
      thing(
        `sort: [text]\nproperties:\n  text: { type: string, maxLength: ${length}, default: "" }`,
      );
    const project = await createProject({ 'things.yaml': text(9) });
    expect((await project.generate()).code).toBe(0);
    await project.write('capabilities/things.yaml', text(5));
    const { code, stdout } = await project.generate({ format: 'json' });
    expect(code).toBe(2);
    const told: { readonly code: string; readonly line: number }[] = JSON.parse(stdout);
    expect(told.map((each) => each.code)).toEqual(['property-narrowed', 'unindexed-sort']);
    expect(told[0]?.line, 'below what is told second').toBeGreaterThan(told[1]?.line ?? 99);
    const codes = (await project.generate()).stderr.match(/^ {2}\[[a-z-]+\]/gm);
    expect(codes).toEqual(['  [property-narrowed]', '  [unindexed-sort]']);
  });

  it('count errors and warnings apart', () => {
    const error = { at, code: 'x', message: 'y' };
    const warning = { ...error, severity: 'warning' as const };
    expect(summary([error, warning, warning])).toBe('1 error, 2 warnings');
    expect(summary([error, error])).toBe('2 errors');
  });

  it('say of an unindexed search which condition would be indexed, with all it reads', async () => {
    const search = '    filter: { find: { is: text, properties: [text] } }\n';
    const project = await createProject({ 'things.yaml': `${THING.trimEnd()}\n${search}` });
    expect((await project.generate()).stderr).toContain(
      '{ is: text, properties: [text], indexed: true } keeps an index.',
    );
  });

  it('show no control characters of a descriptor, and colour on a terminal alone', () => {
    expect(excerpt('a\u001bb', at, PLAIN)).toEqual(['  1 | a\ufffdb', '    |   ^']);
    expect(styleOf({}, {})).toBe(PLAIN);
    expect(styleOf({ isTTY: true }, { NO_COLOR: '1' })).toBe(PLAIN);
    expect(styleOf({ isTTY: true }, {})).not.toBe(PLAIN);
  });
});

it('describe names every column of a search, no bounds that a format has anyway, and indexes', async () => {
  const lines = `
properties:
  a: { type: string, maxLength: 9, default: '' }
  b: { type: string, maxLength: 9, default: '' }
  at: { type: [string, 'null'], format: date }
  n: { type: integer, default: 0 }
filter:
  find: { is: text, properties: [a, b], indexed: true }
  n: { is: equals, indexed: true }
unique: [[a, n]]
indexes: [[b, n]]
`;
  const { root } = await createProject({ 'things.yaml': thing(lines) });
  const { stdout } = await capture(() => describeType({ root, name: 'Thing', format: 'text' }));
  expect(stdout).toContain('  find: text, columns a_folded, b_folded, indexed  ');
  expect(stdout).toContain('  n: equals, column n, indexed  ');
  expect(stdout).toContain('  at: string or null (date), mutable, default null  ');
  expect(stdout).toMatch(/unique:\n {2}a, n {2}\S+\nindexes:\n {2}b, n {2}\S+$/m);
});

it('describe says what a type offers and where from, and what an unknown name may mean', async () => {
  const { root } = await createProject({ 'things.yaml': THING });
  const run = await capture(() => describeType({ root, name: 'Thing', format: 'text' }));
  expect(run.stdout).toContain(
    'text: string, mutable, default "", maxLength 9  capabilities/things.yaml:5:7',
  );
  await expect(describeType({ root, name: 'Thnig', format: 'text' })).rejects.toThrow(
    'Did you mean "Thing"?',
  );
});
