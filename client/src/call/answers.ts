import type { JsonObject } from '../../../src/protocol/json.js';
import type { Response } from '../transport/transport.js';
import { mergeAnswers } from './cut.js';
import { MethodError, TransportError } from './errors.js';
import type { PackedCall } from './pack.js';
import { failWork, type Work } from './work.js';

/** Gives calls the answers of their request, and notes the ids of what they created. */
export function readAnswers(
  packed: readonly PackedCall[],
  { methodResponses }: Response,
  createdIds: Map<string, string>,
): void {
  /** Calls that are sent once more: they were refused before the server changed anything. */
  const repeated = new Set<Work>();
  const failures = new Map<Work, MethodError>();
  for (const { work, invocation } of packed) {
    const [method, , callId] = invocation;
    const answers = methodResponses.filter(([, , id]) => id === callId);
    // A method may answer more than its own response (RFC 8620 5.4).
    const own = answers.find(([name]) => name === method);
    const refusal = answers.find(([name]) => name === 'error');
    work.answered += 1;
    if (own !== undefined) {
      noteCreated(own[1], createdIds);
      work.answer = work.answer === undefined ? own[1] : mergeAnswers(work.answer, own[1]);
    }
    if (refusal === undefined && own === undefined) {
      failWork(work, new TransportError(`The server gave no answer to ${method}.`));
    } else if (refusal !== undefined) {
      const failure = new MethodError(method, refusal[1]);
      if (own === undefined && isRepeatable(work, failure, repeated)) repeated.add(work);
      else if (!failures.has(work)) failures.set(work, failure);
    }
  }
  for (const [work, failure] of failures) failWork(work, failure);
  for (const { work } of packed) {
    if (repeated.has(work)) {
      work.parts = undefined;
      work.sent = 0;
      work.answered = 0;
    } else if (work.answered === work.parts?.length && work.answer !== undefined) {
      work.outcome ??= { ok: true, value: work.answer };
    }
  }
}

/**
 * Returns whether a call can succeed once the client resolves its references: they have more
 * values than the server takes at once, or they lead to such a call.
 */
function isRepeatable(work: Work, { type }: MethodError, repeated: ReadonlySet<Work>): boolean {
  if (type === 'requestTooLarge') return work.sources.length > 0;
  return type === 'invalidResultReference' && work.sources.some((source) => repeated.has(source));
}

function noteCreated({ created }: JsonObject, createdIds: Map<string, string>): void {
  for (const [key, object] of Object.entries(created ?? {})) {
    createdIds.set(key, (object as { readonly id: string }).id);
  }
}
