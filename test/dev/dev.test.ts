import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOOKS, NODE_TEST, REPORT, SHOUT } from './project.js';
import { runProgram, runTool, useDev } from './rig.js';

const running = useDev();

/** The labels of all orders, which the hook file computes. */
async function labels(): Promise<unknown[]> {
  const answer = await running().request('Order/get', { ids: null, properties: ['label'] });
  return (answer as { list: { label: string }[] }).list.map(({ label }) => label);
}

describe('jmapsmith dev', () => {
  it('serves a hook file and what that imports as they are after an edit; data stays', async () => {
    await running().request('Order/set', { create: { a: { text: 'one' } } });
    expect(await labels()).toEqual(['ONE']);
    await running().project.write('rules/shout.ts', SHOUT.replace('toUpperCase()', 'concat("!")'));
    await running().dev.until(/Restarted in [\d.]+ s: rules\/shout\.ts/);
    await running().request('Order/set', { create: { a: { text: 'two' } } });
    expect(await labels()).toEqual(['ONE', 'two!']);
  });

  it('shows a syntax error with its line, and the server goes on', async () => {
    await running().project.write(
      'capabilities/orders.hooks.ts',
      HOOKS.replace('after.total', 'after..x'),
    );
    const text = await running().dev.until(/goes on as it was/);
    expect(text).toMatch(/^capabilities\/orders\.hooks\.ts:11:\d+: \w+ expected\.$/m);
    expect(text).toContain('  11 |           if (after !== null && after..x < 0)');
    expect(await labels()).toHaveLength(2);
  });

  it('names the line at which a hook file fails to load, and the server goes on', async () => {
    const failing = HOOKS.replace('export const', 'JSON.parse("{");\nexport const');
    await running().project.write('capabilities/orders.hooks.ts', failing);
    const text = await running().dev.until(/goes on as it was/);
    expect(text).toMatch(/A hook file can't be loaded: .*capabilities[/\\]orders\.hooks\.ts:5:6/);
    expect(await labels()).toHaveLength(2);
    await running().project.write('rules/shout.ts', SHOUT);
    await running().project.write('capabilities/orders.hooks.ts', HOOKS);
    await running().dev.until(/Restarted/);
  });

  it('logs the line of the source at which a hook fails in a call', async () => {
    const failing = SHOUT.replace(
      'return',
      "if (text === 'hot') throw new Error('Spilt.');\n  return",
    );
    await running().project.write('rules/shout.ts', failing);
    await running().dev.until(/Restarted/);
    await running().request('Order/set', { create: { a: { text: 'hot' } } });
    const text = await running().dev.until(/Spilt/);
    expect(text).toMatch(/rules[/\\]+shout\.ts:2:\d+/);
    expect(text).toMatch(/capabilities[/\\]+orders\.hooks\.ts:8:\d+/);
    await running().project.write('rules/shout.ts', SHOUT);
    await running().dev.until(/Restarted/);
  });

  it.skipIf(process.platform === 'win32')('ends with all that it started', async () => {
    running().dev.child.kill('SIGINT');
    const [code] = await once(running().dev.child, 'close');
    expect(code).toBe(0);
    await expect(fetch(running().url)).rejects.toThrow('fetch failed');
  });
});

describe('jmapsmith seed', () => {
  const seed = (...args: string[]) => runTool(running().project.root, ['seed', ...args]);
  const FILE = (text: string) => `Ann's shop:
  user: ann
  objects:
    Customer:
      carl: { name: Carl }
    Order:
      tea: { text: ${text}, customerId: '#carl' }
      debt: { text: debt, total: -1 }
`;

  it('creates objects once, and updates those that the file says otherwise', async () => {
    await running().project.write('seed.yaml', FILE('tea'));
    const first = await seed('seed.yaml');
    expect(first).toEqual({
      code: 2,
      stdout: '2 created, 0 updated, 0 unchanged.\n',
      stderr: 'seed.yaml:8:7: Order debt: forbidden: A total is never negative.\n',
    });
    await running().project.write('seed.yaml', FILE('milk').replace('-1', '1'));
    expect(await seed('seed.yaml')).toMatchObject({
      code: 0,
      stdout: '1 created, 1 updated, 1 unchanged.\n',
    });
    expect((await seed('seed.yaml')).stdout).toBe('0 created, 0 updated, 3 unchanged.\n');
  });

  it('names the place of each mistake', async () => {
    await running().project.write('seed.json', '{ "a": { "objects": { "Order": { "b c": 1 } } } }');
    const { code, stderr } = await seed('seed.json');
    expect(code).toBe(2);
    expect(stderr).toMatch(/seed\.json:1:34: a creation id has .*\n.*:1:41: b c is no object/);
    await running().project.write('seed.json', '{ "a": { "objects": { "Orders": { "b": {} } } } }');
    expect((await seed('seed.json')).stderr).toContain('seed.json:1:23: Orders/get: unknownMethod');
  });
});

describe('jmapsmith/testing', () => {
  it('serves hooks in a test of node:test', async () => {
    await running().project.write('test/orders.test.mjs', NODE_TEST);
    const { code, stdout } = await runProgram(running().project.root, ['--test', 'test/']);
    expect(code, stdout).toBe(0);
  });
});

describe('jmapsmith/prisma', () => {
  it('reads, and SQLite refuses every way to write', async () => {
    const { root, write } = running().project;
    await write('reports/orders.mjs', REPORT);
    const DATABASE_FILE = join(root, 'data/jmap.db');
    const { code, stderr } = await runProgram(root, ['reports/orders.mjs'], { DATABASE_FILE });
    expect(code, stderr).toBe(0);
  });
});
