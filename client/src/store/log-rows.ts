import type { JsonValue } from '../../../src/protocol/json.js';
import type { Change as RowChange } from '../persist/port.js';
import { countCommon, type Log } from './log.js';
import { isEqual } from './values.js';
import type { PendingWrite } from './write.js';

/** Digits of the number of a row: keys are in the order of their code units. */
const DIGITS = 12;

/** Ended rows that are kept: a tab tells of its writes within seconds, or ends. */
const MOST_ENDED = 1000;

/** A row that a store has, and the request that carries its write. */
export type StoredPlace = readonly [place: string, sentAs: string | null];

/**
 * The rows that a log has in a store: one for each entry, numbered in their order. Clients may add
 * rows without knowing each other's: each has a mark of its own behind its numbers.
 */
export class LogRows {
  readonly #prefix: string;
  readonly #mark = ` ${crypto.randomUUID()}`;
  /** The keys of rows, without their account. */
  readonly #places = new Map<PendingWrite, string>();
  /** The requests that carry the writes of the rows that a store has, by the rows' places. */
  readonly #stored = new Map<string, string | null>();
  /** Places of rows that are being written. */
  readonly #coming = new Set<string>();
  /** Rows of other tabs that have ended: these may tell of them later. */
  readonly #ended = new Set<string>();
  #last = 0;

  constructor(accountId: string) {
    this.#prefix = `${accountId} `;
  }

  /**
   * Takes rows that others have written; returns the log with them. New rows replace none: another
   * tab may have gone on with those before.
   */
  take(log: Log, rows: readonly RowChange[], areNew = false): Log {
    if (areNew && this.#areNext(log, rows)) return [...log, ...rows.map((row) => this.#add(row))];
    const writes = new Map(log.map((write) => [this.#places.get(write) ?? '', write]));
    for (const { key, value } of rows) {
      const place = this.#placeOf(key);
      if (value === undefined) {
        writes.delete(place);
        this.#end(place);
        this.#stored.delete(place);
      } else if (!areNew || !(writes.has(place) || this.#ended.delete(place))) {
        const known = writes.get(place);
        const isKnown = isEqual(known as unknown as JsonValue, value);
        const write = isKnown && known ? known : (value as unknown as PendingWrite);
        writes.set(place, write);
        this.#stored.set(place, write.sentAs);
      }
    }
    this.#places.clear();
    const sorted = [...writes].sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [place, write] of sorted) this.#set(write, place);
    return sorted.map(([, write]) => write);
  }

  /** Returns whether new rows, in their order, are behind those of a log: it is sorted then. */
  #areNext(log: Log, rows: readonly RowChange[]): boolean {
    const last = this.#places.get(log.at(-1) as PendingWrite) ?? '';
    return rows.every(({ key, value }) => {
      const place = this.#placeOf(key);
      return value !== undefined && place > last && !this.#ended.has(place);
    });
  }

  #add({ key, value }: RowChange): PendingWrite {
    const write = value as unknown as PendingWrite;
    const place = this.#placeOf(key);
    this.#set(write, place);
    this.#stored.set(place, write.sentAs);
    return write;
  }

  /** Returns the changes of rows by which a store goes on to have all of its rows and no other. */
  findMissing(rows: readonly RowChange[], stored: readonly StoredPlace[]): readonly RowChange[] {
    const there = new Set(rows.map(({ key }) => key));
    const gone = stored.map(([place]) => this.#prefix + place);
    const removed = gone.filter((key) => !there.has(key));
    return [...rows, ...removed.map((key) => ({ table: 'log', key }) as const)];
  }

  /** Returns the rows of all entries. */
  get rows(): readonly RowChange[] {
    return Array.from(this.#places, ([write, place]) => this.#row(place, write));
  }

  /** Returns the places of the rows that the store has, and the requests that carry these. */
  get stored(): readonly StoredPlace[] {
    return [...this.#stored];
  }

  /** Returns whether a store has a row of a write, or gets one in any case. */
  isStored(write: PendingWrite): boolean {
    const place = this.#places.get(write) ?? '';
    return this.#stored.has(place) || this.#coming.has(place);
  }

  /** Notes rows that need no turn: a store gets them, unless it is lost. */
  expect(rows: readonly RowChange[]): void {
    for (const { key, value } of rows)
      if (value !== undefined) this.#coming.add(this.#placeOf(key));
  }

  /** Notes that rows are durable. */
  note(rows: readonly RowChange[]): void {
    for (const { key, value } of rows) {
      this.#coming.delete(this.#placeOf(key));
      const write = value as unknown as PendingWrite | undefined;
      if (write === undefined) this.#stored.delete(this.#placeOf(key));
      else this.#stored.set(this.#placeOf(key), write.sentAs);
    }
  }

  /** Returns whether a store has a row of a write, and not the request that carries it. */
  lacksRequest(write: PendingWrite): boolean {
    const sentAs = this.#stored.get(this.#places.get(write) ?? '');
    return sentAs !== undefined && (sentAs === null || sentAs !== write.sentAs);
  }

  /** Returns the changes of rows that make one log another. */
  change(before: Log, after: Log): readonly RowChange[] {
    const start = countCommon(before, after);
    const old = before.slice(start);
    const placeOf = (write: PendingWrite): string => this.#places.get(write) ?? '';
    const places = new Map(old.flatMap((write) => write.ids.map((id) => [id, placeOf(write)])));
    const kept = new Set<string>();
    const changes: RowChange[] = [];
    let previous = placeOf(after[start - 1] as PendingWrite);
    let group = after[start - 1]?.group;
    for (const write of after.slice(start)) {
      // One that takes the place of others moves none: new writes of other tabs may need them.
      const known = write.ids.map((id) => places.get(id) ?? '').find((one) => one > previous);
      const isMate = write.group !== undefined && write.group === group;
      const place = known ?? (isMate ? nextInGroup(previous) : this.#nextPlace());
      group = write.group;
      if (this.#places.get(write) !== place) changes.push(this.#row(place, write));
      this.#set(write, place);
      kept.add(place);
      previous = place;
    }
    const rest = new Set(after.slice(start));
    for (const write of old) if (!rest.has(write)) this.#places.delete(write);
    const gone = [...new Set(places.values())].filter((place) => !kept.has(place));
    for (const place of gone) this.#end(place);
    return [...changes, ...gone.map((place) => this.#row(place))];
  }

  #end(place: string): void {
    if (place.includes(this.#mark)) return;
    if (this.#ended.size > MOST_ENDED) this.#ended.clear();
    this.#ended.add(place);
  }

  #nextPlace(): string {
    return String(this.#last + 1).padStart(DIGITS, '0') + this.#mark;
  }

  #set(write: PendingWrite, place: string): void {
    this.#places.set(write, place);
    this.#last = Math.max(this.#last, Number(place.slice(0, DIGITS)));
  }

  #placeOf(key: string): string {
    return key.slice(this.#prefix.length);
  }

  #row(place: string, write?: PendingWrite): RowChange {
    const key = this.#prefix + place;
    return { table: 'log', key, ...(write && { value: write as unknown as JsonValue }) };
  }
}

/** Returns the place of a write behind one that was made with it: no other tab has one between. */
function nextInGroup(place: string): string {
  const [first, count = 0] = place.split('.');
  return `${first}.${String(Number(count) + 1).padStart(DIGITS, '0')}`;
}
