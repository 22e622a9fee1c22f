import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDatabase, Writer } from '../../src/database/sqlite/index.js';
import { UnavailableError } from '../../src/protocol/errors.js';
import { conductor } from '../support/conductor.js';
import { temporaryFolder } from './folder.js';
import { otherProcess } from './other-process.js';

interface Opened {
  readonly db: ReturnType<typeof openDatabase>;
  /** Another connection: what it sees is committed. */
  readonly other: Database;
  readonly writer: Writer;
  readonly file: string;
}

function open(options?: { readonly queueLimit?: number }): Opened {
  const file = join(temporaryFolder(), 'test.db');
  const db = openDatabase({ file });
  db.exec('CREATE TABLE "t" ("id" TEXT PRIMARY KEY, "data" BLOB)');
  const other = openDatabase({ file, readonly: true });
  onTestFinished(() => {
    other.close();
    db.close();
  });
  return { db, other, writer: new Writer(db, conductor, options), file };
}

const soon = () => ({ deadline: performance.now() + 20_000 });
const insert = (id: string) => async (db: Database) =>
  void db.prepare('INSERT INTO "t" VALUES (?, NULL)').run(id);
const idsOf = (db: Database) =>
  db.prepare<[], string>('SELECT "id" FROM "t" ORDER BY rowid').pluck().all();

describe('writer: the grouped lane', () => {
  it('resolves after the commit', async () => {
    const { writer, other } = open();
    let during: readonly string[] = ['?'];
    await writer.writeInGroup(async (db) => {
      await insert('a')(db);
      during = idsOf(other);
    }, soon());
    expect(during).toEqual([]);
    expect(idsOf(other)).toEqual(['a']);
  });

  it('shares one transaction among those that wait', async () => {
    const { writer, other } = open();
    const seen: (readonly string[])[] = [];
    // On a machine that is busy a group would end earlier, by time.
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now);
    onTestFinished(() => void vi.restoreAllMocks());
    const works = ['a', 'b', 'c'].map((id) =>
      writer.writeInGroup(async (db) => {
        await insert(id)(db);
        seen.push(idsOf(other), idsOf(db));
      }, soon()),
    );
    await Promise.all(works);
    expect(seen).toEqual([[], ['a'], [], ['a', 'b'], [], ['a', 'b', 'c']]);
    expect(idsOf(other)).toEqual(['a', 'b', 'c']);
  });

  it('tells a work that it was refused when what others wrote before it can be read', async () => {
    const { writer, other } = open();
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now);
    onTestFinished(() => void vi.restoreAllMocks());
    const first = writer.writeInGroup(insert('a'), soon());
    const second = writer.writeInGroup(insert('a'), soon()).then(
      () => 'written',
      () => idsOf(other),
    );
    await first;
    expect(await second).toEqual(['a']);
  });

  it('shares it with those that come in the next turn of the event loop', async () => {
    const { writer } = open();
    let commits = 0;
    writer.watch(() => {
      commits += 1;
    });
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now);
    onTestFinished(() => void vi.restoreAllMocks());
    const first = writer.writeInGroup(insert('a'), soon());
    await new Promise(setImmediate);
    const second = writer.writeInGroup(insert('b'), soon());
    await new Promise(setImmediate);
    await Promise.all([first, second, writer.writeInGroup(insert('c'), soon())]);
    expect(commits).toBe(1);
  });

  it('commits what is done before it begins a long work', async () => {
    const { writer, other } = open();
    const answered: string[] = [];
    let during: unknown;
    const first = writer.writeInGroup(insert('a'), soon()).then(() => answered.push('a'));
    const long = async (db: Database) => {
      during = { answered: [...answered], committed: idsOf(other) };
      await insert('b')(db);
    };
    await Promise.all([first, writer.writeInGroup(long, { ...soon(), isLong: true })]);
    expect(during).toEqual({ answered: ['a'], committed: ['a'] });
    expect(idsOf(other)).toEqual(['a', 'b']);
  });

  it('a work that waits for a long one fails at its deadline', async () => {
    const { writer, other } = open();
    let late: Promise<unknown> = Promise.resolve();
    const long = async () => {
      const told = late.catch((error: unknown) => error);
      const end = new Promise((resolve) => setTimeout(resolve, 5000, 'not told').unref());
      return Promise.race([told, end]);
    };
    const first = writer.writeInGroup(long, { ...soon(), isLong: true });
    late = writer.writeInGroup(insert('a'), { deadline: performance.now() + 200 });
    expect(await first).toBeInstanceOf(UnavailableError);
    expect(idsOf(other)).toEqual([]);
  });

  it('rolls back a work that throws, and no other', async () => {
    const { writer, other } = open();
    const failing = async (db: Database) => {
      await insert('b')(db);
      await Promise.resolve();
      throw new Error('b');
    };
    const results = await Promise.allSettled([
      writer.writeInGroup(insert('a'), soon()),
      writer.writeInGroup(failing, soon()),
      writer.writeInGroup(insert('a'), soon()),
      writer.writeInGroup(insert('c'), soon()),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(results[1]).toMatchObject({ reason: { message: 'b' } });
    // Not the machine's fault: the error goes on as it is.
    expect(results[2]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } });
    expect(idsOf(other)).toEqual(['a', 'c']);
  });

  it('lets accounts take turns', async () => {
    const { writer, other } = open();
    const works = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((id) =>
      writer.writeInGroup(insert(id), { ...soon(), accountId: id.slice(0, 1) }),
    );
    await Promise.all(works);
    expect(idsOf(other)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('ends a group after 64 works', async () => {
    const { writer, other } = open();
    const committed: number[] = [];
    const works = Array.from({ length: 70 }, (_, index) =>
      writer.writeInGroup(async (db) => {
        committed.push(idsOf(other).length);
        await insert(`r${index}`)(db);
      }, soon()),
    );
    await Promise.all(works);
    // A slow machine may end a group earlier, by time; never later.
    committed.forEach((count, index) => {
      expect(index - count).toBeLessThan(64);
    });
    expect(committed.at(-1)).toBeGreaterThan(0);
    expect(idsOf(other)).toHaveLength(70);
  });

  it('turns away what does not fit into its queue', async () => {
    const { writer, other } = open({ queueLimit: 2 });
    const results = await Promise.allSettled(
      ['a', 'b', 'c'].map((id) => writer.writeInGroup(insert(id), soon())),
    );
    expect(results[2]).toMatchObject({ reason: expect.any(UnavailableError) });
    expect(idsOf(other)).toEqual(['a', 'b']);
  });

  it('does not run a work whose deadline passed while it waited', async () => {
    const { writer, other } = open();
    const late = writer.writeInGroup(insert('a'), { deadline: performance.now() - 1 });
    const fine = writer.writeInGroup(insert('b'), soon());
    await expect(late).rejects.toBeInstanceOf(UnavailableError);
    await fine;
    expect(idsOf(other)).toEqual(['b']);
  });

  it('a full disk: every work of the group is unavailable, and nothing runs on', async () => {
    const { writer, db, other } = open();
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${pages + 2}`);
    const fill = (id: string) => async (connection: Database) =>
      void connection.prepare('INSERT INTO "t" VALUES (?, zeroblob(100000))').run(id);
    // One that swallows the error and goes on: by then each statement would commit by itself.
    const stubborn = async (connection: Database) => {
      try {
        await fill('b')(connection);
      } catch {
        return 'caught';
      }
      return 'no error';
    };
    const results = await Promise.allSettled([
      writer.writeInGroup(insert('a'), soon()),
      writer.writeInGroup(fill('f'), soon()),
    ]);
    expect(results).toMatchObject([
      { reason: expect.any(UnavailableError) },
      { reason: expect.any(UnavailableError) },
    ]);
    await expect(writer.writeInGroup(stubborn, soon())).rejects.toBeInstanceOf(UnavailableError);
    expect(db.inTransaction).toBe(false);
    expect(idsOf(other)).toEqual([]);
    // Room again: the writer goes on.
    db.pragma('max_page_count = 1000000');
    await writer.writeInGroup(insert('z'), soon());
    expect(idsOf(other)).toEqual(['z']);
  });

  it('reports each ended transaction, whoever wrote, and what the disk refused', async () => {
    const { writer, db } = open();
    const ended: string[] = [];
    writer.watch((isRefused) => {
      ended.push(`${isRefused ? 'refused' : 'ended'}${db.inTransaction ? ', open' : ''}`);
    });
    await writer.writeInGroup(insert('a'), soon());
    await writer.exclusive(insert('b'));
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
    const fill = async (connection: Database) =>
      void connection.prepare('INSERT INTO "t" VALUES (?, zeroblob(100000))').run('f');
    await expect(writer.writeInGroup(fill, soon())).rejects.toBeInstanceOf(UnavailableError);
    await expect(writer.exclusive(fill)).rejects.toBeInstanceOf(UnavailableError);
    await expect(writer.exclusive(insert('a'))).rejects.toThrow('UNIQUE');
    expect(ended).toEqual(['ended', 'ended', 'refused', 'refused', 'ended']);
  });

  it('settles a work that can not even begin', async () => {
    const { db, other } = open();
    const broken = new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === 'prepare') {
          return (sql: string) => target.prepare(sql.replace(/^SAVEPOINT/, 'RELEASE'));
        }
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    await expect(new Writer(broken, conductor).writeInGroup(insert('a'), soon())).rejects.toThrow(
      'no such savepoint',
    );
    expect(db.inTransaction).toBe(false);
    expect(idsOf(other)).toEqual([]);
  });

  it('finishes what waits when it is closed, then refuses', async () => {
    const { writer, other } = open();
    const waiting = writer.writeInGroup(insert('a'), soon());
    const closing = writer.close();
    const refused = writer.writeInGroup(insert('b'), soon());
    await expect(refused).rejects.toBeInstanceOf(UnavailableError);
    await closing;
    expect(idsOf(other)).toEqual(['a']);
    await waiting;
    await writer.close();
  });
});

describe('writer: the exclusive lane', () => {
  it('has the lock alone, over turns of the event loop', async () => {
    const { writer, other } = open();
    const order: string[] = [];
    const exclusive = writer.transaction(async (db) => {
      await insert('x')(db);
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('exclusive');
    }, soon());
    const plain = writer.writeInGroup(async (db) => {
      await insert('p')(db);
      order.push('plain');
    }, soon());
    await Promise.all([exclusive, plain]);
    expect(order).toEqual(['exclusive', 'plain']);
    expect(idsOf(other)).toEqual(['x', 'p']);
  });

  it('rolls back what a work leaves open', async () => {
    const { writer, other, db } = open();
    await writer.exclusive(async (connection) => {
      connection.exec('BEGIN');
      await insert('x')(connection);
    });
    expect(db.inTransaction).toBe(false);
    await writer.writeInGroup(insert('p'), soon());
    expect(idsOf(other)).toEqual(['p']);
  });

  it('alternates with the grouped lane', async () => {
    const { writer } = open();
    const order: string[] = [];
    const works = [1, 2, 3].flatMap((number) => [
      writer.exclusive(async () => void order.push(`x${number}`)),
      writer.writeInGroup(async () => {
        order.push(`p${number}`);
        // Each group ends after its time, with one work run.
        const end = performance.now() + 25;
        while (performance.now() < end);
      }, soon()),
    ]);
    await Promise.all(works);
    expect(order).toEqual(['x1', 'p1', 'x2', 'p2', 'x3', 'p3']);
  });

  it('a work that waits for it fails at its deadline', async () => {
    const { writer } = open();
    let finish: (() => void) | undefined;
    const exclusive = writer.exclusive(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const waiting = writer.writeInGroup(insert('a'), { deadline: performance.now() + 10 });
    await expect(waiting).rejects.toBeInstanceOf(UnavailableError);
    finish?.();
    await exclusive;
  });
});

describe('writer: another process writes', () => {
  it('waits for it, without blocking the event loop', async () => {
    const { writer, file, other } = open();
    const command = await otherProcess(file, 'BEGIN IMMEDIATE');
    let done = false;
    const writing = writer.writeInGroup(insert('a'), soon()).then(() => {
      done = true;
    });
    // Timers run while it waits.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(done).toBe(false);
    await command.exec('COMMIT');
    await writing;
    expect(idsOf(other)).toEqual(['a']);
  });

  it('is unavailable where that lasts beyond the deadline', async () => {
    const { writer, file, other } = open();
    const command = await otherProcess(file, 'BEGIN IMMEDIATE');
    const writing = writer.writeInGroup(insert('a'), { deadline: performance.now() + 100 });
    await expect(writing).rejects.toBeInstanceOf(UnavailableError);
    await command.kill();
    await writer.writeInGroup(insert('b'), soon());
    expect(idsOf(other)).toEqual(['b']);
  });
});
