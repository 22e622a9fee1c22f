import { Socket } from 'node:net';
import pg from 'pg';
import { inTime, lateError, timeLeft } from '../../runtime/deadlines.js';
import { Prepared } from './prepared.js';

export type PoolClient = pg.PoolClient;

/** How long opening a connection may take, ms. */
const CONNECT_TIMEOUT = 10_000;
/** A connection that nobody needs is closed after this, ms. */
const IDLE_TIMEOUT = 60_000;
/** The time without traffic, ms, after which a connection is tried: a network may have lost it. */
export const KEEP_ALIVE = 10_000;

/** Why a connection broke. The driver's own error holds all that is known of the connection. */
export interface BreakReason {
  readonly message: string;
  readonly code: string | undefined;
}

export interface PoolOptions {
  readonly url: string;
  /** Connections at the most. */
  readonly size: number;
  /** Told of connections that break; the pool replaces them. */
  readonly onError?: (reason: BreakReason) => void;
  /** The server refuses all that writes on its connections. */
  readonly readOnly?: boolean;
  /** Commits don't wait for the disk: for rows that a crash of the database may undo. */
  readonly relaxed?: boolean;
  /** Statements are sent before those ahead of them have been answered. */
  readonly pipeline?: boolean;
  /**
   * After this time without an answer, ms, a statement fails and its connection closes: a network
   * may vanish silently. For connections without long statements and without a call's deadline.
   */
  readonly answerWithin?: number;
  /** How long a statement waits for a lock, ms: then it fails, and is to be repeated. */
  readonly lockWait?: number;
}

/** A connection whose socket is known, so that it can be cut. */
export class SocketClient extends pg.Client {
  readonly socket: Socket;
  readonly prepared = new Prepared();
  /** When it was last given back, to be used again. */
  freeSince = Infinity;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.socket = socket;
  }
}

/** A connection that `acquire` has given. */
export type Acquired = PoolClient & Omit<SocketClient, keyof pg.Client>;

/** A pool of connections. Opens none yet: the first use does. */
export class Pool extends pg.Pool {
  /** When a connection last broke in use. */
  #brokenAt = -Infinity;

  constructor(options: PoolOptions) {
    const { url, size, onError = () => undefined } = options;
    const { pipeline = false, answerWithin } = options;
    const settings = settingsOf(options);
    super({
      connectionString: url,
      max: size,
      connectionTimeoutMillis: CONNECT_TIMEOUT,
      idleTimeoutMillis: IDLE_TIMEOUT,
      keepAlive: true,
      pipeline,
      Client: SocketClient,
      keepAliveInitialDelayMillis: KEEP_ALIVE,
      application_name: 'jmapsmith',
      // Before anybody has the connection; one on which it fails nobody gets.
      ...(settings === ''
        ? {}
        : { onConnect: async (client) => void (await client.query(settings)) }),
      ...(answerWithin === undefined ? {} : { query_timeout: answerWithin }),
    });
    // A connection emits an error as it breaks, even when idle; unheard, that ends the process.
    this.on('error', () => undefined);
    this.on('connect', (client) => {
      client.on('error', ({ message, code }: NodeJS.ErrnoException) => onError({ message, code }));
    });
    this.on('release', (error: unknown, client) => {
      if (error) this.#brokenAt = performance.now();
      else (client as Acquired).freeSince = performance.now();
    });
  }

  /**
   * Returns a connection; throws UnavailableError if none is free before `deadline`. It drops those
   * that were idle when another broke: in a silent network each would use up a call's time.
   */
  async acquire(deadline: number): Promise<Acquired> {
    for (;;) {
      const client = await this.#free(deadline);
      if (client.freeSince > this.#brokenAt) return client;
      client.release(true);
    }
  }

  async #free(deadline: number): Promise<Acquired> {
    if (timeLeft(deadline) <= 0) throw lateError();
    const connecting = this.connect() as Promise<Acquired>;
    try {
      return await inTime(deadline, connecting, lateError);
    } catch (error) {
      // A connection that comes too late goes back; why none came is of no interest any more.
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
      throw error;
    }
  }
}

export function openPool(options: PoolOptions): Pool {
  return new Pool(options);
}

export async function hasTable(client: Pool | PoolClient, table: string): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    'SELECT to_regclass(quote_ident($1)) IS NOT NULL AS "there"',
    [table],
  );
  return rows[0]?.there === true;
}

/** Returns the statements that a new connection begins with. */
function settingsOf({ readOnly = false, relaxed = false, lockWait }: PoolOptions): string {
  return [
    ...(readOnly ? ['SET default_transaction_read_only = on'] : []),
    ...(relaxed ? ['SET synchronous_commit = off'] : []),
    ...(lockWait === undefined ? [] : [`SET lock_timeout = ${lockWait}`]),
  ].join('; ');
}
