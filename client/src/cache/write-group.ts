import { append, findCancelled, type Log, namesIn } from '../store/log.js';
import type { Replica, Row } from '../store/replica.js';
import type { PendingWrite } from '../store/write.js';
import { divideGroup, fits } from '../sync/flush.js';
import { makeRefusal, type Outcome, type Refusal } from '../sync/outcomes.js';
import type { EndOfWrite } from './waiters.js';
import { refuse, type ShownWrite, showLater, type WriteTarget } from './write-forms.js';

/** Writes that were made together, as their program sees them. */
export interface SharedWrite {
  readonly saved: Promise<boolean>;
  readonly result: Promise<EndOfWrite>;
}

/** A write that was recorded, with the object as it leaves it. */
export interface Recorded {
  readonly write: PendingWrite;
  readonly object: Row | undefined;
  /** The client refuses it. */
  readonly error?: Refusal;
}

interface Waiting {
  readonly object: Row | undefined;
  /** Makes the write; once more, where the group had to wait. */
  readonly make: (target: WriteTarget) => ShownWrite;
  readonly end: (shown: ShownWrite) => void;
  readonly ended: Promise<ShownWrite>;
}

export const ABORTED = makeRefusal('aborted', 'The function that makes the writes has thrown.');

/** Records writes, of which nothing shows until all of them are taken in one commit. */
export class WriteGroup implements WriteTarget {
  readonly #replica: Replica;
  readonly #group = crypto.randomUUID();
  readonly #rows = new Map<string, Row | undefined>();
  readonly #waiting: Waiting[] = [];
  readonly #recorded: Recorded[] = [];
  /** A write needs an object that has yet to be read. */
  #isLate = false;
  readonly refusal: Refusal | null;
  readonly isLoading: boolean;
  #log: Log = [];
  #isOver = false;

  constructor(
    replica: Replica,
    { refusal, isLoading }: Pick<WriteTarget, 'refusal' | 'isLoading'>,
  ) {
    this.#replica = replica;
    this.refusal = refusal;
    this.isLoading = isLoading;
  }

  get isLate(): boolean {
    return this.#isLate;
  }

  /** The ends of creates that are destroyed before anybody has seen them. */
  get cancelled(): readonly Outcome[] {
    const taken = this.#recorded.filter(({ error }) => error === undefined);
    return findCancelled(
      taken.map(({ write }) => write),
      this.#log,
    );
  }

  get recorded(): readonly Recorded[] {
    return this.#recorded;
  }

  find(type: string, id: string): ReturnType<WriteTarget['find']> {
    const key = this.#replica.keyOf(type, id);
    const name = `${type} ${key}`;
    return { key, row: this.#rows.has(name) ? this.#rows.get(name) : this.#replica.row(type, key) };
  }

  take(write: PendingWrite, before?: Row): ShownWrite {
    if (this.#isOver) throw new Error('The function that makes the writes has ended.');
    const { type, key } = write;
    const row = this.#replica.preview(write, this.find(type, key).row ?? null, true);
    const grouped = { ...write, group: this.#group };
    this.#log = this.#rows.has(`${type} ${key}`)
      ? append(this.#log, grouped, this.#replica.defaultsOf(type))
      : [...this.#log, grouped];
    this.#rows.set(`${type} ${key}`, row);
    const object = before ?? row;
    this.#recorded.push({ write: grouped, object });
    return this.#record((target) => target.take(write, before), object);
  }

  refuse(write: PendingWrite, error: Refusal): ShownWrite {
    this.#recorded.push({ write, object: undefined, error });
    return this.#record((target) => target.refuse(write, error));
  }

  defer(make: Waiting['make']): ShownWrite {
    this.#isLate = true;
    return this.#record(make);
  }

  #record(make: Waiting['make'], object?: Row): ShownWrite {
    let end: Waiting['end'] = () => undefined;
    const ended = new Promise<ShownWrite>((resolve) => {
      end = resolve;
    });
    this.#waiting.push({ object, make, end, ended });
    return showLater(ended, object);
  }

  /** Makes the same writes in another group. */
  repeatIn(group: WriteGroup): void {
    for (const { make, end } of this.#waiting) end(make(group));
  }

  /**
   * Returns the log of the writes. Those of a type come together: in one /set, if none of them
   * needs what a write of another type between them makes.
   */
  finish(): Log {
    this.#isOver = true;
    const calls: PendingWrite[][] = [];
    /** The last calls that write objects, by their keys alone, and with their types. */
    const places = new Map<string, number>();
    for (const write of this.#log) {
      const name = `${write.type} ${write.key}`;
      let at = calls.findLastIndex(([first]) => first?.type === write.type);
      // Others may name its object until the write before it.
      if (write.kind === 'destroy' && at < calls.length - 1) at = -1;
      const isLater = [...namesIn(write)].some((key) => (places.get(key) ?? at) > at);
      const call = isLater || places.get(name) === at ? undefined : calls[at];
      if (call !== undefined && fits(call, write, Number.POSITIVE_INFINITY)) call.push(write);
      else at = calls.push([write]) - 1;
      places.set(name, at).set(write.key, at);
    }
    return divideGroup(calls.flat(), this.#replica);
  }

  /** Takes note of what has become of the writes, in their order. */
  end(shown: readonly ShownWrite[]): ShownWrite {
    for (const [index, { end, object }] of this.#waiting.entries())
      end(shown[index] ?? { object, ...refuse(ABORTED) });
    const all = this.#waiting.map(({ ended }) => ended);
    return {
      object: undefined,
      saved: Promise.all(shown.map(({ saved }) => saved)).then((each) => each.every(Boolean)),
      get result() {
        return findEnd(all);
      },
    };
  }
}

/** Resolves to the first refusal, once all writes have ended. */
async function findEnd(all: readonly Promise<ShownWrite>[]): Promise<EndOfWrite> {
  const ends = await Promise.all(all.map(async (one) => (await one).result));
  return ends.find(({ ok }) => !ok) ?? { ok: true, object: undefined };
}

/**
 * Has a function make writes, and hands on all of them. Where it throws, nothing is written. A
 * group that needs objects which have yet to be read waits for these.
 */
export function recordGroup(
  target: Pick<WriteTarget, 'refusal' | 'isLoading' | 'defer'> & { readonly hasDeferred: boolean },
  replica: Replica,
  make: (target: WriteTarget) => void,
  take: (group: WriteGroup, log: Log) => readonly ShownWrite[],
): SharedWrite {
  const group = new WriteGroup(replica, target);
  try {
    make(group);
  } catch (error) {
    group.finish();
    group.end([]);
    throw error;
  }
  const log = group.finish();
  if (!group.isLate && !target.hasDeferred) return group.end(take(group, log));
  return target.defer(() => {
    const again = new WriteGroup(replica, target);
    group.repeatIn(again);
    return again.end(take(again, again.finish()));
  });
}
