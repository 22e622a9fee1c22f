import { sleep } from '../call/retry.js';
import { followSignal } from '../call/scope.js';
import type { Channel, Role, Roles, Work } from './roles.js';

/** How long a tab may take to say that it still has a role, ms. */
const PATIENCE = 5000;

/** Asks who has a role, and is the answer to that. */
interface RoleMessage {
  readonly kind: 'ask' | 'here';
  readonly role: Role;
}

/**
 * Roles by Web Locks. The browser frees the lock of a tab that is closed or crashes. A tab that is
 * frozen keeps it: others take the lock from a tab that doesn't answer them.
 */
export class LockRoles implements Roles {
  readonly #name: string;
  readonly #locks: Pick<LockManager, 'request'>;
  readonly #channel: Channel;
  readonly #held = new Set<Role>();
  /** Roles whose holder has answered since somebody asked. */
  readonly #heard = new Set<Role>();

  constructor(name: string, locks: Pick<LockManager, 'request'>, channel: Channel) {
    this.#name = name;
    this.#locks = locks;
    this.#channel = channel;
    channel.addEventListener('message', ({ data }) => this.#receive(data as RoleMessage));
  }

  async run<T>(role: Role, work: Work<T>, signal: AbortSignal): Promise<T> {
    const waiting = followSignal(signal);
    const isHolderGone = this.#watchHolder(role, waiting.signal);
    let isGranted = false;
    const begin: Work<T> = (own) => {
      isGranted = true;
      waiting.abort(undefined);
      return work(own);
    };
    isHolderGone.then(waiting.abort, () => undefined);
    try {
      return await this.#hold(role, { signal: waiting.signal }, begin, signal);
    } catch (error) {
      if (isGranted || signal.aborted) throw error;
    }
    return await this.#hold(role, { steal: true }, work, signal);
  }

  /** Requests the lock, and runs work while this tab has it. */
  #hold<T>(role: Role, options: LockOptions, work: Work<T>, signal: AbortSignal): Promise<T> {
    const own = followSignal(signal);
    return new Promise<T>((resolve, reject) => {
      let isGranted = false;
      const run = async (): Promise<void> => {
        isGranted = true;
        this.#held.add(role);
        this.#post('here', role);
        try {
          own.signal.throwIfAborted();
          resolve(await work(own.signal));
        } catch (error) {
          reject(error as Error);
        } finally {
          this.#held.delete(role);
        }
      };
      this.#locks.request(`${this.#name} ${role}`, options, run).then(own.abort, (error) => {
        // Either the lock was stolen from the work, or this tab no longer waits for it.
        if (!isGranted) reject(error as Error);
        own.abort(error);
      });
    });
  }

  /** Resolves when the holder of a role doesn't answer; rejects where the wait is over before. */
  async #watchHolder(role: Role, signal: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(PATIENCE, signal);
      this.#heard.delete(role);
      this.#post('ask', role);
      await sleep(PATIENCE, signal);
      if (!this.#heard.has(role) && !this.#held.has(role)) return;
    }
  }

  #receive({ kind, role }: RoleMessage): void {
    if (kind === 'here') this.#heard.add(role);
    if (kind === 'ask' && this.#held.has(role)) this.#post('here', role);
  }

  #post(kind: RoleMessage['kind'], role: Role): void {
    this.#channel.postMessage({ kind, role } satisfies RoleMessage);
  }
}
