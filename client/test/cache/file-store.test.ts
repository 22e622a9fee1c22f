import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sqliteFile } from '../../src/cache/sqlite-store.js';
import { useTodos } from '../support/todos.js';

const served = useTodos();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-file-'));
});

afterAll(() => rm(folder, { recursive: true }));

it('A client with a file shows what it had offline, and sends what was not answered', async () => {
  const path = join(folder, 'client.db');
  const first = await served.connect({ store: sqliteFile(path) });
  const answered = first.account().Todo.create({ text: 'answered' });
  expect(await answered.result).toMatchObject({ ok: true });
  await first.sync.settled();
  const { username } = first.session;
  served.proxy().decide(() => 'drop');
  const waiting = first.account().Todo.create({ text: 'waits' });
  expect(await waiting.saved).toBe(true);
  await first.close();

  const again = await served.connect({ store: sqliteFile(path), username });
  const list = again.account().Todo.live({ sort: ['created'] });
  expect(list.getSnapshot().rows.map(({ text, $pending }) => [text, $pending])).toEqual([
    ['answered', false],
    ['waits', true],
  ]);
  served.proxy().decide(() => 'pass');
  await again.sync.settled();
  const { u1, A1 } = served.fixtures();
  const { list: stored } = await u1.get('Todo', { accountId: A1, ids: null });
  expect(stored.map(({ text }) => text).sort()).toEqual(['answered', 'waits']);
  expect(list.getSnapshot().rows.map(({ $pending }) => $pending)).toEqual([false, false]);
  await again.close();
});
