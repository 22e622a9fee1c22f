import { Counter, Gauge, type Registry } from 'prom-client';
import type { HubCounts } from '../push/hub/hub.js';
import type { Push } from '../push/push.js';
import type { SenderCounts } from '../push/webpush/sender.js';

/** The parts of the process that push, as far as metrics tell of them. */
export interface PushFigures {
  readonly replays: Push['replays'];
  readonly hub: HubCounts;
  /** Null where PUSH is off. */
  readonly sender: SenderCounts | null;
}

type Values = Readonly<Record<string, number>>;

/** Registers the metrics of push. `figures` returns null before the server has started to push. */
export function countPush(figures: () => PushFigures | null, registers: readonly Registry[]): void {
  const gauge = (name: string, help: string, read: (all: PushFigures) => number): void => {
    new Gauge({
      ...{ name, help, registers: [...registers] },
      collect() {
        const all = figures();
        if (all !== null) this.set(read(all));
      },
    });
  };
  const counter = (
    { name, help, label }: { readonly name: string; readonly help: string; readonly label: string },
    read: (all: PushFigures) => Values,
  ): void => {
    new Counter({
      ...{ name, help, labelNames: [label], registers: [...registers] },
      collect() {
        const all = figures();
        if (all === null) return;
        this.reset();
        for (const [value, count] of Object.entries(read(all))) this.inc({ [label]: value }, count);
      },
    });
  };
  counter(
    {
      name: 'jmap_push_replays_total',
      help: 'Receivers that came back with an id, by how many states they had to be told.',
      label: 'told',
    },
    ({ replays }) => replays,
  );
  gauge(
    'jmap_push_listening',
    'Whether commits of other servers are heard of: 1 or 0.',
    ({ hub }) => hub.listen,
  );
  gauge('jmap_push_peers', 'Other servers of the database that are heard.', ({ hub }) => hub.peers);
  gauge(
    'jmap_push_shards',
    'Shares of the push subscriptions that this server serves, of 16.',
    ({ hub }) => hub.shards,
  );
  counter(
    {
      name: 'jmap_push_doubts_total',
      help: 'Comparisons with the database, by why changes may have been missed.',
      label: 'reason',
    },
    ({ hub }) => hub.doubts,
  );
  counter(
    {
      name: 'jmap_push_hints_total',
      help: 'Accounts whose changes servers tell each other of; shed: dropped, for there were too many.',
      label: 'direction',
    },
    ({ hub }) => hub.hints,
  );
  counter(
    {
      name: 'jmap_pushes_total',
      help: 'Pushes to subscriptions, by how they ended.',
      label: 'result',
    },
    ({ sender }) => sender?.results ?? {},
  );
  gauge(
    'jmap_push_subscriptions',
    'Push subscriptions that this server serves.',
    ({ sender }) => sender?.served ?? 0,
  );
  gauge(
    'jmap_push_oldest_pending_seconds',
    'How long the oldest change waits that a push subscription is to be told of.',
    ({ sender }) => sender?.oldestPending ?? 0,
  );
}
