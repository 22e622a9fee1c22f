import type { OpenStore } from '../../src/persist/port.js';
import type { Channel } from '../../src/tabs/roles.js';
import { guardCalls } from '../support/wrap-store.js';

/** Lets a part of a tab stop and go on. */
export class Ice {
  #thaw: (() => void) | null = null;
  #frozen: Promise<void> = Promise.resolve();

  freeze(): void {
    if (this.#thaw !== null) return;
    this.#frozen = new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  thaw(): void {
    this.#thaw?.();
    this.#thaw = null;
  }

  /** Resolves at once, or when a frozen tab is thawed. */
  wait(): Promise<void> {
    return this.#frozen;
  }
}

interface Listener {
  readonly target: EventTarget;
  readonly ice: Ice;
  readonly isEnded: () => boolean;
}

/** Channels of one name. A frozen tab gets its messages when it is thawed, one that ended never. */
export class Channels {
  readonly #all = new Set<Listener>();

  open(ice: Ice, isEnded = () => false): Channel {
    const own: Listener = { target: new EventTarget(), ice, isEnded };
    this.#all.add(own);
    return {
      addEventListener: own.target.addEventListener.bind(own.target) as never,
      postMessage: (message: unknown) => {
        if (isEnded()) return;
        const data = structuredClone(message);
        for (const other of this.#all) if (other !== own) void this.#deliver(other, data);
      },
      close: () => {
        this.#all.delete(own);
      },
    };
  }

  async #deliver(to: Listener, data: unknown) {
    await to.ice.wait();
    if (this.#all.has(to) && !to.isEnded())
      to.target.dispatchEvent(new MessageEvent('message', { data }));
  }
}

interface Request {
  /** The tab that asks. */
  readonly owner: Ice | null;
  readonly begin: () => Promise<void>;
  readonly fail: (reason: unknown) => void;
}

/** Web Locks, exclusive ones: https://www.w3.org/TR/web-locks/#algorithms */
export class Locks implements Pick<LockManager, 'request'> {
  readonly #queues = new Map<string, Request[]>();
  readonly #holders = new Map<string, Request>();
  readonly #ended = new Set<Ice | null>();

  request(name: string, ...rest: readonly unknown[]): Promise<never> {
    return this.#request(null, name, rest);
  }

  /** Returns the locks as a tab has them. */
  of(owner: Ice): Pick<LockManager, 'request'> {
    return { request: (name: string, ...rest: unknown[]) => this.#request(owner, name, rest) };
  }

  /** Takes the locks from a tab, as others do that have waited for it. */
  rob(owner: Ice): void {
    for (const [name, holder] of this.#holders) {
      if (holder.owner !== owner) continue;
      holder.fail(new DOMException('The lock was stolen.', 'AbortError'));
      this.#holders.delete(name);
      this.#grant(name);
    }
  }

  /** A tab has ended: it gets no locks any more, and nothing waits for one. */
  end(owner: Ice): void {
    this.#ended.add(owner);
    this.rob(owner);
    for (const queue of this.#queues.values())
      for (const request of queue.filter((one) => one.owner === owner)) {
        queue.splice(queue.indexOf(request), 1);
        request.fail(new DOMException('The tab has ended.', 'AbortError'));
      }
  }

  #request(owner: Ice | null, name: string, rest: readonly unknown[]): Promise<never> {
    const callback = rest.at(-1) as () => Promise<unknown>;
    const options = (rest.length > 1 ? rest[0] : {}) as LockOptions;
    return new Promise<never>((resolve, reject) => {
      const request: Request = {
        owner,
        begin: () => callback().then((value) => resolve(value as never), reject),
        fail: reject,
      };
      options.signal?.throwIfAborted();
      if (this.#ended.has(owner)) throw new DOMException('The tab has ended.', 'AbortError');
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      if (options.steal === true) {
        if (this.#ended.has(owner)) throw new DOMException('The tab has ended.', 'AbortError');
        this.#holders.get(name)?.fail(new DOMException('The lock was stolen.', 'AbortError'));
        this.#holders.delete(name);
        queue.unshift(request);
      } else queue.push(request);
      options.signal?.addEventListener('abort', () => {
        const index = queue.indexOf(request);
        if (index < 0) return;
        queue.splice(index, 1);
        reject(options.signal?.reason as Error);
      });
      void Promise.resolve().then(() => this.#grant(name));
    });
  }

  #grant(name: string): void {
    if (this.#holders.has(name)) return;
    const queue = this.#queues.get(name) ?? [];
    const next = queue.shift();
    if (next === undefined) return;
    this.#holders.set(name, next);
    void next.begin().then(() => {
      if (this.#holders.get(name) !== next) return;
      this.#holders.delete(name);
      this.#grant(name);
    });
  }
}

/** A store whose calls wait while the tab is frozen. */
export function freezeWith(ice: Ice, store: OpenStore): OpenStore {
  return guardCalls(store, async (call) => {
    await ice.wait();
    return call();
  });
}
