import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runTool, useDev } from './rig.js';

const running = useDev();

describe('jmapsmith seed, of a large file', () => {
  it('creates more objects than a call takes', async () => {
    const { child } = running().dev;
    child.kill('SIGINT');
    await once(child, 'close');
    const customers = Object.fromEntries(
      Array.from({ length: 1100 }, (_, n) => [`o${n}`, { name: 'Ann' }]),
    );
    const file = JSON.stringify({ many: { objects: { Customer: customers } } });
    await running().project.write('many.json', file);
    expect(await runTool(running().project.root, ['seed', 'many.json'])).toEqual({
      stderr: '',
      code: 0,
      stdout: '1100 created, 0 updated, 0 unchanged.\n',
    });
    expect((await runTool(running().project.root, ['seed', 'many.json'])).stdout).toBe(
      '0 created, 0 updated, 1100 unchanged.\n',
    );
  });
});
