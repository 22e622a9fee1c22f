import type { JsonObject } from '../../../src/protocol/json.js';
import type { Request, Response } from '../transport/transport.js';

/** Carries requests to a server. */
export interface Wire {
  /** Rejects where there is no response: the server may have done all of it, a part or nothing. */
  send(request: Request): Promise<Response>;
}

/** The answer of one call by its id: a response, or the method-level error (RFC 8620 3.6.2). */
export type CallAnswer =
  | { readonly isError: false; readonly args: JsonObject }
  | {
      readonly isError: true;
      readonly args: JsonObject;
      readonly type: string;
      /** The response has no answer: the server may have made the call. */
      readonly isMissing?: true;
    };

const FAILED = 'serverFail';

/** Returns the answer of a call; a response that lacks it counts as a failure of the server. */
export function answerOf({ methodResponses }: Response, id: string): CallAnswer {
  const found = methodResponses.find(([, , callId]) => callId === id);
  if (found === undefined) return { isError: true, args: {}, type: FAILED, isMissing: true };
  const [name, args] = found;
  if (name !== 'error') return { isError: false, args };
  return { isError: true, args, type: typeof args['type'] === 'string' ? args['type'] : FAILED };
}
