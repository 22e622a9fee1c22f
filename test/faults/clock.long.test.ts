import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { makeToken, makeUser, useFixtures } from '../support/fixtures.js';
import { eventually } from '../support/poll.js';
import { startServer } from '../support/server.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const folder = mkdtempSync(join(tmpdir(), 'jmapsmith-clock-'));
const file = join(folder, 'offset');
afterAll(() => rmSync(folder, { recursive: true }));

/** Moves the running server's clock. */
function setClock(offset: number): void {
  writeFileSync(file, String(offset));
}
setClock(0);

const preload = new URL('clock.mjs', import.meta.url).href;
const { server, fixtures } = useFixtures(
  { env: { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file } },
  [],
);

it('a clock that steps back and forth: ids ascend, states ascend, /changes gives all', async () => {
  const { u1, A1 } = fixtures();
  const ids: string[] = [];
  const states = [Number((await u1.get('Todo', { accountId: A1, ids: [] })).state)];
  const since = String(states[0]);
  for (const offset of [0, -2 * HOUR, 3 * HOUR, -5 * DAY, 0]) {
    setClock(offset);
    const create = { a: { text: `at ${offset}` }, b: { text: `at ${offset}` } };
    const { created, newState } = await u1.set('Todo', { accountId: A1, create });
    ids.push(String(created?.['a']?.['id']), String(created?.['b']?.['id']));
    states.push(Number(newState));
  }
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  expect(states).toEqual(states.map((_, index) => Number(since) + 2 * index));
  const changes = await u1.changes('Todo', { accountId: A1, sinceState: since });
  expect([changes.created, changes.hasMoreChanges]).toEqual([ids, false]);
  // Another process, whose clock is a day behind what the one before gave out.
  const before = ids.at(-1) ?? '';
  setClock(-DAY);
  const next = await server().restart();
  const client = new Client(next.url, u1.token);
  const { created, newState } = await client.set('Todo', {
    accountId: A1,
    create: { c: { text: 'later' } },
  });
  expect(Number(newState)).toBe((states.at(-1) ?? 0) + 1);
  const after = await client.changes('Todo', { accountId: A1, sinceState: String(states.at(-1)) });
  expect(after.created).toEqual([created?.['c']?.['id']]);
  expect(before).not.toBe(after.created[0]);

  // A clock a year ahead forgets records; what is told of older states is that, not a wrong answer.
  setClock(365 * DAY);
  const ahead = await next.restart({ CHANGES_KEEP: '1d' });
  const late = new Client(ahead.url, u1.token);
  // A token of an hour has ended there, and is good again when the clock is right.
  setClock(0);
  const short = await makeToken(ahead, ['--user', 'u1', '--expires', '1h']);
  const brief = new Client(ahead.url, short);
  expect((await brief.http('/.well-known/jmap')).status).toBe(200);
  setClock(2 * HOUR);
  expect((await brief.http('/.well-known/jmap')).status).toBe(401);
  setClock(0);
  expect((await brief.http('/.well-known/jmap')).status).toBe(200);
  const again = await late.changes('Todo', { accountId: A1, sinceState: newState });
  expect([again.newState, again.created]).toEqual([newState, []]);
  await ahead.remove();
});

it('a day ahead and back: no change record and no blob is removed before its time', async () => {
  setClock(0);
  // Upkeep looks every 18 s, a tenth of what is kept.
  const env = { NODE_OPTIONS: `--import=${preload}`, CLOCK_FILE: file };
  const keeping = await startServer({ env: { ...env, BLOBS_KEEP: '3m', CHANGES_KEEP: '3m' } });
  try {
    const { client, accountId } = await makeUser(keeping);
    const { state } = await client.get('Todo', { accountId, ids: [] });
    const create = { k: { text: 'x' } };
    const { created } = await client.set('Todo', { accountId, create });
    const { blobId } = await client.upload(accountId, 'octets', 'text/plain');
    setClock(DAY);
    const logged = () =>
      expect(keeping.stderr()).toContain('clock jumped ahead: the upkeep removes nothing by it');
    await eventually(logged, 120_000);
    // Two more rounds of upkeep with the wrong clock.
    await pause(40_000);
    const late = await client.call('Todo/changes', { accountId, sinceState: state });
    setClock(0);
    expect(late[1]).toMatchObject({ type: 'cannotCalculateChanges' });
    const answer = await client.http(`/jmap/download/${accountId}/${blobId}/x`);
    expect([answer.status, answer.text]).toEqual([200, 'octets']);
    const changes = await client.changes('Todo', { accountId, sinceState: state });
    expect(changes.created).toEqual([created?.['k']?.['id']]);
  } finally {
    await keeping.remove();
  }
});
