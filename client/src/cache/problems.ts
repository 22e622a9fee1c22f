import type { JsonValue } from '../../../src/protocol/json.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import type { StoreWriter } from '../store/store-writer.js';
import type { PendingWrite } from '../store/write.js';
import type { Refusal } from '../sync/outcomes.js';
import type { Problem } from './cached-types.js';
import { Variable } from './observable.js';

/** The keys of their rows begin so. */
const PREFIX = 'problem ';

/** A write of an account that was refused. */
export interface RefusedWrite {
  readonly accountId: string;
  readonly write: PendingWrite;
  readonly error: Refusal;
}

/**
 * Makes a write once more, in one commit with rows of the store. Returns false where nothing can be
 * written at present.
 */
export type Repeat = (refused: RefusedWrite, rows: readonly RowChange[]) => boolean;

/** Refused writes that nobody waited for. The store keeps them until somebody deals with them. */
export class Problems {
  readonly list = new Variable<readonly Problem[]>([]);
  readonly #writer: StoreWriter;
  readonly #repeat: Repeat;
  readonly #byWrite = new Map<string, Problem>();

  constructor(writer: StoreWriter, repeat: Repeat) {
    this.#writer = writer;
    this.#repeat = repeat;
  }

  async load(store: OpenStore): Promise<void> {
    const rows = await store.load('meta', PREFIX);
    this.add(rows.map(([, value]) => value as unknown as RefusedWrite));
  }

  /** Returns the rows of refused writes. They are written in the commit that ends the writes. */
  rowsOf(refused: readonly RefusedWrite[]): readonly RowChange[] {
    return refused.map((one) => ({ ...rowOf(one), value: one as unknown as JsonValue }));
  }

  /** Shows refused writes. */
  add(refused: readonly RefusedWrite[]): void {
    if (refused.length === 0) return;
    this.list.set([...this.list.getSnapshot(), ...refused.map((one) => this.#makeProblem(one))]);
  }

  /** Forgets the problem of a write whose end somebody has asked for by now, and of no other. */
  dismiss(writeId: string): void {
    const problem = this.#byWrite.get(writeId);
    this.#byWrite.delete(writeId);
    const isAsked = ![...this.#byWrite.values()].some((other) => other === problem);
    if (isAsked) problem?.discard();
  }

  #makeProblem(refused: RefusedWrite): Problem {
    const { accountId, write, error } = refused;
    const { type, kind, key } = write;
    const values = kind === 'create' ? write.values : kind === 'update' ? write.patch : null;
    const problem: Problem = Object.freeze({
      ...{ accountId, type, kind, key, values, error },
      retry: () => {
        if (this.#has(problem) && this.#repeat(refused, [rowOf(refused)])) this.#remove(problem);
      },
      discard: () => {
        if (this.#has(problem)) void this.#writer.write([rowOf(refused)]);
        this.#remove(problem);
      },
    });
    for (const id of write.ids) this.#byWrite.set(id, problem);
    return problem;
  }

  /** Returns false where it was dealt with before. */
  #has(problem: Problem): boolean {
    return this.list.getSnapshot().includes(problem);
  }

  #remove(problem: Problem): void {
    if (!this.#has(problem)) return;
    for (const [id, one] of this.#byWrite) if (one === problem) this.#byWrite.delete(id);
    this.list.set(this.list.getSnapshot().filter((one) => one !== problem));
  }
}

function rowOf({ accountId, write }: RefusedWrite): RowChange {
  return { table: 'meta', key: `${PREFIX}${accountId} ${write.ids[0]}` };
}
