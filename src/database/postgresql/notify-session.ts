import type { QueryResult, QueryResultRow } from 'pg';
import { inTime, lateError } from '../../runtime/deadlines.js';
import { Serial } from '../../runtime/serial.js';
import { KEEP_ALIVE, SocketClient } from './pool.js';

/** One channel a database: PostgreSQL keeps those of different databases apart. */
const CHANNEL = 'jmapsmith_push';

/** The first key of the advisory locks of shards: "jmap" in ASCII. The second one is the shard. */
const SHARD_LOCKS = 0x6a6d6170;

const PATIENCE = 5000;

/** How long a good-bye may take, ms. */
const END = 1000;

/**
 * A NOTIFY writes to the log, and all of a database wait for each other at their commits. So
 * nobody waits for the disk: what a crash forgets, every listener has lost anyway. It is set for
 * the one statement: a pooler would leave it to other clients of the same connection.
 */
const NOTIFY = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`;

/**
 * PostgreSQL notices within so many ms that this process or the way to it is gone. Then others get
 * its shards, and notifications stop waiting for it.
 */
const UNACKNOWLEDGED = 20_000;
const SETTLE = `SELECT set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '2', false),
  set_config('tcp_user_timeout', $1, false)`;

/** Ends sessions that are so old, ms, and waits for each of them for so long, ms. */
const END_SESSIONS = `SELECT pg_terminate_backend("pid", $3) FROM pg_stat_activity
  WHERE "application_name" = ANY($1) AND "datname" = current_database()
    AND "usename" = current_user AND "pid" <> pg_backend_pid()
    AND "backend_start" <= clock_timestamp() - $2 * interval '1 millisecond'`;

/** How long each is waited for, ms: all have been asked to end before, so they end together. */
const END_WAIT = 100;

/** The names of the sessions of processes: so others find them. */
const NAME = 'jmapsmith push ';

export interface NotifySessionOptions {
  /** As DATABASE_URL takes it. */
  readonly url: string;
  /** Identifies this process's sessions, at most 40 characters. */
  readonly origin: string;
  readonly listener: {
    payload(text: string): void;
    lost(error: unknown): void;
  };
  /** ms after which PostgreSQL gives up a client that takes nothing. */
  readonly unacknowledged?: number | undefined;
  /** How long opening it and each of its statements may take, ms. */
  readonly patience?: number | undefined;
}

/** Sends a payload to all sessions that listen in the database. */
async function notify(client: SocketClient, payload: string): Promise<void> {
  await client.query(NOTIFY, [CHANNEL, payload]);
}

/** Returns a connection to be opened; its opening and its statements take `patience` ms at most. */
function makeClient(url: string, name: string, patience = PATIENCE): SocketClient {
  return new SocketClient({
    connectionString: url,
    connectionTimeoutMillis: patience,
    query_timeout: patience,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE,
    application_name: name,
  });
}

/** Ends a connection: in order, or else by cutting it. */
async function end(client: SocketClient): Promise<void> {
  try {
    await inTime(performance.now() + END, client.end(), lateError);
  } finally {
    client.socket.destroy();
  }
}

/** A session outside of the pools that hears what `notify` sends, and holds locks of shards. */
export class NotifySession {
  readonly #client: SocketClient;
  readonly #statements = new Serial();
  readonly #origin: string;
  readonly #unacknowledged: number;

  private constructor(client: SocketClient, origin: string, unacknowledged = UNACKNOWLEDGED) {
    this.#client = client;
    this.#origin = origin;
    this.#unacknowledged = unacknowledged;
  }

  /** Opens a session; rejects with the driver's error, or after 5 s without an answer. */
  static async open(options: NotifySessionOptions): Promise<NotifySession> {
    const { url, origin, listener } = options;
    const client = makeClient(url, NAME + origin, options.patience);
    let isOpen = false;
    const session = new NotifySession(client, origin, options.unacknowledged);
    // Unheard, an error of an idle connection ends the process.
    client.on('error', (error) => isOpen && listener.lost(error));
    client.on('end', () => isOpen && listener.lost(new Error('The session has ended.')));
    client.on('notification', ({ payload = '' }) => listener.payload(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      session.destroy();
      throw error;
    }
    isOpen = true;
    return session;
  }

  notify(payload: string): Promise<void> {
    return this.#statements.run(() => notify(this.#client, payload));
  }

  /** Sets when PostgreSQL gives this session up, and ends earlier ones of the same process. */
  async settle(): Promise<void> {
    await this.#query(SETTLE, [String(this.#unacknowledged)]);
    await this.expel([this.#origin], 0);
  }

  /** Ends the sessions of processes that are older than `silence` ms, but not this one. */
  async expel(origins: readonly string[], silence: number): Promise<void> {
    const names = origins.map((origin) => NAME + origin);
    // The second time waits until they are gone, and their shards free.
    for (const wait of [0, END_WAIT]) await this.#query(END_SESSIONS, [names, silence, wait]);
  }

  async takeShards(shards: readonly number[]): Promise<readonly number[]> {
    try {
      const { rows } = await this.#query<{ shard: number }>(
        `SELECT "shard" FROM unnest($2::int[]) AS "shard" WHERE pg_try_advisory_lock($1, "shard")`,
        [SHARD_LOCKS, shards],
      );
      return rows.map(({ shard }) => shard);
    } catch (error) {
      // After its time the statement may still take locks, which nobody would know of.
      this.destroy();
      throw error;
    }
  }

  async releaseShards(shards: readonly number[]): Promise<void> {
    await this.#query(`SELECT pg_advisory_unlock($1, "shard") FROM unnest($2::int[]) AS "shard"`, [
      SHARD_LOCKS,
      shards,
    ]);
  }

  /** Ends the session, and with it its locks. */
  end(): Promise<void> {
    return end(this.#client);
  }

  destroy(): void {
    this.#client.socket.destroy();
  }

  #query<T extends QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<QueryResult<T>> {
    return this.#statements.run(() => this.#client.query<T>(text, [...values]));
  }
}

/** Sends a payload by a connection for it alone: those of a pool may be stuck in a lost network. */
async function announce(url: string, payload: string, patience?: number): Promise<void> {
  const client = makeClient(url, 'jmapsmith', patience);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await notify(client, payload);
  } finally {
    await end(client).catch(() => undefined);
  }
}

/** Returns what a hub of the database at `url` asks of it. */
export function notifyDatabase(
  url: string,
  how: Pick<NotifySessionOptions, 'unacknowledged' | 'patience'> = {},
) {
  return (origin: string) => ({
    listen: (listener: NotifySessionOptions['listener']) =>
      NotifySession.open({ ...how, url, origin, listener }),
    announce: (payload: string) => announce(url, payload, how.patience),
  });
}
