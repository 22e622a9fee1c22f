import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verify } from '../../../scripts/backup/manifest.js';
import { Progress } from '../../../scripts/backup/progress.js';
import { openDatabase } from '../../../src/database/sqlite/index.js';
import { Client } from '../../support/client.js';
import { registry } from '../../support/registry.js';
import { type RunningServer, startServer, useServer } from '../../support/server.js';
import { Workplace } from './tool.js';

const types = registry.flatMap(({ dataTypes }) => dataTypes.map(({ name }) => name));
const server = useServer();
const place = new Workplace();
const elsewhere = new Workplace();
const file = join(elsewhere.dataDir, 'backup.tar');
/** The machine may be busy. */
const PATIENT = { timeout: 100_000 };
const progress = (): Progress => new Progress('test');

let account: string;
let client: Client;
let restored: RunningServer | undefined;

beforeAll(async () => {
  const create = ['create', '--name', 'A', '--user', 'u'];
  account = await server().tool('scripts/account', create);
  const token = await server().tool('scripts/token', ['create', '--user', 'u']);
  client = new Client(server().url, token);
});

afterAll(async () => {
  await restored?.kill();
  place.remove();
  elsewhere.remove();
});

/** Writes objects and blobs until it is told to stop; what it was answered. */
function write() {
  const todos = new Map<string, string>();
  const blobs = new Map<string, Buffer>();
  let over = false;
  const turn = async (writer: number): Promise<void> => {
    for (let round = 0; !over; round += 1) {
      const text = `${writer}-${round}`;
      const { created } = await client.set('Todo', {
        accountId: account,
        create: { k: { text } },
      });
      todos.set(String(created?.['k']?.['id']), text);
      const octets = Buffer.alloc(round % 5 === 0 ? 300_000 : round, text);
      blobs.set((await client.upload(account, octets, 'text/plain')).blobId, octets);
    }
  };
  const all = [turn(0), turn(1), turn(2)];
  const stop = async (): Promise<void> => {
    over = true;
    await Promise.all(all);
  };
  return { todos, blobs, stop };
}

describe('backup and restore', () => {
  it('copies acknowledged writes under writers; a client ahead synchronises again', async () => {
    const writers = write();
    onTestFinished(writers.stop);
    await expect.poll(() => writers.blobs.size, PATIENT).toBeGreaterThan(20);
    const [todos, blobs] = [new Map(writers.todos), new Map(writers.blobs)];
    const line = await server().tool('scripts/backup', [file]);
    const seen = writers.todos.size;
    await expect.poll(() => writers.todos.size, PATIENT).toBeGreaterThan(seen);
    await writers.stop();
    expect(line).toMatch(/^\S+backup\.tar: .+, verified; database .+, \d+ blobs of .+$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(elsewhere.dataDir)).toEqual(['backup.tar']);
    const states = new Map<string, string>();
    for (const type of types) {
      states.set(type, (await client.get(type, { accountId: account, ids: [] })).state);
    }

    const { code, stdout } = await place.run('restore', [file]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^database \S+jmap\.db; \d+ blobs of /),
      'All states that clients hold are refused from now on: they synchronise anew.',
    ]);
    restored = await startServer({ dataDir: place.dataDir });
    const back = new Client(restored.url, client.token);
    const { list } = await back.get('Todo', { accountId: account, ids: [...todos.keys()] });
    expect(new Map(list.map(({ id, text }) => [id, text]))).toEqual(todos);
    for (const [blobId, octets] of blobs) {
      const { text, status } = await back.http(`/jmap/download/${account}/${blobId}/x`);
      expect([status, text === octets.toString()], blobId).toEqual([200, true]);
    }
    // Writes acknowledged after the copy are not there, and no state of then is answered.
    for (const [type, state] of states) {
      for (const sinceState of [state, '0', '1']) {
        const [, refused] = await back.call(`${type}/changes`, { accountId: account, sinceState });
        expect(refused, `${type} ${sinceState}`).toMatchObject({ type: 'cannotCalculateChanges' });
      }
    }
    const all = await back.get('Todo', { accountId: account, ids: null });
    expect(all.list.length).toBeLessThan(writers.todos.size);
    const { created } = await back.set('Todo', {
      accountId: account,
      create: { k: { text: 'new' } },
    });
    const since = { accountId: account, sinceState: all.state };
    expect((await back.changes('Todo', since)).created).toEqual([created?.['k']?.['id']]);
    await restored.stop();
  });

  it('refuses a file, a folder and a place that are there or are not', async () => {
    const run = (name: string, argument: string) => elsewhere.run(name, [argument]);
    const missing = join(elsewhere.dataDir, 'no', 'b.tar');
    const [there, folder, noFolder, full, none] = await Promise.all([
      server().command('scripts/backup', [file]),
      server().command('scripts/backup', [elsewhere.dataDir]),
      server().command('scripts/backup', [missing]),
      place.run('restore', [file]),
      run('restore', missing),
    ]);
    expect(there).toMatchObject({ code: 2, stderr: expect.stringContaining('is there already') });
    expect(folder).toMatchObject({ code: 2, stderr: expect.stringContaining('is a folder') });
    expect(noFolder).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no folder'),
    });
    expect(full).toMatchObject({ code: 2, stderr: expect.stringMatching(/not empty.+jmap\.db/) });
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no such file') });
  });

  it('refuses a file that is cut off or changed anywhere, and leaves the place empty', async () => {
    const whole = readFileSync(file);
    const damaged = join(elsewhere.dataDir, 'damaged.tar');
    const refused = async (octets: Uint8Array, what: string): Promise<void> => {
      writeFileSync(damaged, octets);
      await expect(verify(damaged, progress()), what).rejects.toThrow(/can't be restored from: /);
    };
    for (let part = 0; part < 40; part += 1) {
      const at = Math.floor((whole.length * part) / 40);
      await refused(whole.subarray(0, at), `cut at ${at}`);
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(at) ^ 4, at);
      await refused(changed, `changed at ${at}`);
    }
    for (const back of [1, 512, 1024, 1025, 1536, 2048, 2560, 3000]) {
      await refused(whole.subarray(0, -back), `without the last ${back}`);
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(whole.length - back) ^ 1, whole.length - back);
      await refused(changed, `changed ${back} before the end`);
    }
    await refused(Buffer.concat([whole, Buffer.alloc(512)]), 'longer');
    await refused(Buffer.from('{}'), 'something else');
    const empty = new Workplace();
    const { code, stderr } = await empty.run('restore', [damaged]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("can't be restored from")]);
    expect(readdirSync(empty.dataDir)).toEqual([]);
    empty.remove();
  });

  it('takes a database of whatever version, and refuses to restore one of a newer', async () => {
    const newer = new Workplace();
    await newer.lines('account', 'create', '--name', 'A');
    const db = openDatabase({ file: newer.file });
    db.exec(`INSERT INTO "_prisma_migrations" ("id", "checksum", "finished_at", "migration_name")
      VALUES ('x', 'x', 1, '9999_later')`);
    db.close();
    const later = join(newer.dataDir, 'later.tar');
    expect(await newer.run('backup', [later])).toMatchObject({ code: 0 });
    const empty = new Workplace();
    const { code, stderr } = await empty.run('restore', [later]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('9999_later')]);
    expect(readdirSync(empty.dataDir)).toEqual([]);
    empty.remove();
    newer.remove();
  });
});
