import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../test/support/server.js';
import { sharedProject } from '../../../test/support/shared-project.js';
import { MUTANTS } from './mutants.js';

/** Seeds within which a defect is found. */
const SEEDS = 400;

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
  it.each(Object.entries(MUTANTS))('finds a client without the rule %s', async (name) => {
    const { code, output } = await runSeeds(name);
    expect(code, output).toBe(1);
    expect(output).toContain('CLIENT_SEED=');
  });
});
