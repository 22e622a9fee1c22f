import { SHARDS } from '../../accounts/push-port.js';
import type { Hub, Shards } from './hub.js';
import { HubReports } from './hub-reports.js';

/** How often it is asked whether another process has written, ms. */
const LOOK = 1000;

export interface LocalHubOptions {
  /** Returns another number after other processes have committed; null where it can't tell now. */
  readonly dataVersion: () => number | null;
  /** ms between two looks. */
  readonly look?: number;
}

/**
 * Opens the hub of a database that one server has for itself. The server hears of its own commits
 * from its store. Commands, which write beside it, tell nobody of theirs, so the hub asks the
 * database each second.
 */
export function openLocalHub({ dataVersion, look = LOOK }: LocalHubOptions): Hub {
  const reports = new HubReports(look);
  let known = dataVersion();
  const timer = setInterval(() => {
    const version = dataVersion();
    if (version === null || version === known) return;
    known = version;
    reports.doubt('otherProcess');
  }, look).unref();
  return {
    publish: () => undefined,
    announceSubscription: () => undefined,
    listen: (listener) => reports.listen(listener),
    shards: ALL,
    problem: null,
    counts: () => ({ listen: 1, peers: 0, shards: SHARDS, ...reports.counts() }),
    close: async () => {
      clearInterval(timer);
      reports.end();
    },
  };
}

const ALL: Shards = { isMine: () => true, onChange: () => undefined };
