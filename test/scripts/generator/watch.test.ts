import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createProject, REPOSITORY, thing } from './project.js';

const THING = thing('properties:\n  text: { type: string, default: "" }');
const SCHEMAS = `
    description: Looks at it.
    account: none
    arguments: { type: object, properties: {} }
    response: { type: object, properties: {} }
`;

it('--watch generates on changes, shows errors, keeps good output, ends on SIGINT', async () => {
  const project = await createProject({ 'things.yaml': THING });
  const child = spawn(
    process.execPath,
    [
      '--conditions=jmapsmith-source',
      '--import',
      'tsx/esm',
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
  const capability = (name: string) => join(project.root, 'capabilities', name);
  await said('Watching capabilities/');
  const first = await project.read('generated/registry.ts');

  await project.write('capabilities/more.yaml', 'capability: nonsense\n');
  await said('capabilities/more.yaml:1:13: ');
  await said('nothing was written');
  expect(await project.read('generated/registry.ts')).toBe(first);

  await project.write('capabilities/more.yaml', 'capability: urn:example:more\n');
  await said('written, 0 removed');
  expect(await project.read('generated/registry.ts')).toContain('moreCapability');

  const shared = (type: string) => `A: { type: ${type} }\n`;
  await project.write('capabilities/shared/a.yaml', shared('string'));
  await project.write(
    'capabilities/more.yaml',
    'capability: urn:example:more\ntypes:\n  More:\n    properties:\n' +
      '      a: { $ref: shared/a.yaml#/A, optional: true }\n',
  );
  await said('wrote generated/shared/a.ts');
  await project.write('capabilities/shared/a.yaml', shared('boolean'));
  await said('wrote generated/shared/a.ts');
  expect(await project.read('generated/shared/a.ts')).toContain('type A = boolean;');
  await project.write('capabilities/more.yaml', 'capability: urn:example:more\n');
  await said(' removed.');

  // A burst of saves, of which the last one counts, is not a run for each.
  for (let index = 0; index < 50; index += 1)
    await project.write('capabilities/more.yaml', `capability: urn:example:more${index}\n`);
  let runs = 0;
  do {
    await said('wrote generated/more/capability.ts');
    runs += 1;
  } while (!(await project.read('generated/more/capability.ts')).includes('more49'));
  expect(runs).toBeLessThan(10);

  await rename(capability('more.yaml'), capability('other.yaml'));
  await said('removed generated/more/capability.ts');
  await said(', 3 removed.');
  expect(await project.read('generated/registry.ts')).toContain('otherCapability');

  await project.remove('capabilities/other.yaml');
  await said('removed generated/other/capability.ts');
  await said(', 3 removed.');

  await project.write('capabilities/things.yaml', `${THING}methods:\n  Thing/check:${SCHEMAS}`);
  await said('[missing-hook]');
  await said('nothing was written');
  const hooks = `import type { Hooks } from '../generated/things/hooks.js';
export const hooks: Hooks = { methods: { 'Thing/check': async () => ({}) } };\n`;
  await project.write('capabilities/things.hooks.ts', hooks);
  await said('wrote generated/things/methods.ts');
  await said(' 0 removed.');

  await project.write('evolve/0001-thing.ts', 'export const evolution = { Thing() {} };\n');
  await said('no migration stands before 0001');
  await project.remove('evolve/0001-thing.ts');
  await said(' 0 removed.');

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
        text = text.slice(at + wanted.length);
        return;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
}
