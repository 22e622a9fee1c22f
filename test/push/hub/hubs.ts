import { onTestFinished } from 'vitest';
import { openPool } from '../../../src/database/postgresql/index.js';
import { notifyDatabase } from '../../../src/database/postgresql/notify-session.js';
import type { DoubtReason, Hub } from '../../../src/push/hub/hub.js';
import { HUB_TIMES, type HubTimes, openPostgresqlHub } from '../../../src/push/hub/postgresql.js';

/** Short ones, but for patience: the machine may be busy. */
export const TIMES: HubTimes = {
  ...HUB_TIMES,
  beat: 100,
  patience: 2000,
  firstPause: 20,
  longestPause: 100,
  deafPause: 300,
  silence: 3000,
  look: 50,
  floor: 3_600_000,
  shards: 100,
  pace: 1,
};

/** A hub, and what its listener was told. */
export interface HeardHub {
  readonly hub: Hub;
  readonly doubts: DoubtReason[];
  readonly subscriptions: string[];
  /** Account id to type name to the newest state told. */
  readonly heard: Map<string, Record<string, number> | null>;
  /** Lines of its log. */
  readonly lines: string[];
  generation: string;
  /** Returns the shards that it holds. */
  shards(): readonly number[];
}

export interface HubOptions {
  /** As its session reaches the database, and as its pool does. */
  readonly url: string;
  readonly poolUrl?: string;
  readonly times?: Partial<HubTimes>;
}

/** Opens a hub that is closed when the test ends. */
export function openHub(options: HubOptions): HeardHub {
  const { url, poolUrl = url, times = {} } = options;
  const pool = openPool({ url: poolUrl, size: 1, answerWithin: 2000 });
  const lines: string[] = [];
  const log = (_: object, message: string): void => void lines.push(message);
  const told = { generation: 'g' };
  const hub = openPostgresqlHub({
    database: notifyDatabase(url, pool, { patience: TIMES.patience }),
    generation: () => told.generation,
    log: { info: log, warn: log },
    times: { ...TIMES, ...times },
  });
  onTestFinished(async () => {
    await hub.close();
    await pool.end();
  });
  const { isMine } = hub.shards;
  const all = Array.from({ length: 16 }, (_, shard) => shard);
  return Object.assign(told, {
    ...{ hub, lines, ...record(hub) },
    shards: () => all.filter((shard) => isMine.call(hub.shards, shard)),
  });
}

/** Notes all that a hub tells its listener. */
export function record(hub: Hub): Pick<HeardHub, 'doubts' | 'subscriptions' | 'heard'> {
  const doubts: DoubtReason[] = [];
  const subscriptions: string[] = [];
  const heard: HeardHub['heard'] = new Map();
  hub.listen({
    doubt: (reason) => void doubts.push(reason),
    subscription: (id) => void subscriptions.push(id),
    hints(hints) {
      for (const [account, types] of hints) {
        const known = heard.get(account);
        if (types === null || known === null) heard.set(account, null);
        else heard.set(account, { ...known, ...Object.fromEntries(types) });
      }
    },
  });
  return { doubts, subscriptions, heard };
}
