import { basename, dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { describeType } from '../../../scripts/generator/describe.js';
import { summary } from '../../../scripts/generator/report/index.js';
import { githubLine, workspacePath } from '../../../scripts/generator/report/machine.js';
import { excerpt } from '../../../src/descriptor/report/descriptor-excerpt.js';
import { PLAIN, styleOf } from '../../../src/descriptor/report/style.js';
import { capture, createProject, thing } from './project.js';

const THING = thing('properties:\n  text: { type: string, maxLength: 9, default: "" }');
/** A type with texts of any length, sorted by each. */
function long(names: readonly string[]): string {
  const lines = names.map((name) => `  ${name}: { type: string, default: '' }`);
  return thing(`properties:\n${lines.join('\n')}\nsort: [${names.join(', ')}]`);
}

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

  it('escape characters that a workflow command would interpret', () => {
    const path = workspacePath('/w', undefined);
    expect(githubLine({ at, code: 'syntax', message: '50%\n::' }, path)).toBe(
      '::error file=a.yaml,line=1,col=3,title=syntax::50%25%0A::',
    );
  });

  it('have paths relative to the workspace of GitHub, for a project in a folder too', async () => {
    const project = await createProject({ 'things.yaml': 'capability: nonsense\n' });
    const first = async (workspace: string) => {
      vi.stubEnv('GITHUB_WORKSPACE', workspace);
      const { stdout } = await project.generate({ format: 'github' });
      vi.unstubAllEnvs();
      return /^::error file=([^,]+),/.exec(stdout)?.[1];
    };
    expect(await first(project.root)).toBe('capabilities/things.yaml');
    expect(await first(dirname(project.root))).toBe(
      `${basename(project.root)}/capabilities/things.yaml`,
    );
    expect(await first(join(project.root, 'elsewhere'))).toBe('capabilities/things.yaml');
    const related = { at, code: 'syntax', message: 'y', related: [at] } as const;
    expect(githubLine(related, workspacePath('/w/sub', '/w'))).toMatch(
      /See also sub\/a\.yaml:1:3$/,
    );
  });

  it('warn without failing, until there are more than --max-warnings', async () => {
    const project = await createProject({ 'things.yaml': long(['text']) });
    expect((await project.generate({ maxWarnings: 0 })).code).toBe(1);
    const run = await project.generate({ maxWarnings: 1 });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain(': warning: a sort by "text"');
  });

  it('fold warnings of one code into one line with all places, unless a bound is set', async () => {
    const project = await createProject({ 'things.yaml': long(['a', 'b', 'c', 'd']) });
    const short = await project.generate();
    expect(short).toMatchObject({ code: 0 });
    const [line = '', ...rest] = short.stderr.split('\n');
    expect(line).toMatch(
      /^capabilities\/things\.yaml:9:12, 9:15, 9:18, 9:21: 4 warnings, the first: /,
    );
    expect(line).toMatch(
      /: a sort by "a" .+ \[unindexed-sort\] docs\/reference\/errors\.md#unindexed-sort$/,
    );
    expect(rest).toEqual(['']);
    const full = await project.generate({ check: true, maxWarnings: 0 });
    expect(full.stderr.match(/: warning: /g)).toHaveLength(4);
    const { stdout } = await project.generate({ format: 'github' });
    expect(stdout.match(/^::warning /gm)).toHaveLength(4);
  });

  it('show errors last to people and first to programs, each in order of place', async () => {
    const text = (length: number) =>
      thing(
        `sort: [text]\nproperties:\n  text: { type: string, maxLength: ${length}, default: "" }`,
      );
    const project = await createProject({ 'things.yaml': text(9000) });
    expect((await project.generate()).code).toBe(0);
    project.release();
    await project.write('capabilities/things.yaml', text(5000));
    const { code, stdout } = await project.generate({ format: 'json' });
    expect(code).toBe(2);
    const told: { readonly code: string; readonly line: number }[] = JSON.parse(stdout);
    expect(told.map((each) => each.code)).toEqual(['property-narrowed', 'unindexed-sort']);
    expect(told[0]?.line, 'below what is told second').toBeGreaterThan(told[1]?.line ?? 99);
    const { stderr } = await project.generate();
    expect(stderr.match(/^ {2}\[[a-z-]+\]/gm)).toEqual([
      '  [unindexed-sort]',
      '  [property-narrowed]',
    ]);
    expect(stderr).toMatch(/\n1 error, 1 warning; nothing was written\.\n$/);
  });

  it('count errors and warnings apart', () => {
    const error = { at, code: 'syntax', message: 'y' } as const;
    const warning = { ...error, severity: 'warning' as const };
    expect(summary([error, warning, warning])).toBe('1 error, 2 warnings');
    expect(summary([error, error])).toBe('2 errors');
  });

  it('say of an unindexed search which condition would be indexed, with all it reads', async () => {
    const lines = long(['text']).replace('    sort: [text]\n', '');
    const search = (more: string) =>
      `    filter: { find: { is: text, properties: [text]${more} } }\n`;
    const project = await createProject({ 'things.yaml': `${lines}${search('')}` });
    expect((await project.generate()).stderr).toContain(
      'Write { is: text, properties: [text], indexed: true } to keep an index, or { is: text, ' +
        'properties: [text], indexed: false } where',
    );
    for (const answer of [', indexed: true', ', indexed: false']) {
      await project.write('capabilities/things.yaml', `${lines}${search(answer)}`);
      expect((await project.generate()).stderr, answer).toBe('');
    }
  });

  it('warn of long texts alone, and not where another filter keeps the index', async () => {
    const filters = (text: string, more: string) =>
      thing(`properties:
  text: { type: string, maxLength: ${text}, default: '' }
  n: { type: integer, default: 0 }
  tags: { setOf: string, default: {} }
filter:
  find: { property: text, is: contains }
  begin: { property: text, is: startsWith }
  n: atLeast
  tag: { property: tags, is: hasKey }${more}
sort: [n, updated]`);
    const project = await createProject({ 'things.yaml': filters('1000', '') });
    const names = async () =>
      [...(await project.generate({ maxWarnings: 9 })).stderr.matchAll(/the filter "(\w+)"/g)].map(
        ([, name]) => name,
      );
    expect(await names()).toEqual([]);
    await project.write('capabilities/things.yaml', filters('1001', ''));
    expect(await names()).toEqual(['find', 'begin']);
    const other = '\n  other: { property: text, is: startsWith, indexed: true }';
    await project.write('capabilities/things.yaml', filters('1001', other));
    expect(await names()).toEqual(['find']);
  });

  it('show no control characters of a descriptor, and colour on a terminal alone', () => {
    expect(excerpt('a\u001bb', at, PLAIN)).toEqual(['  1 | a\ufffdb', '    |   ^']);
    expect(styleOf({}, {})).toBe(PLAIN);
    expect(styleOf({ isTTY: true }, { NO_COLOR: '1' })).toBe(PLAIN);
    expect(styleOf({ isTTY: true }, {})).not.toBe(PLAIN);
  });
});

it('describe names columns of a search and indexes, but no bounds of formats', async () => {
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

it('describe names the scopes of the type’s capability', async () => {
  const scoped = `${THING}\noauthScopes: { full: things, read: things.read }\n`;
  const others = THING.replace('urn:example:things', 'urn:example:others').replace(
    'Thing:',
    'Other:',
  );
  const { root } = await createProject({ 'things.yaml': scoped, 'others.yaml': others });
  const tell = async (name: string, format: 'text' | 'json') =>
    (await capture(() => describeType({ root, name, format }))).stdout;
  expect(await tell('Thing', 'text')).toContain(
    'scopes:\n  full: things\n  read: things.read\nproperties:',
  );
  expect(await tell('Other', 'text')).not.toContain('scopes:');
  expect(JSON.parse(await tell('Thing', 'json'))).toMatchObject([
    { oauthScopes: { full: 'things', read: 'things.read' } },
  ]);
});

it('describe says what a type offers, where from, and what an unknown name means', async () => {
  const { root } = await createProject({ 'things.yaml': THING });
  const run = await capture(() => describeType({ root, name: 'Thing', format: 'text' }));
  expect(run.stdout).toContain(
    'text: string, mutable, default "", maxLength 9  capabilities/things.yaml:5:7',
  );
  await expect(describeType({ root, name: 'Thnig', format: 'text' })).rejects.toThrow(
    'Did you mean "Thing"?',
  );
});
