import { randomBytes } from 'node:crypto';
import { endBefore } from '../../runtime/deadlines.js';
import type { Hub } from './hub.js';
import { HubReports } from './hub-reports.js';
import { LEASE_TIMES, type LeaseMaker, type LeaseTimes, ShardKeeper } from './shard-keeper.js';
import { HeldShards } from './shards.js';

/** How long the end may take, ms. */
const END = 1000;

export interface PollHubOptions {
  /** ms between two comparisons. */
  readonly interval: number;
  readonly leases: LeaseMaker;
  readonly times?: LeaseTimes;
}

/**
 * Opens the hub of a server that can't LISTEN, because a pooler shares its sessions: it tells and
 * hears nothing, and has all compared each `interval`.
 */
export function openPollHub({ interval, leases, times = LEASE_TIMES }: PollHubOptions): Hub {
  const reports = new HubReports(0);
  const origin = randomBytes(12).toString('base64url');
  const shards: HeldShards = new HeldShards(() => keeper.others);
  const keeper = new ShardKeeper(shards, leases(origin, times.lease), times);
  const timer = setInterval(() => reports.doubt('poll'), interval).unref();
  keeper.start();
  return {
    shards,
    // It hears nobody, as PUSH_BUS says.
    problem: null,
    // The others compare by themselves, and find subscriptions as they do.
    publish: () => undefined,
    announceSubscription: () => undefined,
    listen: (listener) => reports.listen(listener),
    counts: () => ({
      ...{ listen: 0, peers: keeper.others, shards: shards.count },
      ...reports.counts(),
    }),
    async close() {
      clearInterval(timer);
      reports.end();
      // Leases that can't be given back now end by themselves.
      await endBefore(performance.now() + END, keeper.stop()).catch(() => undefined);
    },
  };
}
