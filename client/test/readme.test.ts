import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, expect, it } from 'vitest';
import { samplesOf } from '../../test/docs/samples.js';
import { ROOT } from '../../test/support/server.js';

const README = 'client/README.md';
const INDEX = 'docs/reference/client.md';

const PAGES = readdirSync(join(ROOT, 'docs/reference'))
  .filter((name) => /^client-\w+\.md$/.test(name))
  .map((name) => `docs/reference/${name}`);

const readSamples = (page: string, wanted: string) =>
  samplesOf(page, readFileSync(join(ROOT, page), 'utf8')).filter(
    ({ language }) => language === wanted,
  );
const linesOf = (page: string) => readSamples(page, 'ts').flatMap(({ text }) => text.split('\n'));

/** The values that a page shows; the comment above is their type. */
const printedOn = (page: string) => readSamples(page, 'json');

const TYPES = `
import type { GetResponse, LiveSnapshot, Row, SetResponse, SyncSnapshot } from '@jmapsmith/client';
import type { Todo, TodoShape } from './generated/client/index.js';
export type Printed = [GetResponse<'Todo', Todo>, LiveSnapshot<Row<TodoShape>>,
  SetResponse<TodoShape>, SyncSnapshot];
`;

/** The names that the other pages of the reference take from its first sample. */
const NAMES = readSamples(INDEX, 'ts')[0]?.text.split('\n') ?? [];

/** The samples of a page are one program, as a reader follows them: imports, then statements. */
function programOf(page: string): string {
  const lines = [...(PAGES.includes(page) ? NAMES : []), ...linesOf(page)];
  const isImport = (line: string) => line.startsWith('import ');
  const imports = new Set(lines.filter(isImport));
  // No page needs all of the names.
  const used = page === README ? [] : ['export { app, connect, jmap, me, memory, mine };'];
  const printed = printedOn(page).map(
    ({ words, text }, at) => `export const printed${at}: ${words} = ${text};`,
  );
  const head = printed.length > 0 ? [TYPES, ...imports] : [...imports];
  const rest = lines.filter((line) => !isImport(line));
  return [...head, ...rest, ...used, ...printed].join('\n');
}

/** Returns the compiler's messages on files beside a generated client, by their names. */
function compile(texts: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  const { config } = ts.readConfigFile(join(ROOT, 'client/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(ROOT, 'client'));
  const pathOf = (name: string) => join(ROOT, 'client', `${name.replaceAll('/', '-')}.ts`);
  const names = new Map(Array.from(texts, ([name]) => [pathOf(name), name]));
  const files = new Map([
    ...Array.from(texts, ([name, text]) => [pathOf(name), text] as const),
    [join(ROOT, 'client/generated/client/index.ts'), "export * from '../../test/types/sample.js';"],
  ]);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.directoryExists = () => true;
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, language) => {
    const own = files.get(name);
    return own === undefined
      ? getSourceFile(name, language)
      : ts.createSourceFile(name, own, language);
  };
  const compiled = ts.createProgram([...files.keys()], { ...options, noEmit: true }, host);
  return ts.getPreEmitDiagnostics(compiled).map(({ file, messageText }) => {
    const path = file?.fileName ?? '';
    return [names.get(path) ?? path, ts.flattenDiagnosticMessageText(messageText, '\n')] as const;
  });
}

it('pages show what get, set, a list and the state are', () => {
  const types = PAGES.flatMap(printedOn).map(({ words }) => /^\w+/.exec(words)?.[0]);
  expect(types.sort()).toEqual(['GetResponse', 'LiveSnapshot', 'SetResponse', 'SyncSnapshot']);
});

const MISTAKEN = 'mistaken';
let messages: ReturnType<typeof compile>;

beforeAll(() => {
  const programs = [README, INDEX, ...PAGES].map((page) => [page, programOf(page)] as const);
  const mistake = "mine.Todo.get({ properties: ['nothing'] });";
  messages = compile(new Map([...programs, [MISTAKEN, `${programOf(README)}\n${mistake}`]]));
}, 120_000);

it.each([README, INDEX, ...PAGES])('the samples of %s compile as one program', (page) => {
  expect(linesOf(page).length).toBeGreaterThan(1);
  expect(messages.filter(([name]) => name === page)).toEqual([]);
});

it('a mistake in a sample is reported, and nothing else', () => {
  const mistake = [MISTAKEN, expect.stringContaining('"nothing"')];
  expect(messages.filter(([name]) => !name.endsWith('.md'))).toEqual([mistake]);
});
