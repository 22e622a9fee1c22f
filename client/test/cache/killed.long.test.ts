import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixtures, makeFixtures } from '../../../test/support/fixtures.js';
import { ROOT, type RunningServer, startServer } from '../../../test/support/server.js';
import { sqliteFile } from '../../src/cache/sqlite-store.js';
import { connect, memory } from '../../src/index.js';
import { todos } from '../support/schema.js';

/** How often the server is killed. */
const KILLS = Number(process.env['CLIENT_KILLS'] ?? 200);

let server: RunningServer;
let fixtures: Fixtures;
let folder: string;

beforeAll(async () => {
  server = await startServer();
  fixtures = await makeFixtures(server, []);
  folder = await mkdtemp(join(tmpdir(), 'client-killed-'));
});
afterAll(async () => {
  await server?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function readTexts(): Promise<readonly string[]> {
  const { token } = fixtures.u1;
  const client = await connect(todos, { url: server.url, token });
  const { list } = await client.account().Todo.get();
  await client.close();
  return list.map(({ text }) => text).sort();
}

describe('a write', () => {
  it('is made once, where the server is killed before or behind its commit', async () => {
    const { token } = fixtures.u1;
    const client = await connect(todos, { url: server.url, token, store: memory() });
    await client.sync.settled();
    const made: string[] = [];
    for (let round = 0; round < KILLS; round += 1) {
      const text = `killed ${String(round).padStart(3, '0')}`;
      const { result } = client.account().Todo.create({ text });
      await delay(Math.random() * 40);
      await server.kill();
      server = await server.restart();
      await client.sync.settled();
      expect(await result).toMatchObject({ ok: true });
      made.push(text);
    }
    await client.close();
    expect(await readTexts()).toEqual(made);
  });

  it('is sent at the next start, where the program is killed once it is saved', async () => {
    const program = join(ROOT, 'node_modules', `.client-writer-${process.pid}.mjs`);
    await build({
      ...{ entryPoints: [join(ROOT, 'client/test/cache/writer.ts')], outfile: program },
      ...{ bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' },
      external: ['better-sqlite3', 'ws'],
    });
    const { token } = fixtures.u1;
    const before = await readTexts();
    const file = join(folder, 'client.db');
    const texts = Array.from({ length: 5 }, (_, at) => `saved ${at}`);
    for (const text of texts) {
      const args = [program, server.url, token, file, text];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const closed = once(child, 'close');
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await closed;
    }
    await rm(program);
    const store = sqliteFile(file);
    const username = 'u1';
    const client = await connect(todos, { url: server.url, token, username, store });
    const shown = client.account().Todo.live().getSnapshot().rows;
    expect(shown.map(({ text }) => text)).toEqual(expect.arrayContaining(texts));
    await client.sync.settled();
    await client.close();
    expect(await readTexts()).toEqual([...before, ...texts].sort());
  });
});
