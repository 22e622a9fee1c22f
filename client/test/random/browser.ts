import type { OpenStore } from '../../src/persist/port.js';
import { LockRoles } from '../../src/tabs/lock-roles.js';
import type { Tabs } from '../../src/tabs/roles.js';
import { openTabs } from '../../src/tabs/tabs.js';
import { Channels, type Ice, Locks } from '../tabs/doubles.js';

/** How a tab stands: it may be frozen, and gone. */
export interface TabState {
  readonly ice: Ice;
  readonly isKilled: boolean;
}

/** The locks and channels by which the tabs of a device share their store. */
export class Browser {
  readonly #locks = new Locks();
  readonly #channels = new Map<string, Channels>();
  /** The highest epoch that a fence has raised. */
  #epoch = 0;

  /** Opens the way from a tab to the others. */
  open<Message>(name: string, store: OpenStore, tab: TabState): Tabs<Message> {
    const channels = this.#channels.get(name) ?? new Channels();
    this.#channels.set(name, channels);
    const channel = channels.open(tab.ice, () => tab.isKilled);
    const roles = new LockRoles(name, this.#locks.of(tab.ice), channel);
    return openTabs({ name, store, roles, channel });
  }

  /** Others take the roles of a tab. */
  rob({ ice }: TabState): void {
    this.#locks.rob(ice);
  }

  /** A tab is gone, and its locks are free. */
  end({ ice }: TabState): void {
    this.#locks.end(ice);
  }

  noteFence(epoch: number): void {
    this.#epoch = Math.max(this.#epoch, epoch);
  }

  get epoch(): number {
    return this.#epoch;
  }
}
