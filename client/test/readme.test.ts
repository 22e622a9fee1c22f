import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** Returns the compiler's messages on files of one project, beside a generated client. */
function compile(texts: Readonly<Record<string, string>>): ReadonlyMap<string, string[]> {
  const { config } = ts.readConfigFile(join(ROOT, 'client/tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, join(ROOT, 'client'));
  const files = new Map([
    ...Object.entries(texts).map(([name, text]) => [join(ROOT, 'client', name), text] as const),
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
  const messages = new Map<string, string[]>();
  for (const { file, messageText } of ts.getPreEmitDiagnostics(compiled)) {
    const name = basename(file?.fileName ?? '');
    const text = ts.flattenDiagnosticMessageText(messageText, '\n');
    messages.set(name, [...(messages.get(name) ?? []), text]);
  }
  return messages;
}

it('the samples of the page compile as one program, and a mistake in one is reported', () => {
  expect(samples.length).toBeGreaterThan(8);
  const wrong = `${program()}\nme.Todo.get({ properties: ['nothing'] });`;
  // The files share the work of the compiler, which takes seconds.
  expect([...compile({ 'app.ts': program(), 'wrong.ts': wrong })]).toEqual([
    ['wrong.ts', [expect.stringContaining('"nothing"')]],
  ]);
});
