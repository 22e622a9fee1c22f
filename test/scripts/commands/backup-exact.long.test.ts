import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { Client } from '../../support/client.js';
import type { Item } from '../../support/json.js';
import { usePostgresql } from '../../support/postgresql.js';
import { startServer } from '../../support/server.js';
import { Workplace } from './tool.js';

/** A backup of PostgreSQL under writers, looked at row by row: is it a state that there was? */

const BACKUPS = 5;
const WRITERS = 6;

const postgresql = usePostgresql();

/** Of whichever table. */
interface Row {
  readonly accountId: string;
  readonly type: string;
  readonly number: number;
  readonly objects: number;
  readonly objectId: string;
  readonly kind: number;
  readonly id: string;
  readonly text: string;
  readonly done: boolean;
}

type Rows = readonly Row[];

/** The rows of a table in an unpacked backup. */
function rowsOf(folder: string, table: string): Rows {
  const text = readFileSync(join(folder, 'database', `${table}.ndjson`), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

function idOf(created: Readonly<Record<string, Item>>, key: string): string {
  return created[key]?.id ?? '';
}

/** Counter, change records and objects of each account say the same. */
function expectAgreement(folder: string): void {
  const states = rowsOf(folder, 'JmapState').filter(({ type }) => type === 'Todo');
  const changes = rowsOf(folder, 'JmapChange').filter(({ type }) => type === 'Todo');
  const todos = rowsOf(folder, 'Todo');
  expect(states.length).toBeGreaterThan(1);
  for (const { accountId, number, objects } of states) {
    const own = changes.filter((each) => each.accountId === accountId);
    own.sort((a, b) => a.number - b.number);
    expect(own.map((each) => each.number)).toEqual(own.map((_, index) => index + 1));
    expect(number).toBe(own.length);
    const alive = new Set<string>();
    for (const { objectId, kind } of own) {
      // Created, updated, destroyed.
      if (kind === 2) alive.delete(objectId);
      else alive.add(objectId);
    }
    const there = todos.filter((each) => each.accountId === accountId).map(({ id }) => id);
    expect(new Set(there)).toEqual(alive);
    expect(objects).toBe(alive.size);
  }
}

it('PostgreSQL: a backup under writers is one state, with all acknowledged before', async () => {
  const from = { DATABASE_URL: await postgresql().createDatabase('exact') };
  const server = await startServer({ env: from });
  const place = new Workplace();
  let over = false;
  onTestFinished(async () => {
    over = true;
    await server.remove();
    place.remove();
  });
  const accounts: string[] = [];
  for (const name of ['A', 'B'])
    accounts.push(await server.tool('scripts/account', ['create', '--name', name, '--user', 'u']));
  const token = await server.tool('scripts/token', ['create', '--user', 'u']);
  const client = new Client(server.url, token);

  /** By writer: the last round that was acknowledged. */
  const acknowledged = Array.from({ length: WRITERS }, () => -1);
  const write = async (writer: number): Promise<void> => {
    let before: Readonly<Record<string, Item>> | undefined;
    for (let round = 0; !over; round += 1) {
      const create = Object.fromEntries(
        ['a', 'b', 'c'].map((key) => [key, { text: `${writer} ${round} ${key}` }]),
      );
      const update = before === undefined ? {} : { [idOf(before, 'a')]: { done: true } };
      const destroy = before === undefined ? [] : [idOf(before, 'c')];
      const accountId = accounts[writer % 2] ?? '';
      const answer = await client.set('Todo', { accountId, create, update, destroy });
      expect(Object.keys(answer.created ?? {})).toHaveLength(3);
      before = answer.created as Readonly<Record<string, Item>>;
      acknowledged[writer] = round;
    }
  };
  const writers = acknowledged.map((_, writer) => write(writer));
  const seen: number[] = [];
  for (let number = 0; number < BACKUPS; number += 1) {
    await expect.poll(() => Math.min(...acknowledged), { timeout: 60_000 }).toBeGreaterThan(number);
    const before = [...acknowledged];
    const file = join(place.dataDir, `${number}.tar`);
    await server.tool('scripts/backup', [file]);
    const folder = join(place.dataDir, String(number));
    mkdirSync(folder);
    expect(spawnSync('tar', ['-xf', file, '-C', folder]).status).toBe(0);
    expectAgreement(folder);
    const texts = new Map(rowsOf(folder, 'Todo').map(({ text, done }) => [text, done]));
    const expected = new Map<string, boolean>();
    for (const [writer, least] of before.entries()) {
      let last = -1;
      while (texts.has(`${writer} ${last + 1} b`)) last += 1;
      expect(last).toBeGreaterThanOrEqual(least);
      for (let round = 0; round <= last; round += 1) {
        expected.set(`${writer} ${round} a`, round < last);
        expected.set(`${writer} ${round} b`, false);
      }
      expected.set(`${writer} ${last} c`, false);
    }
    expect(new Map([...texts].sort())).toEqual(new Map([...expected].sort()));
    seen.push(texts.size);
  }
  over = true;
  await Promise.all(writers);
  // Writers were at work all the time.
  expect(new Set(seen).size).toBe(BACKUPS);

  const last = join(place.dataDir, String(BACKUPS - 1));
  const to = { DATABASE_URL: await postgresql().createDatabase('exact_back') };
  const target = { ...to, BLOB_STORE: `file:${join(place.dataDir, 'blobs')}` };
  const { code } = await place.run('restore', [`${last}.tar`], target);
  expect(code).toBe(0);
  const database = new pg.Client({ connectionString: to.DATABASE_URL });
  await database.connect();
  onTestFinished(() => database.end());
  const { rows } = await database.query(`SELECT row_to_json("t") AS "row" FROM "Todo" AS "t"`);
  const order = (a: Row, b: Row): number => (a.id < b.id ? -1 : 1);
  expect(rows.map(({ row }) => row).sort(order)).toEqual([...rowsOf(last, 'Todo')].sort(order));
});
