import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { compile as compileSvelte } from 'svelte/compiler';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { samplesOf } from '../../../test/docs/samples.js';
import { ROOT } from '../../../test/support/server.js';

// The samples of the pages that show the bindings. Each is a function of a file beside the
// application; client-lists.md has samples of other languages, which readme.test.ts compiles.

const FOLDER = join(ROOT, 'examples/clients');

const DECLARATIONS = `
import type { Jmap } from '../shared/start.js';
declare const jmap: Jmap | undefined;
declare const mine: ReturnType<Jmap['account']>;
declare const Todo: ReturnType<Jmap['account']>['Todo'];
declare const done: () => boolean;
`;

/** Names that samples take as imported. */
const IMPORTS = {
  react: "import { LOADING, useLive } from '@jmapsmith/client/react';",
  vue: "import { useLive } from '@jmapsmith/client/vue'; import { ref } from 'vue';",
  solid: "import { Rows, useLive } from '@jmapsmith/client/solid';",
  svelte: '',
} as const;

type Library = keyof typeof IMPORTS;

const read = (page: string, languages: readonly string[]) =>
  samplesOf(page, readFileSync(join(ROOT, page), 'utf8')).filter(({ language }) =>
    languages.includes(language),
  );

const samplesFor = (library: Library) => [
  ...(library === 'react' ? read('docs/reference/client-lists.md', ['tsx']) : []),
  ...read(`examples/clients/${library}/README.md`, ['ts', 'tsx']),
];

function writeFile(library: Library, sample: string): string {
  const lines = sample.split('\n');
  const imports = lines.filter((line) => line.startsWith('import '));
  const rest = lines.filter((line) => !line.startsWith('import '));
  const pragma = library === 'solid' ? '/** @jsxImportSource solid-js */' : '';
  const head = imports.length > 0 ? imports : [IMPORTS[library]];
  return [pragma, ...head, DECLARATIONS, 'export function show() {', ...rest, '}'].join('\n');
}

/** Returns the compiler's messages on files of FOLDER, which need not be there. */
function compile(texts: ReadonlyMap<string, string>): readonly ts.Diagnostic[] {
  const { config } = ts.readConfigFile(join(FOLDER, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, FOLDER);
  const files = new Map([...texts].map(([name, text]) => [join(FOLDER, name), text]));
  const given = { ...options, noEmit: true, noUnusedLocals: false };
  const host = ts.createCompilerHost(given);
  const { readFile, fileExists, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, language) => {
    const own = files.get(name);
    return own === undefined
      ? getSourceFile(name, language)
      : ts.createSourceFile(name, own, language);
  };
  return ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], given, host));
}

it('the samples of the pages on React, Vue and Solid compile, and not with a mistake', () => {
  const texts = new Map<string, string>();
  for (const library of ['react', 'vue', 'solid'] as const) {
    const samples = samplesFor(library);
    expect(samples.length).toBeGreaterThan(0);
    for (const [at, { text }] of samples.entries()) {
      texts.set(`${library}/right-${at}.tsx`, writeFile(library, text));
      const mistaken = text.replace('Todo.live(', 'Todo.lively(');
      texts.set(`${library}/mistaken-${at}.tsx`, writeFile(library, mistaken));
    }
  }
  const names = compile(texts).map(({ file }) => relative(FOLDER, file?.fileName ?? ''));
  const mistaken = [...texts.keys()].filter((name) => name.includes('mistaken'));
  expect([...new Set(names)].sort()).toEqual(mistaken.sort());
});

it('the samples of the page on Svelte compile, and have the names of the application', () => {
  const samples = read('examples/clients/svelte/README.md', ['svelte']);
  expect(samples.length).toBeGreaterThan(0);
  for (const { text } of samples) expect(compileSvelte(text, {}).warnings).toEqual([]);
  const application = readFileSync(join(FOLDER, 'svelte/App.svelte'), 'utf8');
  const [, line = ''] = /^ +(const todos = .+)$/m.exec(samples[0]?.text ?? '') ?? [];
  expect(application).toContain(line);
});
