import type { Wire } from '../../src/sync/wire.js';
import type { Request, Response } from '../../src/transport/transport.js';

/** Requests by HTTP. */
export class HttpWire implements Wire {
  readonly #url: string;
  readonly #token: string;
  #apiUrl: string | null = null;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async send(request: Request): Promise<Response> {
    const authorization = `Bearer ${this.#token}`;
    if (this.#apiUrl === null) {
      const session = await fetch(`${this.#url}/.well-known/jmap`, { headers: { authorization } });
      const { apiUrl } = (await session.json()) as { readonly apiUrl: string };
      this.#apiUrl = apiUrl;
    }
    const response = await fetch(this.#apiUrl, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as Response;
  }
}

/** The fate of a request: it never arrives, or its answer never comes. */
export type Fault = 'request' | 'answer' | null;

/** Loses what `next` says. */
export class FaultyWire implements Wire {
  next: () => Fault = () => null;
  requests = 0;
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async send(request: Request): Promise<Response> {
    this.requests += 1;
    const fault = this.next();
    if (fault === 'request') throw new Error('The request was lost.');
    const response = await this.#wire.send(request);
    if (fault === 'answer') throw new Error('The answer was lost.');
    return response;
  }
}
