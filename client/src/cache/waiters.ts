import type { Row } from '../store/replica.js';
import type { PendingWrite } from '../store/write.js';
import { makeRefusal, type Outcome, type Refusal } from '../sync/outcomes.js';

/** The end of a write, as its program sees it. */
export type EndOfWrite =
  | { readonly ok: true; readonly object: Row | undefined }
  | { readonly ok: false; readonly error: Refusal };

/** A write whose end is to come. */
export interface Waiter {
  readonly result: Promise<EndOfWrite>;
  /** Somebody has asked for the result. */
  isAsked: boolean;
  readonly write: PendingWrite;
  /** The object as the write showed it. */
  readonly object: Row | undefined;
  readonly end: (end: EndOfWrite) => void;
}

export const CLOSED = makeRefusal('closed', 'The client is closed.');

/** The writes of this program that have no answer yet, by their ids. */
export class Waiters {
  readonly #all = new Map<string, Waiter>();
  readonly #find: (write: PendingWrite) => Row | undefined;

  /** `find` returns the object of a write as it is now. */
  constructor(find: (write: PendingWrite) => Row | undefined) {
    this.#find = find;
  }

  add(id: string, write: PendingWrite, object: Row | undefined): Waiter {
    let end: Waiter['end'] = () => undefined;
    const result = new Promise<EndOfWrite>((resolve) => {
      end = resolve;
    });
    const waiter: Waiter = { result, isAsked: false, write, object, end };
    this.#all.set(id, waiter);
    return waiter;
  }

  /** Returns the ids of a write, several where writes became one, whose ends somebody asked for. */
  findAsked({ ids }: PendingWrite): readonly string[] {
    return ids.filter((id) => this.#all.get(id)?.isAsked === true);
  }

  /** Returns the ids of those that aren't among pending writes. */
  findForgotten(pending: ReadonlySet<string>): readonly string[] {
    return [...this.#all.keys()].filter((id) => !pending.has(id));
  }

  /** Ends all that wait: their client is closed, and hears nothing more of them. */
  close(): void {
    for (const { end } of this.#all.values()) end({ ok: false, error: CLOSED });
    this.#all.clear();
  }

  /** Ends writes. */
  end(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes)
      for (const id of outcome.write.ids)
        this.endOne(id, outcome.isMade ? undefined : outcome.error, outcome.write);
  }

  /**
   * Ends a write; `error` tells why it was refused, and `write` what has become of it. Returns
   * whether somebody asked for its end.
   */
  endOne(id: string, error: Refusal | undefined, write = this.#all.get(id)?.write): boolean {
    const waiter = this.#all.get(id);
    if (waiter === undefined || write === undefined) return false;
    this.#all.delete(id);
    const object = write.kind === 'destroy' ? undefined : this.#find(write);
    waiter.end(
      error === undefined ? { ok: true, object: object ?? waiter.object } : { ok: false, error },
    );
    return waiter.isAsked;
  }
}
