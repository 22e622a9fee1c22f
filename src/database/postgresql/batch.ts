import pg from 'pg';
import type { Acquired } from './pool.js';
import { type Known, type Lifetime, type Parser, parserOf } from './prepared.js';

/** A statement to be sent, and what is done with its answer. */
export interface Ask {
  readonly text: string;
  /** It is prepared; without one it is planned each time. */
  readonly lifetime?: Lifetime | undefined;
  readonly values: readonly (string | null)[];
  /** Gets each row as it comes; must not throw. */
  readonly take: (row: readonly unknown[]) => void;
  /** The tag of the command: what was done, and to how many rows. */
  readonly resolve: (tag: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends statements with one Sync behind them: one packet there, one back, and one transaction
 * unless one is open. If a statement fails, the server skips those behind it, and they get its
 * error.
 */
export function send(client: Acquired, asks: readonly Ask[]): void {
  client.query(new Batch(client, asks));
}

/** To the driver a query like its own, of which it sees one answer. */
class Batch extends pg.Query {
  readonly #client: Acquired;
  readonly #asks: readonly Ask[];
  /** In the same order; and how their columns are read, null of what is prepared here. */
  readonly #known: { readonly known: Known; readonly parsers: Known['parsers'] }[] = [];
  #at = 0;
  #parsers: readonly Parser[] = [];

  constructor(client: Acquired, asks: readonly Ask[]) {
    super('');
    this.#client = client;
    this.#asks = asks;
  }

  override readonly submit = (wire: pg.Connection): void => {
    const { prepared } = this.#client;
    const forget = (name: string): void => wire.close({ type: 'S', name }, true);
    // Over TLS it isn't the socket that pg was given.
    const { stream } = wire;
    stream.cork();
    try {
      for (const { text, lifetime, values } of this.#asks) {
        const known = prepared.use(text, lifetime, forget);
        const { name, parsers } = known;
        const isPrepared = parsers !== null;
        this.#known.push({ known, parsers });
        if (!isPrepared) {
          // An earlier one may have come to nothing, or not have been answered yet.
          if (name !== '') forget(name);
          wire.parse({ name, text, types: [] }, true);
        }
        wire.bind({ statement: name, values: [...values] }, true);
        // The columns of what is prepared stay what they are, or the server refuses it.
        if (!isPrepared) wire.describe({ type: 'P' }, true);
        wire.execute(null, true);
      }
      wire.sync();
    } finally {
      stream.uncork();
    }
    this.#begin();
  };

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
    const known = this.#known[this.#at]?.known;
    if (known !== undefined && known.name !== '') known.parsers = this.#parsers;
    this.#at += 1;
    this.#begin();
    ask?.resolve(text);
  }

  /** The server's answer to one, or the connection's end. */
  handleError(error: unknown): void {
    const unanswered = this.#asks.slice(this.#at);
    // This batch may have closed a statement that an earlier one prepared: prepare it anew.
    for (const { known, parsers } of this.#known.slice(this.#at))
      if (parsers === null) known.parsers = null;
    this.#at = this.#asks.length;
    for (const { reject } of unanswered) reject(error);
  }

  handleReadyForQuery(): void {
    // All have been answered.
  }

  /** A prepared statement and one that gives no rows need no description. */
  #begin(): void {
    this.#parsers = this.#known[this.#at]?.parsers ?? [];
  }
}
