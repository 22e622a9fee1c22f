import { connect, createServer, type Socket } from 'node:net';

/** A port, or what names it for the first octets of a connection. */
export type Target = number | ((first: Buffer) => number);

/** The way of the octets between the two sides. */
export type Way = 'open' | 'stalled';

export interface Network {
  readonly port: number;
  /** Connections that are there now. */
  connections(): number;
  /** Ends all connections with a reset; new ones are welcome. */
  cut(): void;
  /** Sends the end of the stream to the client's side of each; what it sends still goes through. */
  halfClose(): void;
  /**
   * Nothing goes through any more, in either direction, nor on new connections: they are accepted.
   */
  stall(): void;
  /** New connections go through; stalled ones stay so, as after a firewall's restart. */
  resume(): void;
  /** New connections go there, as after a fail-over. */
  redirect(target: Target): void;
  /**
   * Called with each chunk from the client; where it says `cut`, the connection is cut in place of
   * sending it.
   */
  watch(onChunk: ((chunk: Buffer) => 'send' | 'cut' | 'send, then cut') | undefined): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  way: Way;
}

/**
 * A network of the test's own between a client and a server on this machine, which fails as told.
 */
export async function startProxy(target: Target): Promise<Network> {
  const pairs = new Set<Pair>();
  let way: Way = 'open';
  let current = target;
  let onChunk: ((chunk: Buffer) => 'send' | 'cut' | 'send, then cut') | undefined;

  const reset = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.resetAndDestroy();
    pair.server.resetAndDestroy();
  };
  const join = (client: Socket, port: number): void => {
    const server = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    const pair: Pair = { client, server, way };
    pairs.add(pair);
    client.on('data', (chunk) => {
      if (pair.way === 'stalled') return;
      const verdict = onChunk?.(chunk) ?? 'send';
      if (verdict !== 'cut') server.write(chunk);
      if (verdict === 'send') return;
      if (verdict === 'cut') reset(pair);
      // The server gets the octets, and nobody its answer.
      else pairs.delete(pair) && client.resetAndDestroy() && server.end();
    });
    server.on('data', (chunk) => {
      if (pair.way === 'open' && !client.destroyed) client.write(chunk);
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('end', () => pair.way === 'open' && to.end());
      from.on('error', () => undefined);
      from.on('close', () => {
        if (pair.way === 'stalled') return;
        pairs.delete(pair);
        to.end();
      });
    }
  };
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const choose = current;
    if (typeof choose === 'number') {
      join(client, choose);
      return;
    }
    client.on('error', () => undefined);
    client.once('data', (first) => {
      client.pause();
      client.unshift(first);
      join(client, choose(first));
      client.resume();
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connections: () => pairs.size,
    cut() {
      for (const pair of pairs) reset(pair);
    },
    halfClose() {
      for (const pair of pairs) pair.client.end();
    },
    stall() {
      way = 'stalled';
      for (const pair of pairs) pair.way = 'stalled';
    },
    resume() {
      way = 'open';
    },
    redirect(to) {
      current = to;
    },
    watch(callback) {
      onChunk = callback;
    },
    async close() {
      for (const pair of pairs) reset(pair);
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
