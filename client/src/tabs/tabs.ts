import { makeScope } from '../call/scope.js';
import type { OpenStore } from '../persist/port.js';
import { LockRoles } from './lock-roles.js';
import type { Channel, Roles, Tabs } from './roles.js';

export interface TabsOptions {
  /** The same in all tabs that share the store: its name. */
  readonly name: string;
  readonly store: OpenStore;
  /** By default those of the locks of the browser; without these, of the store. */
  readonly roles?: Roles;
  /** By default a BroadcastChannel of the name. */
  readonly channel?: Channel;
}

interface Announcement<Message> {
  readonly kind: 'announcement';
  readonly tab: string;
  /** Counts the announcements of the tab. */
  readonly seq: number;
  readonly message: Message;
}

async function findRoles(name: string, store: OpenStore, channel: Channel): Promise<Roles> {
  const locks = globalThis.navigator?.locks;
  if (locks !== undefined) return new LockRoles(name, locks, channel);
  // Few browsers need it.
  const { LeaseRoles } = await import('./lease-roles.js');
  return new LeaseRoles(store);
}

export function openTabs<Message>(options: TabsOptions): Tabs<Message> {
  const { name, store, channel = new BroadcastChannel(name) } = options;
  const roles = options.roles ?? findRoles(name, store, channel);
  const scope = makeScope();
  const running = new Set<Promise<unknown>>();
  const tab = crypto.randomUUID();
  /** The last announcement of each tab. */
  const seen = new Map<string, number>();
  const listeners = new Set<(message: Message, hasMissed: boolean) => void>();
  let seq = 0;
  let isClosed = false;
  channel.addEventListener('message', ({ data }) => {
    const announcement = data as Announcement<Message>;
    if (announcement.kind !== 'announcement') return;
    const last = seen.get(announcement.tab) ?? announcement.seq - 1;
    seen.set(announcement.tab, announcement.seq);
    for (const listener of listeners) listener(announcement.message, announcement.seq !== last + 1);
  });
  return {
    runExclusive: (role, work) =>
      scope.run(undefined, (signal) => {
        const run = Promise.resolve(roles).then((found) => found.run(role, work, signal));
        running.add(run);
        return run.finally(() => running.delete(run));
      }),
    announce(message) {
      if (isClosed) return;
      seq += 1;
      const announcement: Announcement<Message> = { kind: 'announcement', tab, seq, message };
      channel.postMessage(announcement);
    },
    onMessage(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      scope.close();
      await Promise.allSettled(running);
      isClosed = true;
      channel.close();
    },
  };
}
