import type { PushChannel } from './sender-ports.js';

/**
 * Where a subscription is: nothing is new; it waits for its turn; its push runs; it waits after a
 * failure; it is served no more.
 */
type Phase = 'idle' | 'due' | 'running' | 'failed' | 'gone';

/**
 * A subscription that this process serves, as small as can be: there may be tens of thousands. Its
 * URL and its keys are read when something is sent.
 */
export class Served {
  readonly id: string;
  readonly host: string;
  readonly shard: number;
  phase: Phase = 'idle';
  channel: PushChannel | null = null;
  /** The channel counts more as told than the receiver was: it must be opened anew. */
  isBehind = false;
  /** Another number after each change of the subscription. */
  version = 0;
  /** Something became new while its push ran. */
  isWoken = false;
  /** Its service was slow or busy: the next pause is a long one. */
  isSlow = false;
  /** No push before, of `performance.now()`. */
  nextAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, host: string, shard: number) {
    this.id = id;
    this.host = host;
    this.shard = shard;
  }

  /** Calls `work` after `pause` ms, in the place of what was to come. */
  delay(pause: number, work: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(work, pause).unref();
  }

  closeChannel(): void {
    this.channel?.close();
    this.channel = null;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.closeChannel();
    this.phase = 'gone';
  }
}
