import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { createProject, REPOSITORY, thing } from './project.js';

const THING = thing('properties:\n  text: { type: string, default: "" }');

it('--watch generates on every change, shows errors, keeps the last good output and ends on SIGINT', async () => {
  const project = await createProject({ 'things.yaml': THING });
  const child = spawn(
    process.execPath,
    [
      '--conditions=jmapsmith-source',
      '--import',
      'tsx',
      'scripts/generate.ts',
      '--watch',
      '--root',
      project.root,
    ],
    { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const said = follow(child);
  await said('Watching capabilities/');
  const first = await project.read('generated/registry.ts');

  await project.write('capabilities/more.yaml', 'capability: nonsense\n');
  await said('capabilities/more.yaml:1:13: ');
  await said('nothing was written');
  expect(await project.read('generated/registry.ts')).toBe(first);

  await project.write('capabilities/more.yaml', 'capability: urn:example:more\n');
  await said('written, 0 removed');
  expect(await project.read('generated/registry.ts')).toContain('moreCapability');

  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
});

/** Waits until the child has said something, on either stream, behind all that was waited for. */
function follow(child: ChildProcess): (wanted: string) => Promise<void> {
  let text = '';
  let wake = (): void => undefined;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      text += String(chunk);
      wake();
    });
  return async (wanted) => {
    for (;;) {
      const at = text.indexOf(wanted);
      if (at !== -1) {
        text = text.slice(at + 1);
        return;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
}
