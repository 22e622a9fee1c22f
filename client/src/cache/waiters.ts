import type { Row } from '../store/replica.js';
import type { Outcome, Refusal } from '../sync/outcomes.js';

/** The end of a write, as its program sees it. */
export type EndOfWrite =
  | { readonly ok: true; readonly object: Row | undefined }
  | { readonly ok: false; readonly error: Refusal };

/** A write whose end is to come. */
export interface Waiter {
  readonly result: Promise<EndOfWrite>;
  /** Somebody has asked for the result. */
  isAsked: boolean;
  /** The object as the write showed it. */
  readonly object: Row | undefined;
  readonly end: (end: EndOfWrite) => void;
}

export const CLOSED: Refusal = Object.freeze({
  type: 'closed',
  description: 'The client is closed.',
});

/** The writes of this program that have no answer yet, by their ids. */
export class Waiters {
  readonly #all = new Map<string, Waiter>();

  add(id: string, object: Row | undefined): Waiter {
    let end: Waiter['end'] = () => undefined;
    const result = new Promise<EndOfWrite>((resolve) => {
      end = resolve;
    });
    const waiter: Waiter = { result, isAsked: false, object, end };
    this.#all.set(id, waiter);
    return waiter;
  }

  /** Returns the ids of a write, several where writes became one, whose ends somebody asked for. */
  findAsked({ write }: Outcome): readonly string[] {
    return write.ids.filter((id) => this.#all.get(id)?.isAsked === true);
  }

  /** Ends all that wait: their client is closed, and hears nothing more of them. */
  close(): void {
    for (const { end } of this.#all.values()) end({ ok: false, error: CLOSED });
    this.#all.clear();
  }

  /**
   * Ends writes that aren't pending; `find` returns why one was refused. Returns the ids of those
   * whose ends somebody asked for.
   */
  endRest(
    pending: ReadonlySet<string>,
    find: (id: string) => Refusal | undefined,
  ): readonly string[] {
    const asked: string[] = [];
    for (const [id, waiter] of this.#all) {
      if (pending.has(id)) continue;
      this.#all.delete(id);
      if (waiter.isAsked) asked.push(id);
      const error = find(id);
      waiter.end(error === undefined ? { ok: true, object: waiter.object } : { ok: false, error });
    }
    return asked;
  }

  /** Ends writes; `find` returns an object as it is now. */
  end(outcomes: readonly Outcome[], find: (outcome: Outcome) => Row | undefined): void {
    for (const outcome of outcomes) {
      for (const id of outcome.write.ids) {
        const waiter = this.#all.get(id);
        if (waiter === undefined) continue;
        this.#all.delete(id);
        const object = outcome.write.kind === 'destroy' ? undefined : find(outcome);
        waiter.end(
          outcome.isMade
            ? { ok: true, object: object ?? waiter.object }
            : { ok: false, error: outcome.error },
        );
      }
    }
  }
}
