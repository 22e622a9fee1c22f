import { describe, expect, it, onTestFinished } from 'vitest';
import { watchDataVersion } from '../../../src/database/sqlite/index.js';
import { openPrisma } from '../../../src/database/sqlite/prisma.js';
import type { DoubtReason } from '../../../src/push/hub/hub.js';
import { openLocalHub } from '../../../src/push/hub/local.js';
import { otherProcess } from '../../database/other-process.js';
import { openSqlite } from '../../store/open-sqlite.js';
import { eventually } from '../../support/poll.js';

const META = 'INSERT INTO "JmapMeta" ("key", "value") VALUES';

async function setUp() {
  const opened = await openSqlite({ now: Date.now });
  onTestFinished(() => opened.close());
  const version = watchDataVersion(opened.writerDatabase);
  let looks = 0;
  const hub = openLocalHub({
    dataVersion() {
      looks += 1;
      return version();
    },
    look: 1,
  });
  onTestFinished(() => hub.close());
  const doubts: DoubtReason[] = [];
  const hints = (): never => expect.fail('There is no other process to hear of.');
  hub.listen({ hints, subscription: hints, doubt: (reason) => void doubts.push(reason) });
  const someLooks = async (): Promise<void> => {
    const since = looks;
    await eventually(() => expect(looks).toBeGreaterThan(since + 2));
  };
  return { ...opened, hub, doubts, someLooks };
}

describe('The hub of a server that has its database for itself', () => {
  it('doubts nothing because of its own writes, reads and checkpoints', async () => {
    const { writer, writerDatabase, store, doubts, someLooks } = await setUp();
    const prisma = openPrisma(writerDatabase, writer);
    onTestFinished(() => prisma.$disconnect());
    // Some six thousand pages: the thread moves the log several times, and begins it anew.
    for (let at = 0; at < 24; at += 1) {
      const deadline = performance.now() + 60_000;
      await writer.writeInGroup(
        async (db) => void db.prepare(`${META} (?, ?)`).run(`big${at}`, 'x'.repeat(1_000_000)),
        { deadline },
      );
      await prisma.jmapMeta.create({ data: { key: `small${at}`, value: '' } });
      await store.ping();
      await someLooks();
    }
    expect(doubts).toEqual([]);
  });

  it('doubts once when another process has written, and not because of its reads', async () => {
    const { file, writer, doubts, hub, someLooks } = await setUp();
    const other = await otherProcess(file, `${META} ('a', '')`);
    await eventually(() => expect(doubts).toEqual(['otherProcess']));
    await other.exec('SELECT * FROM "JmapMeta"');
    await writer.writeInGroup(async (db) => void db.exec(`${META} ('b', '')`), {
      deadline: performance.now() + 60_000,
    });
    await someLooks();
    expect(doubts).toEqual(['otherProcess']);
    await other.exec(`${META} ('c', '')`);
    await eventually(() => expect(doubts).toEqual(['otherProcess', 'otherProcess']));
    expect(hub.counts()).toMatchObject({ listen: 1, peers: 0, doubts: { otherProcess: 2 } });
  });

  it('finds out behind a transaction what was written beside it', async () => {
    const { file, writerDatabase, doubts, someLooks } = await setUp();
    writerDatabase.exec('BEGIN; SELECT count(*) FROM "JmapMeta"');
    await otherProcess(file, `${META} ('a', '')`);
    await someLooks();
    expect(doubts).toEqual([]);
    writerDatabase.exec('COMMIT');
    await eventually(() => expect(doubts).toEqual(['otherProcess']));
  });

  it('keeps a doubt for a listener that comes later, and tells nobody after its end', async () => {
    let version = 1;
    const hub = openLocalHub({ dataVersion: () => version, look: 1 });
    version = 2;
    await eventually(() => expect(hub.counts().doubts.otherProcess).toBe(1));
    const doubts: DoubtReason[] = [];
    const ignore = (): void => undefined;
    hub.listen({
      hints: ignore,
      subscription: ignore,
      doubt: (reason) => void doubts.push(reason),
    });
    expect(doubts).toEqual(['otherProcess']);
    expect([0, 15].map((shard) => hub.shards.isMine(shard))).toEqual([true, true]);
    await hub.close();
    version = 3;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(doubts).toEqual(['otherProcess']);
  });
});
