import { describe, expect, it } from 'vitest';
import type { PrismaClient } from '../../src/database/sqlite/prisma.js';
import { readEpoch, renewEpoch, StateEpoch } from '../../src/database/state-epoch.js';
import { openForTwo } from '../accounts/shared-database.js';
import { usePostgresql } from '../support/postgresql.js';

const postgresql = usePostgresql();

interface Signal {
  readonly given: Promise<void>;
  readonly give: () => void;
}

function makeSignal(): Signal {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** The same client; its next look at JmapMeta calls `onRow`, and ends only after `until`. */
function slowClient(prisma: PrismaClient, onRow: () => void, until: Promise<void>): PrismaClient {
  let isFirst = true;
  const jmapMeta = new Proxy(prisma.jmapMeta, {
    get(target, name) {
      if (name !== 'findUnique' || !isFirst) return Reflect.get(target, name);
      isFirst = false;
      return async (query: Parameters<typeof target.findUnique>[0]) => {
        const row = await target.findUnique(query);
        onRow();
        await until;
        return row;
      };
    },
  });
  return new Proxy(prisma, {
    get: (target, name) => (name === 'jmapMeta' ? jmapMeta : Reflect.get(target, name)),
  });
}

describe.each(['SQLite', 'PostgreSQL'])('the epoch of states on %s', (engine) => {
  it('is one for all servers, and another one after each reset', async () => {
    const prismas = await openForTwo(engine, postgresql);
    const [one, other] = await Promise.all(prismas.map(readEpoch));
    expect(one).toMatch(/^[\w-]{11}$/);
    expect(other).toBe(one);
    const epoch = new StateEpoch(prismas[0]);
    await epoch.reload();
    const { version } = epoch;
    await epoch.reload();
    expect([epoch.current, epoch.version]).toEqual([one, version]);
    await renewEpoch(prismas[1]);
    await epoch.reload();
    expect(epoch.current).toBe(await readEpoch(prismas[1]));
    expect(epoch.current).not.toBe(one);
    expect(epoch.version).toBeGreaterThan(version);
  });

  it('is the newer one where an earlier look ends later', async () => {
    const [prisma] = await openForTwo(engine, postgresql);
    const before = await readEpoch(prisma);
    const [looked, released] = [makeSignal(), makeSignal()];
    const epoch = new StateEpoch(slowClient(prisma, looked.give, released.given));
    const early = epoch.reload();
    await looked.given;
    await renewEpoch(prisma);
    await epoch.reload();
    const { current } = epoch;
    released.give();
    await early;
    expect(epoch.current).toBe(current);
    expect(current).not.toBe(before);
  });
});
