import type { JsonObject } from '../../../src/protocol/json.js';
import type { Push, PushOptions } from './push.js';

/** A method call, or the response to one (RFC 8620 3.2). */
export type Invocation = readonly [name: string, args: JsonObject, callId: string];

/** A Request object (RFC 8620 3.3). */
export interface Request {
  readonly using: readonly string[];
  readonly methodCalls: readonly Invocation[];
  readonly createdIds?: Readonly<Record<string, string>>;
}

/** A Response object (RFC 8620 3.4). */
export interface Response {
  readonly methodResponses: readonly Invocation[];
  readonly createdIds?: Readonly<Record<string, string>>;
  readonly sessionState: string;
}

export interface SendOptions {
  readonly signal: AbortSignal;
}

/** Brings requests to the server: HTTP, or a WebSocket. It repeats none. */
export interface Transport {
  /** Rejects with a CallError, or with the signal's reason. */
  send(request: Request, options: SendOptions): Promise<Response>;
  /** Opens push; without this, an event source tells of changes. */
  openPush?(options: PushOptions): Push;
  /** Ends what is open. */
  close(): Promise<void>;
}
