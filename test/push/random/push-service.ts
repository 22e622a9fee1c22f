import type { ServerResponse } from 'node:http';
import { type Received, type Sink, startSink } from '../webpush/sink.js';
import { certificate } from './fleet.js';
import type { World } from './world.js';

/** Takes a message that the push service has accepted, or a verification. */
export type OnMessage = (body: Buffer, isAccepted: boolean) => void;

/** Failures in a row, beyond which a path answers well again. */
const MOST_FAILURES = 2;
/** Retry-After asks for less than the shortest wait of the server. */
const BUSY = { 'retry-after': '1' };

/** The push service of one seed. In some seeds it fails now and then. */
export class PushService {
  readonly #world: World;
  readonly #random: ReturnType<World['random']>;
  readonly #isUnreliable: boolean;
  readonly #listeners = new Map<string, OnMessage>();
  readonly #failures = new Map<string, number>();
  #sink: Sink | null = null;

  private constructor(world: World) {
    this.#world = world;
    this.#random = world.random('push service');
    this.#isUnreliable = this.#random.chance(0.35);
  }

  static async start(world: World): Promise<PushService> {
    const service = new PushService(world);
    service.#sink = await startSink((request, response) => {
      void service.#answer(request, response);
    }, certificate);
    return service;
  }

  /** Returns the URL of a new path, whose messages `listener` takes. */
  listen(path: string, listener: OnMessage): string {
    this.#listeners.set(path, listener);
    return this.#sink?.url(path).href ?? '';
  }

  async close(): Promise<void> {
    await this.#sink?.close();
  }

  async #answer({ path, body }: Received, response: ServerResponse): Promise<void> {
    const failures = this.#failures.get(path) ?? 0;
    const isWell = !this.#isUnreliable || this.#world.phase !== 'run' || failures >= MOST_FAILURES;
    const draw = isWell ? 1 : this.#random.next();
    const isAccepted = draw >= 0.3;
    this.#failures.set(path, isAccepted ? 0 : failures + 1);
    this.#listeners.get(path)?.(body, isAccepted);
    if (isAccepted) {
      if (this.#random.chance(0.2)) await sleep(this.#random.integer(1, 100));
      response.writeHead(201).end();
    } else if (draw < 0.1) response.writeHead(500).end('sorry');
    else if (draw < 0.15) response.writeHead(429, BUSY).end();
    else if (draw < 0.25) response.socket?.destroy();
    // Else it never answers.
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
