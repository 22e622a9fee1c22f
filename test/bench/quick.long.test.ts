import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/poll.js';
import { ROOT } from '../support/server.js';

/** Runs the benchmark in a process group of its own. */
function start(...args: readonly string[]): { child: ChildProcess; readOutput: () => string } {
  const child = spawn(process.execPath, ['--import', 'tsx', 'bench/index.ts', '--quick', ...args], {
    cwd: ROOT,
    // The runner of tests sets it, to its own.
    env: { ...process.env, BASE_URL: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // A test that fails meanwhile leaves nothing behind.
  onTestFinished(() => {
    if (anyLeft(child.pid ?? 0)) process.kill(-(child.pid ?? 0), 'SIGKILL');
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  return { child, readOutput: () => text };
}

/** Whether any process of the group is there. */
function anyLeft(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

test('a quick run measures every server and job, stores figures, leaves no process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'figures.json');
  const { child, readOutput: told } = start('--out', file);
  const [code] = (await once(child, 'close')) as [number];
  expect(code, told()).toBe(0);
  expect(told()).toContain('| job | of | against | at least | ratio: min / median / max | met |');
  const { jobs, peakRssMB } = JSON.parse(await readFile(file, 'utf8')) as {
    jobs: Record<string, Record<string, { perSecond: number }[]>>;
    peakRssMB: Record<string, number>;
  };
  expect(Object.keys(peakRssMB)).toHaveLength(14);
  expect(Object.keys(jobs['create 1'] ?? {}).sort()).toEqual(
    ['express', 'express-prisma', 'fastify', 'fastify-pg', 'fastify-shared', 'jmapsmith'].concat(
      'jmapsmith-pg',
    ),
  );
  // The process that runs TypeScript has a helper, which ends with it, a moment later.
  await eventually(() => expect(anyLeft(child.pid ?? 0)).toBe(false));
});

test('an interrupted run ends the servers that it has started', async () => {
  const { child, readOutput: told } = start('--servers', 'fastify,express');
  const closed = once(child, 'close');
  await eventually(() => expect(told()).toContain('round 1'), 200_000);
  child.kill('SIGINT');
  const [code] = (await closed) as [number];
  expect(code).toBe(1);
  expect(told()).toContain('ended by SIGINT');
  // The process that runs TypeScript has a helper, which ends with it, a moment later.
  await eventually(() => expect(anyLeft(child.pid ?? 0)).toBe(false));
});
