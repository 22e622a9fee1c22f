import { type ApiResponse, type Call, Client } from './client.js';
import { JmapSocket } from './socket.js';

/** A client whose API requests go over one WebSocket (RFC 8887), the rest over HTTP. */
export class SocketClient extends Client {
  readonly #socket: JmapSocket;
  readonly #ids: { next: number };

  constructor(client: Client, socket: JmapSocket, ids = { next: 0 }) {
    super(client.url, client.token, client.using);
    this.#socket = socket;
    this.#ids = ids;
  }

  /** By the client's token, or by a ticket in its place. */
  static async open(client: Client, ticket: string | null = null): Promise<SocketClient> {
    return new SocketClient(client, await JmapSocket.open(client, { ticket }));
  }

  override with(using: readonly string[]): SocketClient {
    return new SocketClient(super.with(using), this.#socket, this.#ids);
  }

  override async api(calls: readonly Call[], more: object = {}): Promise<ApiResponse> {
    const id = `r${this.#ids.next}`;
    this.#ids.next += 1;
    this.#socket.send({ '@type': 'Request', id, using: this.using, methodCalls: calls, ...more });
    const {
      '@type': type,
      requestId,
      ...response
    } = await this.#socket.take((message) => message['requestId'] === id);
    if (type !== 'Response') throw new Error(`${String(requestId)}: ${JSON.stringify(response)}`);
    return response as unknown as ApiResponse;
  }

  close(): void {
    this.#socket.close();
  }
}
