import { expect, onTestFinished } from 'vitest';
import { ALL_SHARDS } from '../../../src/accounts/push-port.js';
import { openPool } from '../../../src/database/postgresql/index.js';
import { notifyDatabase } from '../../../src/database/postgresql/notify-session.js';
import { shardLeases } from '../../../src/database/postgresql/shard-leases.js';
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
  floor: 3_600_000,
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
  epoch: string;
  /** Returns the shards that it holds. */
  shards(): readonly number[];
}

export interface HubOptions {
  /** As its session reaches the database, and as its pool does. */
  readonly url: string;
  readonly poolUrl?: string;
  readonly times?: Partial<HubTimes>;
  /** How long the pool waits for an answer, ms. */
  readonly answerWithin?: number;
  /** Returns whether its session hears nobody, as behind a pooler that shares its sessions. */
  readonly isDeaf?: () => boolean;
}

/** Opens a hub that is closed when the test ends. */
export function openHub(options: HubOptions): HeardHub {
  const { url, poolUrl = url, times = {}, answerWithin = 2000, isDeaf } = options;
  const pool = openPool({ url: poolUrl, size: 1, answerWithin });
  const lines: string[] = [];
  const log = (_: object, message: string): void => void lines.push(message);
  const told = { epoch: 'g' };
  const open = notifyDatabase(url, { patience: TIMES.patience });
  const hub = openPostgresqlHub({
    database(origin) {
      const { listen, announce } = open(origin);
      return { listen, announce: async (text) => void (isDeaf?.() || (await announce(text))) };
    },
    leases: shardLeases(pool),
    epoch: () => told.epoch,
    log: { info: log, warn: log },
    times: { ...TIMES, ...times },
  });
  onTestFinished(async () => {
    await hub.close();
    await pool.end();
  });
  const { isMine } = hub.shards;
  return Object.assign(told, {
    ...{ hub, lines, ...record(hub) },
    shards: () => ALL_SHARDS.filter((shard) => isMine.call(hub.shards, shard)),
  });
}

/**
 * Expects that each shard has one holder, and each hub some. The shares are in shards.test.ts: on a
 * busy machine one takes what another is too slow for.
 */
export function expectDivided(hubs: readonly { shards(): readonly number[] }[]): void {
  const held = hubs.map((hub) => hub.shards());
  expect(held.flat().sort((a, b) => a - b)).toEqual(ALL_SHARDS);
  expect(held.filter((shards) => shards.length === 0)).toEqual([]);
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
