import type { JsonValue } from '../../../src/protocol/json.js';
import type { Change as RowChange } from '../persist/port.js';
import { countCommon, type Log } from './log.js';
import type { PendingWrite } from './write.js';

/** Digits of the number of a row: keys are in the order of their code units. */
const DIGITS = 12;

/** The rows that a log has in a store: one for each entry, numbered in their order. */
export class LogRows {
  readonly #accountId: string;
  readonly #numbers = new Map<PendingWrite, number>();
  /** The requests that carry the writes of the rows that a store has, by the rows' numbers. */
  readonly #stored = new Map<number, string | null>();
  #last = 0;

  constructor(accountId: string) {
    this.#accountId = accountId;
  }

  /** Takes the rows of a store; returns the log that they make. */
  read(rows: readonly (readonly [string, JsonValue])[]): Log {
    return rows.map(([key, value]) => {
      const write = value as unknown as PendingWrite;
      this.#last = this.#numberOf(key);
      this.#numbers.set(write, this.#last);
      this.#stored.set(this.#last, write.sentAs);
      return write;
    });
  }

  /** Notes that rows are durable. */
  note(rows: readonly RowChange[]): void {
    for (const { key, value } of rows) {
      const write = value as unknown as PendingWrite | undefined;
      if (write === undefined) this.#stored.delete(this.#numberOf(key));
      else this.#stored.set(this.#numberOf(key), write.sentAs);
    }
  }

  /** Returns whether a store has a row of a write, and not the request that carries it. */
  lacksRequest(write: PendingWrite): boolean {
    const sentAs = this.#stored.get(this.#numbers.get(write) ?? 0);
    return sentAs !== undefined && (sentAs === null || sentAs !== write.sentAs);
  }

  /** Returns the changes of rows that make one log another. */
  change(before: Log, after: Log): readonly RowChange[] {
    const start = countCommon(before, after);
    const old = before.slice(start);
    /** An entry that replaces another has the same first id, and keeps its number. */
    const numbers = new Map(old.map((write) => [write.ids[0], this.#numbers.get(write) ?? 0]));
    const kept = new Set<number>();
    const changes: RowChange[] = [];
    let previous = this.#numbers.get(after[start - 1] as PendingWrite) ?? 0;
    for (const write of after.slice(start)) {
      const known = numbers.get(write.ids[0]) ?? 0;
      const number = known > previous ? known : ++this.#last;
      if (this.#numbers.get(write) !== number) changes.push(this.#row(number, write));
      this.#numbers.set(write, number);
      kept.add(number);
      previous = number;
    }
    const rest = new Set(after.slice(start));
    for (const write of old) if (!rest.has(write)) this.#numbers.delete(write);
    const gone = [...numbers.values()].filter((number) => !kept.has(number));
    return [...changes, ...gone.map((number) => this.#row(number))];
  }

  #numberOf(key: string): number {
    return Number(key.slice(this.#accountId.length + 1));
  }

  #row(number: number, write?: PendingWrite): RowChange {
    const key = `${this.#accountId} ${String(number).padStart(DIGITS, '0')}`;
    return { table: 'log', key, ...(write && { value: write as unknown as JsonValue }) };
  }
}
