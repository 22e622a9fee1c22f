import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { migrate, openDatabase } from '../../../src/database/sqlite/index.js';
import { temporaryFolder } from '../../database/folder.js';
import { Client } from '../../support/client.js';
import { EventStream } from '../../support/event-source.js';
import { makeUser } from '../../support/fixtures.js';
import type { JsonMap } from '../../support/json.js';
import { ROOT, startServer } from '../../support/server.js';
import { SocketClient } from '../../support/socket-client.js';
import { BUILD_TIMEOUT, buildTools, Workplace } from './tool.js';

beforeAll(buildTools, BUILD_TIMEOUT);

const MIGRATIONS = join(ROOT, 'prisma/sqlite/migrations');

/** The file of a lock stays, empty: it means nothing. */
const LOCK = ['jmap.db.lock'];
const PUSH = { types: '*', closeafter: 'no', ping: '0' };

/** The state of to-dos that an event tells. */
function stateOf(data: JsonMap, accountId: string): unknown {
  const changed = data['changed'] as Readonly<Record<string, JsonMap>> | undefined;
  return changed?.[accountId]?.['Todo'];
}

describe('restore', () => {
  it('of the backup of an older version migrates it', async () => {
    const [older, place] = [new Workplace(), new Workplace()];
    const [first = '', ...later] = readdirSync(MIGRATIONS).filter((name) => /^\d/.test(name));
    const folder = temporaryFolder();
    cpSync(join(MIGRATIONS, first), join(folder, first), { recursive: true });
    const db = openDatabase({ file: older.file });
    migrate(db, folder);
    db.exec(`INSERT INTO "JmapUser" ("id", "name", "created") VALUES ('u1', 'alice', 1)`);
    db.exec(
      `INSERT INTO "JmapAccount" ("id", "name", "ownerId", "created")
        VALUES ('a1', 'Old', 'u1', 1)`,
    );
    db.exec(
      `INSERT INTO "JmapAccess" ("accountId", "userId", "readOnly") VALUES ('a1', 'u1', false)`,
    );
    db.exec(`INSERT INTO "JmapState" ("accountId", "type", "number") VALUES ('a1', 'Todo', 7)`);
    db.close();
    const file = join(older.dataDir, 'b.tar');
    expect(await older.run('backup', [file])).toMatchObject({ code: 0 });
    const { code, stdout } = await place.run('restore', [file]);
    expect([code, stdout.split('\n').filter((line) => line.startsWith('applied'))]).toEqual([
      0,
      later.map((name) => `applied ${name}`),
    ]);
    const server = await startServer({ dataDir: place.dataDir });
    try {
      const token = await server.tool('scripts/token', ['create', '--user', 'alice']);
      const client = new Client(server.url, token);
      const [, changes] = await client.call('Todo/changes', { accountId: 'a1', sinceState: '7' });
      expect(changes).toMatchObject({ type: 'cannotCalculateChanges' });
      const { created } = await client.set('Todo', {
        accountId: 'a1',
        create: { k: { text: 'new' } },
      });
      expect(created).toHaveProperty('k');
    } finally {
      await server.kill();
      older.remove();
      place.remove();
    }
  });

  it.skipIf(process.platform === 'win32')(
    'leaves the place empty if the disk is full',
    async () => {
      const [origin, place] = [new Workplace(), new Workplace()];
      await origin.lines('account', 'create', '--name', 'A');
      const file = join(origin.dataDir, 'b.tar');
      expect(await origin.run('backup', [file])).toMatchObject({ code: 0 });
      // The limit on the size of files is the disk that any user can fill.
      for (const blocks of [50, 200]) {
        const args = ['-c', `ulimit -f ${blocks}; exec "$0" dist/scripts/restore.js "$1"`];
        const { status, stderr } = spawnSync('/bin/sh', [...args, process.execPath, file], {
          cwd: ROOT,
          encoding: 'utf8',
          env: { PATH: process.env['PATH'] ?? '', DATA_DIR: place.dataDir },
        });
        expect([status, stderr], `${blocks}`).toEqual([
          2,
          expect.stringMatching(/restore: Nothing is restored: .+\n$/),
        ]);
        const left = readdirSync(place.dataDir, { recursive: true, withFileTypes: true });
        expect(left.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual(LOCK);
      }
      expect(await place.run('restore', [file])).toMatchObject({ code: 0 });
      origin.remove();
      place.remove();
    },
  );

  it('restores to a folder behind a link, on another file system, for known clients', async () => {
    const origin = await startServer();
    const place = new Workplace();
    const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
    const real = mkdtempSync(join(memory, 'jmapsmith-test-'));
    const link = join(place.dataDir, 'link');
    symlinkSync(real, link);
    try {
      const { accountId, client } = await makeUser(origin);
      const add = async (to: Client, text: string): Promise<string> => {
        const { newState } = await to.set('Todo', { accountId, create: { k: { text } } });
        return String(newState);
      };
      const stream = await EventStream.open(client, PUSH);
      const states = ['0', await add(client, 'before')];
      const { blobId } = await client.upload(accountId, Buffer.from('octets'), 'text/plain');
      const file = join(place.dataDir, 'b.tar');
      await origin.tool('scripts/backup', [file]);
      // Ahead of the backup, and told so.
      states.push(await add(client, 'after'));
      const told = await stream.find(({ data }) => stateOf(data, accountId) === states.at(-1));
      await origin.stop();

      expect(await place.run('restore', [file], { DATA_DIR: link })).toMatchObject({ code: 0 });
      expect(readdirSync(real).sort()).toEqual(expect.arrayContaining(['blobs', 'jmap.db']));
      const port = new URL(origin.url).port;
      const server = await startServer({ dataDir: link, env: { PORT: port } });
      try {
        const socket = await SocketClient.open(client);
        const back = await EventStream.open(client, PUSH, { 'last-event-id': told.id ?? '1' });
        expect(back.status).toBe(200);
        for (const sinceState of states) {
          const [, refused] = await socket.call('Todo/changes', { accountId, sinceState });
          expect(refused, sinceState).toMatchObject({ type: 'cannotCalculateChanges' });
          const [, unmet] = await socket.call('Todo/set', { accountId, ifInState: sinceState });
          expect(unmet, sinceState).toMatchObject({ type: 'stateMismatch' });
        }
        const newest = await add(socket, 'new');
        expect(states).not.toContain(newest);
        await back.find(({ data }) => stateOf(data, accountId) === newest);
        expect(back.events.map(({ data }) => stateOf(data, accountId))).not.toContain(states[2]);
        const { list } = await socket.get('Todo', { accountId, ids: null });
        expect(list.map(({ text }) => text).sort()).toEqual(['before', 'new']);
        const { text } = await client.http(`/jmap/download/${accountId}/${blobId}/x`);
        expect(text).toBe('octets');
        back.close();
        socket.close();
      } finally {
        await server.kill();
      }
    } finally {
      await origin.remove();
      rmSync(real, { recursive: true, force: true });
      place.remove();
    }
  });
});
