import type { JsonValue } from '../../../src/protocol/json.js';
import type { OpenStore, Change as RowChange } from '../persist/port.js';
import { findTouched } from '../store/checks.js';
import { isEqual } from '../store/values.js';
import { type PendingWrite, unsend } from '../store/write.js';
import type { Refusal } from '../sync/outcomes.js';
import type { Problem } from './cached-types.js';
import { Variable } from './observable.js';
import { RowReader, type RowWriter } from './row-reader.js';
import { copyJson } from './write-forms.js';

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
  readonly #write: (rows: readonly RowChange[]) => void;
  readonly #repeat: Repeat;
  readonly #byRow = new Map<string, Problem>();
  readonly #byWrite = new Map<string, Problem>();
  readonly #refused = new Map<Problem, RefusedWrite>();
  readonly #reader: RowReader;

  constructor(write: (rows: readonly RowChange[]) => void, writer: RowWriter, repeat: Repeat) {
    this.#write = write;
    this.#reader = new RowReader(writer);
    this.#repeat = repeat;
  }

  /** Reads what the store has; all others are dealt with. */
  read(store: OpenStore): Promise<void> {
    const known = () => this.#byRow.keys();
    return this.#reader.read(store, PREFIX, known, (rows) => this.#take(rows));
  }

  /**
   * Takes rows that others have written. Returns whether problems are among them: who tells of them
   * late may not know that they were dealt with.
   */
  follow(rows: readonly RowChange[]): boolean {
    const ours = rows.filter(({ table, key }) => table === 'meta' && key.startsWith(PREFIX));
    this.#take(ours);
    return ours.some(({ value }) => value !== undefined);
  }

  #take(rows: readonly RowChange[]): void {
    for (const { key, value } of rows) {
      this.#reader.note(key);
      const problem = this.#byRow.get(key);
      const known = problem && (this.#refused.get(problem) as JsonValue | undefined);
      if (problem !== undefined && !isEqual(value, known)) this.#remove(problem);
    }
    this.add(rows.flatMap(({ value }) => (value ? [value as unknown as RefusedWrite] : [])));
  }

  /** Returns the rows of refused writes. They are written in the commit that ends the writes. */
  rowsOf(refused: readonly RefusedWrite[]): readonly RowChange[] {
    return refused.map((one) => ({ ...rowOf(one), value: one as unknown as JsonValue }));
  }

  /** Stores a refused write, and shows it. */
  report(refused: RefusedWrite): void {
    this.#write(this.rowsOf([refused]));
    this.add([refused]);
  }

  /** Removes rows of refused writes that are not shown. */
  remove(rows: readonly RowChange[]): void {
    for (const { key } of rows) this.#reader.note(key);
    if (rows.length > 0) this.#write(rows.map(({ table, key }) => ({ table, key })));
  }

  /** Shows refused writes. */
  add(refused: readonly RefusedWrite[]): void {
    for (const one of refused) this.#reader.note(rowOf(one).key);
    const fresh = refused.filter((one) => !this.#byRow.has(rowOf(one).key));
    if (fresh.length === 0) return;
    this.list.set([...this.list.getSnapshot(), ...fresh.map((one) => this.#makeProblem(one))]);
  }

  /** Returns the rows of all problems. */
  get rows(): readonly RowChange[] {
    return this.rowsOf([...this.#refused.values()]);
  }

  /** Returns why a write was refused, where it is one of the problems. */
  find(writeId: string): Refusal | undefined {
    return this.#byWrite.get(writeId)?.error as Refusal | undefined;
  }

  /** Forgets the problem of a write whose end somebody has asked for by now, and of no other. */
  dismiss(writeId: string): void {
    const problem = this.#byWrite.get(writeId);
    this.#byWrite.delete(writeId);
    const ids = problem && this.#refused.get(problem)?.write.ids;
    if (ids?.every((id) => !this.#byWrite.has(id))) problem?.discard();
  }

  #makeProblem(refused: RefusedWrite): Problem {
    const { accountId, write, error } = refused;
    const row = rowOf(refused);
    const { type, kind, key } = write;
    const given = unsend(write);
    const values =
      given.kind === 'create' ? given.values : given.kind === 'update' ? given.patch : null;
    const repeat = (again: PendingWrite): void => {
      const isTaken = this.#has(problem) && this.#repeat({ ...refused, write: again }, [row]);
      if (isTaken) this.#remove(problem);
    };
    const problem: Problem = Object.freeze({
      ...{ accountId, type, kind, key, values, error },
      retry: () => repeat(write),
      edit: (other: object) => repeat(withValues(write, other)),
      discard: () => {
        if (this.#has(problem)) this.#write([row]);
        this.#remove(problem);
      },
    });
    this.#refused.set(problem, refused);
    this.#byRow.set(row.key, problem);
    for (const id of write.ids) this.#byWrite.set(id, problem);
    return problem;
  }

  /** Returns false where it was dealt with before. */
  #has(problem: Problem): boolean {
    return this.list.getSnapshot().includes(problem);
  }

  #remove(problem: Problem): void {
    if (!this.#has(problem)) return;
    this.#refused.delete(problem);
    for (const known of [this.#byRow, this.#byWrite])
      for (const [id, one] of known)
        if (one === problem) {
          known.delete(id);
          this.#reader.note(id);
        }
    this.list.set(this.list.getSnapshot().filter((one) => one !== problem));
  }
}

/** Returns a write of other values: those of a create, or the patch of an update. */
function withValues(write: PendingWrite, values: object): PendingWrite {
  const { isRepaired: _, ...fresh } = write;
  if (fresh.kind === 'create') return { ...fresh, values: copyJson(values) };
  if (fresh.kind !== 'update') return fresh;
  const patch = copyJson(values);
  const { unchanged } = fresh;
  return { ...unsend(fresh), patch, unchanged: unchanged && findTouched(unchanged, patch) };
}

function rowOf({ accountId, write }: RefusedWrite): RowChange {
  return { table: 'meta', key: `${PREFIX}${accountId} ${write.ids[0]}` };
}
