import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createProject, REPOSITORY, thing } from './project.js';

// The command ends its process itself: more output than a pipe holds must have been read by then.
it('the whole output of generate reaches a reader that begins late', async () => {
  const properties = Array.from({ length: 40 }, (_, n) => `  p${n}: { type: string, default: "" }`);
  const project = await createProject({
    'things.yaml': thing(['properties:', ...properties].join('\n')),
  });
  const { stdout: expected } = await project.generate({ dryRun: true });
  const child = spawn(
    process.execPath,
    [
      ...['--import', 'tsx/esm', '--conditions=jmapsmith-source', 'scripts/generate.ts'],
      ...['--dry-run', '--root', project.root],
    ],
    { cwd: REPOSITORY, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  await delay(300);
  const output = await text(child.stdout);
  expect(output.length).toBeGreaterThan(65_536);
  expect(output).toBe(expected);
  expect((await ended)[0]).toBe(0);
});
