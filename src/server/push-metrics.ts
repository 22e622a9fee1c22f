import { Counter, Gauge, type Registry } from 'prom-client';
import type { HubCounts } from '../push/hub/hub.js';
import type { Push } from '../push/push.js';
import type { DeliveryCounts } from './start-delivery.js';

/** The parts of the process that push, as far as metrics tell of them. */
export interface PushFigures {
  readonly replays: Push['replays'];
  readonly receivers: Push['receivers'];
  readonly hub: HubCounts;
  /** Null where PUSH is off. */
  readonly delivery: DeliveryCounts | null;
}

interface GaugeRow {
  readonly name: string;
  readonly help: string;
  readonly read: (figures: PushFigures) => number;
}

/** A metric with a label. */
interface LabelledRow {
  readonly metric: typeof Counter | typeof Gauge;
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** Returns the counts by value of the label. */
  readonly read: (figures: PushFigures) => Readonly<Record<string, number>>;
}

const GAUGES: readonly GaugeRow[] = [
  {
    name: 'jmap_push_listening',
    help: 'Whether commits of other servers are heard of: 1 or 0.',
    read: ({ hub }) => hub.listen,
  },
  {
    name: 'jmap_push_peers',
    help: 'Other servers of the database that are heard.',
    read: ({ hub }) => hub.peers,
  },
  {
    name: 'jmap_push_shards',
    help: 'Shards of the push subscriptions that this server serves, of 16.',
    read: ({ hub }) => hub.shards,
  },
  {
    name: 'jmap_push_subscriptions',
    help: 'Push subscriptions that this server serves.',
    read: ({ delivery }) => delivery?.served ?? 0,
  },
  {
    name: 'jmap_push_oldest_pending_seconds',
    help: 'How long the oldest change waits that a push subscription is to be told of.',
    read: ({ delivery }) => delivery?.oldestPending ?? 0,
  },
];

const LABELLED: readonly LabelledRow[] = [
  {
    metric: Counter,
    name: 'jmap_push_replays_total',
    help: 'Receivers that came back with an id, by how many states they had to be told.',
    label: 'amount',
    read: ({ replays }) => replays,
  },
  {
    metric: Counter,
    name: 'jmap_push_doubts_total',
    help: 'Comparisons with the database, by why changes may have been missed.',
    label: 'reason',
    read: ({ hub }) => hub.doubts,
  },
  {
    metric: Counter,
    name: 'jmap_push_hints_total',
    help: 'Accounts whose changes servers tell each other of; shed: dropped ones.',
    label: 'direction',
    read: ({ hub }) => hub.hints,
  },
  {
    metric: Counter,
    name: 'jmap_pushes_total',
    help: 'Pushes to subscriptions, by how they ended.',
    label: 'result',
    read: ({ delivery }) => delivery?.results ?? {},
  },
  {
    metric: Counter,
    name: 'jmap_push_verifications_total',
    help: 'Verifications of push subscriptions, by how they ended.',
    label: 'result',
    read: ({ delivery }) => delivery?.verifications ?? {},
  },
  {
    metric: Gauge,
    name: 'jmap_push_receivers',
    help: 'Receivers of state changes, by how they are told.',
    label: 'channel',
    read: ({ receivers }) => receivers,
  },
];

/** Registers the metrics of push. `figures` returns null before the server has begun to push. */
export function countPush(figures: () => PushFigures | null, registers: readonly Registry[]): void {
  for (const { name, help, read } of GAUGES) {
    new Gauge({
      ...{ name, help, registers: [...registers] },
      collect() {
        const all = figures();
        if (all !== null) this.set(read(all));
      },
    });
  }
  for (const { metric: Metric, name, help, label, read } of LABELLED) {
    new Metric({
      ...{ name, help, labelNames: [label], registers: [...registers] },
      collect() {
        const all = figures();
        if (all === null) return;
        this.reset();
        for (const [value, count] of Object.entries(read(all))) this.inc({ [label]: value }, count);
      },
    });
  }
}
