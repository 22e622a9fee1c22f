import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { samplesOf } from '../../test/docs/samples.js';
import { ROOT } from '../../test/support/server.js';

const README = 'client/README.md';

const samples = samplesOf(README, readFileSync(join(ROOT, README), 'utf8')).filter(
  ({ language }) => language === 'ts',
);

/** The samples are one program, as a reader follows them: imports, then all statements. */
const program = () => {
  const lines = samples.flatMap(({ text }) => text.split('\n'));
  const isImport = (line: string) => line.startsWith('import ');
  return [...lines.filter(isImport), ...lines.filter((line) => !isImport(line))].join('\n');
};

/** Returns the compiler's messages on a file of a project beside a generated client. */
function compile(text: string): readonly string[] {
  const { config } = ts.readConfigFile(join(ROOT, 'client/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(ROOT, 'client'));
  const files = new Map([
    [join(ROOT, 'client/app.ts'), text],
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
  return ts
    .getPreEmitDiagnostics(compiled)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

it('the samples of the page compile as one program', () => {
  expect(samples.length).toBeGreaterThan(8);
  expect(compile(program())).toEqual([]);
});

it('a mistake in a sample is reported', () => {
  expect(compile(`${program()}\nme.Todo.get({ properties: ['nothing'] });`)).toEqual([
    expect.stringContaining('"nothing"'),
  ]);
});
