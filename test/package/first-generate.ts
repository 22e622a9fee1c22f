import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from '../support/server.js';

/** How the generator is called: as a package's own command, or by npm in this repository. */
export const CALLS = Object.freeze({
  package: [process.execPath, join(ROOT, 'bin/jmapsmith.mjs'), 'generate'],
  repository: ['npm', 'run', '-s', 'generate', '--', '--root'],
});

const RIGHT = `capability: urn:example:things
types:
  Thing:
    properties:
      text: { type: string, default: '' }
`;

/** Projects for which nothing is generated yet, and which are wrong. */
export const WRONG = Object.freeze({
  'a wrong descriptor': { 'things.yaml': 'capability: nonsense\n' },
  'a hook file with a slip': {
    'things.yaml': RIGHT,
    'things.hooks.ts': 'export const hooks = {\n',
  },
});

/**
 * The exit codes of so many runs, one after the other, each of which finds the project as it was.
 */
export async function exitCodes(
  call: keyof typeof CALLS,
  files: Readonly<Record<string, string>>,
  runs: number,
): Promise<readonly (number | null)[]> {
  const root = await mkdtemp(join(tmpdir(), 'jmapsmith-first-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'capabilities'));
  for (const [name, text] of Object.entries(files))
    await writeFile(join(root, 'capabilities', name), text);
  const codes: (number | null)[] = [];
  for (let run = 0; run < runs; run += 1) codes.push(await exitCode(call, root));
  return codes;
}

function exitCode(call: keyof typeof CALLS, root: string): Promise<number | null> {
  const [program = '', ...args] = CALLS[call];
  const [cwd, more] = call === 'package' ? [root, []] : [ROOT, [root]];
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, ...more], { cwd, stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', resolve);
  });
}
