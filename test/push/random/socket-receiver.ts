import { JmapSocket } from '../../support/socket.js';
import { type Changed, pause, Receiver } from './receiver.js';

/** A client whose WebSocket has pushes, and breaks now and then (RFC 8887 4.3.5). */
export class SocketReceiver extends Receiver {
  #pushState: string | null = null;

  async run(): Promise<void> {
    while (this.world.phase !== 'over') {
      await this.#listen();
      await pause(this.random.integer(0, 100));
    }
  }

  async #listen(): Promise<void> {
    const client = this.world.client(this.person, this.random);
    if (client === null) return;
    let socket: JmapSocket;
    try {
      socket = await JmapSocket.open(client);
    } catch {
      // The server has died or stops.
      return;
    }
    socket.raw.on('message', (data: Buffer) => this.#take(data.toString('utf8')));
    this.#enable(socket);
    await this.#useFor(socket, this.random.integer(10, 600));
    socket.close();
  }

  /** Keeps the socket for so long, or to the end where the servers are to become quiet. */
  async #useFor(socket: JmapSocket, ms: number): Promise<void> {
    const end = performance.now() + ms;
    const again = this.random.chance(0.3) ? performance.now() + ms / 2 : Number.POSITIVE_INFINITY;
    let isClosed = false;
    void socket.closed.then(() => {
      isClosed = true;
    });
    let hasEnabled = false;
    const isOver = (): boolean =>
      isClosed ||
      this.world.phase === 'over' ||
      (this.world.phase === 'run' && performance.now() > end);
    while (!isOver()) {
      await pause(10);
      if (hasEnabled || isClosed || performance.now() < again) continue;
      hasEnabled = true;
      if (this.random.chance(0.5)) socket.send({ '@type': 'WebSocketPushDisable' });
      this.#enable(socket);
    }
  }

  #enable(socket: JmapSocket): void {
    const isNew = this.#pushState === null;
    if (isNew) this.begin();
    socket.send({
      '@type': 'WebSocketPushEnable',
      dataTypes: this.types,
      ...(isNew ? {} : { pushState: this.#pushState }),
    });
    if (isNew) void this.#askOnce(socket);
  }

  /** Asks for the present states behind the enabling, on the same socket. */
  async #askOnce(socket: JmapSocket): Promise<void> {
    // The socket takes one message after the other: its answer says that push is on.
    socket.send({ '@type': 'Request', id: 'on', using: [], methodCalls: [] });
    await Promise.race([
      socket.find((message) => message['requestId'] === 'on'),
      socket.closed,
    ]).catch(() => undefined);
    await this.ask();
  }

  #take(text: string): void {
    const message = JSON.parse(text) as {
      readonly '@type': string;
      readonly changed: Changed;
      readonly pushState: string;
      readonly requestId?: string;
    };
    if (message['@type'] !== 'StateChange') {
      if (message.requestId === 'on' || message['@type'] === 'Response') return;
      this.world.problems.add(`${this.describe()}: ${text.slice(0, 300)}`);
      return;
    }
    this.take(message.changed, message.pushState);
    this.#pushState = message.pushState;
  }
}
