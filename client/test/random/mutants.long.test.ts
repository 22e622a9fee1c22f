import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../test/support/server.js';
import { sharedProject } from '../../../test/support/shared-project.js';
import { MUTANTS, type Mutant, makeMutant } from './mutants.js';

/** Seeds within which a defect is found. */
const SEEDS = 400;

/** Errors of what a mutant leaves unused. */
const UNUSED = new Set([6133, 6138, 6192, 6196]);

/** Returns the errors of the compiler in the edited file of a mutant. */
function compile(mutant: Mutant): readonly string[] {
  const { path, source } = makeMutant(mutant);
  const file = join(ROOT, 'client/tsconfig.json');
  const read = ts.readConfigFile(file, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, dirname(file));
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.readFile = (name) => (name === path ? source : readFile(name));
  const program = ts.createProgram([path], { ...options, noEmit: true }, host);
  const found = program.getSemanticDiagnostics(program.getSourceFile(path));
  const errors = found.filter(({ code }) => !UNUSED.has(code));
  return errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

/** Runs the random test on a client with a defect. */
async function runSeeds(name: string): Promise<{ code: number | null; output: string }> {
  await sharedProject();
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--no-color', '--config'];
  const child = spawn(process.execPath, [...args, 'client/test/random/mutant.config.ts'], {
    cwd: ROOT,
    env: { ...process.env, CLIENT_MUTANT: name, CLIENT_SEEDS: String(SEEDS) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

describe('the random test', () => {
  it.each(Object.values(MUTANTS))('has a defect that compiles: $rule', (mutant) => {
    expect(compile(mutant)).toEqual([]);
  });

  it.each(Object.entries(MUTANTS))('finds a client without the rule %s', async (name) => {
    const { code, output } = await runSeeds(name);
    expect(code, output).toBe(1);
    expect(output).toContain('CLIENT_SEED=');
  });
});
