import { hash } from 'node:crypto';
import type { PushChannel, PushChannelListener, PushRow } from './sender-ports.js';

/**
 * Where a subscription is: nothing is new; it waits for its turn; its push runs; it waits after a
 * failure; it is served no more.
 */
type Phase = 'idle' | 'due' | 'running' | 'failed' | 'gone';

/** Is told what the channels of subscriptions tell. */
export interface ServedListener {
  wake(served: Served): void;
  ended(served: Served): void;
}

/**
 * A subscription that this process serves, as small as can be: there may be tens of thousands. Its
 * URL and its keys are read when something is sent.
 */
export class Served implements PushChannelListener {
  readonly id: string;
  readonly host: string;
  readonly shard: number;
  phase: Phase = 'idle';
  channel: PushChannel | null = null;
  /** Stands for the types that the channel was opened with. */
  types = '';
  /** The channel counts more as told than the receiver was: it must be opened anew. */
  isBehind = false;
  /** Another number after each change of the subscription. */
  version = 0;
  /** Something became new while its push ran. */
  isWoken = false;
  /** Its service was slow or busy: the next pause is a long one. */
  isSlow = false;
  /** When the first change came that is still to be told, of `performance.now()`. */
  pendingSince: number | null = null;
  /** No push before, of `performance.now()`. */
  nextAt = 0;
  readonly #listener: ServedListener;
  #timer: NodeJS.Timeout | undefined;

  constructor(row: Pick<PushRow, 'id' | 'url' | 'shard'>, listener: ServedListener) {
    this.id = row.id;
    this.host = new URL(row.url).host;
    this.shard = row.shard;
    this.#listener = listener;
  }

  setChannel(channel: PushChannel, { types }: Pick<PushRow, 'types'>): void {
    this.closeChannel();
    this.channel = channel;
    this.types = printOf(types);
  }

  /** Returns whether the channel must be opened anew: the row says more than it knows. */
  isOutdated(row: Pick<PushRow, 'types'>): boolean {
    return this.channel === null || this.isBehind || this.hasOtherTypes(row);
  }

  /** Returns whether the channel is open for other types than those of the row. */
  hasOtherTypes({ types }: Pick<PushRow, 'types'>): boolean {
    return this.channel !== null && this.types !== printOf(types);
  }

  wake(): void {
    this.#listener.wake(this);
  }

  ended(): void {
    this.#listener.ended(this);
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

/** Returns a text of 12 characters for types: their names would take much more memory. */
function printOf(types: PushRow['types']): string {
  return hash('sha256', JSON.stringify(types), 'base64url').slice(0, 12);
}
