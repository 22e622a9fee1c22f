import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Call } from '../model.js';
import { USING, type WaitsServer } from './project.js';

/** Speaks to the server as the user whose requests are large. */
export class Client {
  readonly accountId: string;
  /** Another account of the same user. */
  readonly fromAccountId: string;
  readonly #server: WaitsServer;

  constructor(server: WaitsServer) {
    this.#server = server;
    this.accountId = server.accountIds.big;
    this.fromAccountId = server.accountIds.scratch;
  }

  /** Sends a body; resolves to the octets of the answer, whatever its status is. */
  async send(body: Buffer | string): Promise<Buffer> {
    const response = await fetch(`${this.#server.url}/jmap`, {
      method: 'POST',
      headers: { ...this.#headers, 'Content-Type': 'application/json' },
      body,
    });
    return Buffer.from(await response.arrayBuffer());
  }

  /** Runs one call that must succeed; resolves to its response. */
  async call(name: string, args: object): Promise<Record<string, unknown>> {
    const answer = (await this.send(requestOf([name, args, '0']))).toString('utf8');
    const response = (JSON.parse(answer) as { methodResponses?: [string, object, string][] })
      .methodResponses?.[0];
    if (response?.[0] !== name) throw new Error(`${name} was answered: ${answer.slice(0, 300)}`);
    return response[1] as Record<string, unknown>;
  }

  /** Creates objects; resolves to their ids. */
  async create(
    type: string,
    objects: readonly object[],
    accountId = this.accountId,
  ): Promise<readonly string[]> {
    const ids: string[] = [];
    let begin = 0;
    while (begin < objects.length) {
      let end = begin;
      // As many as fit into a request.
      for (let octets = 0; end < objects.length && end - begin < 1000; end += 1) {
        octets += JSON.stringify(objects[end]).length + 20;
        if (octets > 9_900_000 && end > begin) break;
      }
      const create = Object.fromEntries(objects.slice(begin, end).map((one, n) => [`k${n}`, one]));
      const { created } = await this.call(`${type}/set`, { accountId, create });
      const made = created as Record<string, { id: string }> | null;
      for (let n = 0; n < end - begin; n += 1) ids.push(made?.[`k${n}`]?.id ?? '');
      begin = end;
    }
    if (ids.includes('')) throw new Error(`Not all objects of ${type} were created.`);
    return ids;
  }

  async upload(data: Buffer): Promise<string> {
    const response = await fetch(`${this.#server.url}/jmap/upload/${this.accountId}`, {
      method: 'POST',
      headers: { ...this.#headers, 'Content-Type': 'application/octet-stream' },
      body: data,
    });
    return ((await response.json()) as { blobId: string }).blobId;
  }

  /** Opens a WebSocket; resolves to what sends a message and waits for its answer. */
  async webSocket(): Promise<(message: string) => Promise<void>> {
    const socket = new WebSocket(`${this.#server.url.replace('http', 'ws')}/jmap/ws`, 'jmap', {
      headers: this.#headers,
    });
    await once(socket, 'open');
    return async (message) => {
      socket.send(message);
      await once(socket, 'message');
      socket.close();
    };
  }

  get #headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.#server.token}` };
  }
}

export function requestOf(...methodCalls: readonly Call[]): string {
  return JSON.stringify({ using: USING, methodCalls });
}
