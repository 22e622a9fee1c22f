import pg from 'pg';
import { lateError } from './errors.js';

export type Pool = pg.Pool;
export type PoolClient = pg.PoolClient;

/** How long opening a connection may take, ms. */
const CONNECT_TIMEOUT = 10_000;
/** A connection that nobody needs is closed after this, ms. */
const IDLE_TIMEOUT = 60_000;

export interface PoolOptions {
  readonly url: string;
  /** Connections at the most. */
  readonly size: number;
  /** Told of connections that break while nobody uses them; the pool replaces them. */
  readonly onError?: (error: unknown) => void;
  /** The server refuses all that writes on its connections. */
  readonly readOnly?: boolean;
  /** Statements are sent before those ahead of them have been answered. */
  readonly pipeline?: boolean;
}

/** A pool of connections. Opens none yet: the first use does. */
export function openPool(options: PoolOptions): Pool {
  const { url, size, onError = () => undefined, readOnly = false, pipeline = false } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    idleTimeoutMillis: IDLE_TIMEOUT,
    keepAlive: true,
    pipeline,
    application_name: 'jmapsmith',
    // Before anybody has the connection; one on which it fails nobody gets.
    ...(readOnly ? { onConnect: readOnlyFromNowOn } : {}),
  });
  pool.on('error', onError);
  // A connection that breaks while it is in use fails its statement; the event must be heard too, or
  // the process ends.
  pool.on('connect', (client) => void client.on('error', onError));
  return pool;
}

/** A connection of the pool, or UnavailableError where none is free before `deadline`. */
export async function acquire(pool: Pool, deadline: number): Promise<PoolClient> {
  const wait = deadline - performance.now();
  if (wait <= 0) throw lateError();
  const connecting = pool.connect();
  let late = false;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    // Timers take no more than 31 bits.
    timer = setTimeout(
      () => {
        late = true;
        reject(lateError());
      },
      Math.min(wait, 2 ** 31 - 1),
    );
  });
  try {
    return await Promise.race([connecting, timeout]);
  } finally {
    clearTimeout(timer);
    // What comes too late goes back; why it did not come is of no interest any more.
    if (late) {
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
    }
  }
}

async function readOnlyFromNowOn(client: pg.ClientBase): Promise<void> {
  await client.query('SET default_transaction_read_only = on');
}
