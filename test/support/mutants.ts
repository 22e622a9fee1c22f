import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './server.js';

/**
 * Mutants: edits of the source that take a rule out. A test that proves the rule must fail with
 * them.
 */
export interface Mutant {
  readonly rule: string;
  /** From the root of the repository. */
  readonly file: string;
  readonly text: string;
  readonly edited: string;
  /** The test that must fail, from the root. */
  readonly test: string;
}

/** Returns the path and the text of a mutant. Throws where its edit doesn't fit any more. */
export function makeMutant({ file, text, edited }: Mutant): { path: string; source: string } {
  const path = join(ROOT, file);
  const parts = readFileSync(path, 'utf8').split(text);
  if (parts.length !== 2)
    throw new Error(`${file} has "${text}" ${parts.length - 1} times, not once.`);
  return { path, source: parts.join(edited) };
}

/** Errors of what a mutant leaves unused. */
const UNUSED = new Set([6133, 6138, 6192, 6196]);

/**
 * Returns a function that finds the errors of the compiler in the edited file of a mutant.
 * `project`: the tsconfig.json of its source.
 */
export function makeCompiler(project: string): (mutant: Mutant) => readonly string[] {
  const file = join(ROOT, project);
  const read = ts.readConfigFile(file, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, dirname(file));
  const host = ts.createCompilerHost({ ...options, noEmit: true });
  const parse = host.getSourceFile.bind(host);
  const parsed = new Map<string, ts.SourceFile | undefined>();
  return (mutant) => {
    const { path, source } = makeMutant(mutant);
    host.getSourceFile = (name, version) => {
      if (name === path) return ts.createSourceFile(name, source, version, true);
      if (!parsed.has(name)) parsed.set(name, parse(name, version));
      return parsed.get(name);
    };
    const program = ts.createProgram([path], { ...options, noEmit: true }, host);
    const found = program.getSemanticDiagnostics(program.getSourceFile(path));
    const errors = found.filter(({ code }) => !UNUSED.has(code));
    return errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
  };
}

/** Runs the test of a mutant on its source. Resolves to how it ended, and what it printed. */
export async function runMutant(
  mutant: Mutant,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--no-color', '--config'];
  const child = spawn(process.execPath, [...args, 'test/support/mutant.config.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...env, MUTANT: JSON.stringify(mutant) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}
