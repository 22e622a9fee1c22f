import type { Request, Response } from '../transport/transport.js';
import { readAnswers } from './answers.js';
import type { Arguments } from './cut.js';
import type { CallError } from './errors.js';
import type { Outcome } from './methods.js';
import { type PackOptions, packCalls, writeRequest } from './pack.js';
import type { RecordedCall } from './recording.js';
import { failWork, makeWork } from './work.js';

export interface RunOptions extends Pick<PackOptions, 'readLimit'> {
  /** Rejects with a CallError, or with the reason of a signal. */
  send(request: Request): Promise<Response>;
  readonly signal: AbortSignal;
}

/**
 * Sends calls in order, in as few requests as the server's limits allow. Resolves to an outcome of
 * each; rejects with the signal's reason alone.
 */
export async function runCalls(
  calls: readonly RecordedCall[],
  { readLimit, send, signal }: RunOptions,
): Promise<readonly Outcome<Arguments>[]> {
  const works = calls.map(makeWork);
  const createdIds = new Map<string, string>();
  while (works.some(({ outcome }) => outcome === undefined)) {
    const packed = packCalls({ works, createdIds, readLimit });
    // A call whose reference leads nowhere has an outcome without having been sent.
    if (packed.length === 0) continue;
    try {
      readAnswers(packed, await send(writeRequest(packed, createdIds)), createdIds);
    } catch (error) {
      signal.throwIfAborted();
      for (const work of works) failWork(work, error as CallError);
    }
  }
  return works.flatMap(({ outcome }) => outcome ?? []);
}

/** Methods that change nothing (RFC 8620 5). */
const READING = /\/(get|changes|query|queryChanges)$/;

/** Returns whether a request can be run twice. */
export function isReading({ methodCalls }: Request): boolean {
  return methodCalls.every(([name]) => READING.test(name));
}
