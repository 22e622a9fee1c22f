import { describe, expect, it } from 'vitest';
import { HeldShards, type ShardLocks } from '../../../src/push/hub/shards.js';

const ALL = Array.from({ length: 16 }, (_, shard) => shard);
const FAR = performance.now() + 3_600_000;

/** Locks in memory, and the processes that hold them. */
function setUp() {
  const held = new Map<number, string>();
  const faults = { isAway: false };
  const locksOf = (holder: string): ShardLocks => ({
    async takeShards(shards) {
      if (faults.isAway) throw new Error('away');
      const free = shards.filter((shard) => !held.has(shard));
      for (const shard of free) held.set(shard, holder);
      return free;
    },
    async releaseShards(shards) {
      for (const shard of shards) if (held.get(shard) === holder) held.delete(shard);
    },
  });
  const peers = { count: 0 };
  const open = (holder: string) => {
    const shards = new HeldShards(() => peers.count);
    shards.extend(FAR);
    const mine = (): readonly number[] => ALL.filter((shard) => shards.isMine(shard));
    return { shards, mine, locks: locksOf(holder) };
  };
  return { held, faults, peers, open };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('The shards of a process', () => {
  it('are all, and fewer as soon as others come', async () => {
    const { peers, held, open } = setUp();
    const [a, b] = [open('a'), open('b')];
    a.shards.use(a.locks);
    await settle();
    expect(a.mine()).toEqual(ALL);
    peers.count = 1;
    let changes = 0;
    a.shards.onChange(() => {
      changes += 1;
    });
    a.shards.peersChanged();
    // It serves them no longer, before it has given them up.
    expect([a.mine().length, changes]).toEqual([8, 1]);
    await settle();
    b.shards.use(b.locks);
    await settle();
    expect([...a.mine(), ...b.mine()].sort((x, y) => x - y)).toEqual(ALL);
    peers.count = 4;
    a.shards.peersChanged();
    await settle();
    expect(a.mine().length).toBe(4);
    await b.shards.end();
    expect([...held.values()]).toEqual(['a', 'a', 'a', 'a']);
  });

  it("are others' once what was done with them is settled", async () => {
    const { peers, held, open } = setUp();
    const a = open('a');
    a.shards.use(a.locks);
    await settle();
    let end = (): void => undefined;
    a.shards.onChange(
      () =>
        new Promise((resolve) => {
          end = resolve;
        }),
    );
    peers.count = 1;
    a.shards.peersChanged();
    await settle();
    expect([a.mine().length, held.size]).toEqual([8, 16]);
    end();
    await settle();
    expect([a.mine().length, held.size]).toEqual([8, 8]);
  });

  it('are also those that others leave for some rounds, until somebody comes', async () => {
    const { peers, open } = setUp();
    peers.count = 3;
    const { shards, mine, locks } = open('a');
    shards.use(locks);
    for (let round = 0; round < 3; round += 1) {
      await settle();
      expect(mine().length).toBe(4);
      shards.round();
    }
    shards.round();
    await settle();
    expect(mine()).toEqual(ALL);
    shards.peersChanged();
    await settle();
    expect(mine().length).toBe(4);
  });

  it('are none once the locks are lost, or were not confirmed for too long', async () => {
    const { faults, open } = setUp();
    const { shards, mine, locks } = open('a');
    shards.use(locks);
    await settle();
    shards.extend(performance.now() - 1);
    expect([mine(), shards.count]).toEqual([[], 0]);
    shards.extend(FAR);
    expect(mine()).toEqual(ALL);
    shards.use(null);
    expect(mine()).toEqual([]);
    faults.isAway = true;
    shards.use(locks);
    await settle();
    expect(mine()).toEqual([]);
  });

  it('are told again where they are confirmed late: who looked meanwhile saw none', async () => {
    const { peers, open } = setUp();
    const { shards, mine, locks } = open('a');
    shards.use(locks);
    await settle();
    let served: readonly number[] = [];
    shards.onChange(() => {
      served = mine();
    });
    shards.extend(performance.now() - 1);
    peers.count = 1;
    shards.peersChanged();
    await settle();
    expect(served).toEqual([]);
    shards.extend(FAR);
    expect(served.length).toBe(8);
    expect(served).toEqual(mine());
  });

  it('are not those that locks give after they are lost', async () => {
    const { held, open } = setUp();
    const { shards, mine, locks } = open('a');
    shards.use({
      ...locks,
      takeShards(wanted) {
        shards.use(null);
        return locks.takeShards(wanted);
      },
    });
    await settle();
    expect(mine()).toEqual([]);
    expect(held.size).toBe(0);
    shards.use(locks);
    await settle();
    expect(mine()).toEqual(ALL);
  });
});
