import pg from 'pg';
import type { PoolClient } from './pool.js';
import { type Parser, parserOf } from './values.js';

/** A statement to be sent, and what is done with its answer. */
export interface Ask {
  readonly text: string;
  /** Prepared by this name, once for each connection; without one it is planned each time. */
  readonly name?: string;
  readonly values: readonly (string | null)[];
  /** Gets each row as it comes; must not throw. */
  readonly take: (row: readonly unknown[]) => void;
  /** The tag of the command: what was done, and to how many rows. */
  readonly resolve: (tag: string) => void;
  readonly reject: (error: unknown) => void;
}

/** What the driver has of a connection to the server. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { readonly name: string; readonly text: string }): void;
  bind(message: { readonly statement: string; readonly values: readonly unknown[] }): void;
  describe(message: { readonly type: 'P' }): void;
  execute(message: undefined): void;
  close(message: { readonly type: 'S'; readonly name: string }): void;
  sync(): void;
}

/** What the names of statements begin with of which a connection keeps the last ones alone. */
export const PASSING = 'jmapsmith_passing_';
/** So many of them. */
const PASSING_KEPT = 64;

/** What each connection has prepared: by name, how its columns are read. */
const prepared = new WeakMap<Wire, Map<string, readonly Parser[]>>();

/**
 * Sends statements with one Sync behind all of them: one packet there, one back, and one transaction
 * where none has been begun. Where one fails the server skips those behind it, which fail with the
 * same error.
 */
export function send(client: PoolClient, asks: readonly Ask[]): void {
  client.query(new Batch(asks) as unknown as pg.Query);
}

/** Passing statements of each connection, in order of last use. */
const passing = new WeakMap<Wire, Set<string>>();

/** Has the server forget the statement that was asked for least of late, where there are enough. */
function makeRoom(
  wire: Wire,
  known: Map<string, readonly Parser[]>,
  kept: Set<string>,
  name: string,
): void {
  kept.delete(name);
  kept.add(name);
  if (kept.size <= PASSING_KEPT) return;
  for (const oldest of kept) {
    kept.delete(oldest);
    known.delete(oldest);
    wire.close({ type: 'S', name: oldest });
    break;
  }
}

/**
 * To the driver a query like its own, of which it sees one answer. (Of the driver's class, since it
 * sends no other in a pipeline; its constructor makes what a batch has no use for.)
 */
class Batch {
  readonly #asks: readonly Ask[];
  #at = 0;
  #parsers: readonly Parser[] = [];
  #known: Map<string, readonly Parser[]> = new Map();
  #passing: ReadonlySet<string> = new Set();

  static {
    Object.setPrototypeOf(Batch.prototype, pg.Query.prototype);
  }

  constructor(asks: readonly Ask[]) {
    this.#asks = asks;
  }

  submit(wire: Wire): null {
    const known = prepared.get(wire) ?? new Map<string, readonly Parser[]>();
    prepared.set(wire, known);
    this.#known = known;
    const kept = passing.get(wire) ?? new Set<string>();
    passing.set(wire, kept);
    this.#passing = kept;
    wire.stream.cork();
    try {
      for (const { name = '', text, values } of this.#asks) {
        const isKnown = name !== '' && known.has(name);
        if (name.startsWith(PASSING)) makeRoom(wire, known, kept, name);
        if (!isKnown) {
          // An earlier one may have come to nothing, or not have been answered yet.
          if (name !== '') wire.close({ type: 'S', name });
          wire.parse({ name, text });
        }
        wire.bind({ statement: name, values });
        // The columns of what is prepared stay what they are, or the server refuses it.
        if (!isKnown) wire.describe({ type: 'P' });
        wire.execute(undefined);
      }
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
    this.#begin();
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const parsers = this.#parsers;
    const row: unknown[] = new Array(fields.length);
    for (let index = 0; index < fields.length; index += 1) {
      const field = fields[index] ?? null;
      const parse = parsers[index];
      row[index] = field === null || parse === undefined ? field : parse(field);
    }
    this.#asks[this.#at]?.take(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const ask = this.#asks[this.#at];
    this.#at += 1;
    if (ask?.name !== undefined && this.#isKept(ask.name)) this.#known.set(ask.name, this.#parsers);
    this.#begin();
    ask?.resolve(text);
  }

  /** The server's answer to one, or the connection's end. */
  handleError(error: unknown): void {
    const rest = this.#asks.slice(this.#at);
    this.#at = this.#asks.length;
    for (const { reject } of rest) reject(error);
  }

  handleReadyForQuery(): void {
    // All have been answered.
  }

  /** It has not been forgotten for others meanwhile. */
  #isKept(name: string): boolean {
    return !name.startsWith(PASSING) || this.#passing.has(name);
  }

  /** Nothing is described of what is prepared already, nor of what gives no rows. */
  #begin(): void {
    const name = this.#asks[this.#at]?.name;
    this.#parsers = (name === undefined ? undefined : this.#known.get(name)) ?? [];
  }
}
