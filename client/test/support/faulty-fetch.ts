import type { Session } from '../../src/call/session.js';
import type {
  Invocation,
  Request as JmapRequest,
  Response as JmapResponse,
} from '../../src/transport/transport.js';

/** The fate of a request: it never arrives, or its answer never comes. */
export type Fault = 'request' | 'answer' | null;

/**
 * A `fetch` that loses calls as `judge` says. Sessions are always to be had, edited, and so are
 * requests.
 */
export function makeFaultyFetch(
  judge: () => Fault,
  edit: (session: Session) => Session,
  editRequest: (request: JmapRequest) => JmapRequest = (request) => request,
): typeof fetch {
  return async (url, init) => {
    if (init?.method !== 'POST') {
      const response = await fetch(url, init);
      return Response.json(edit((await response.json()) as Session));
    }
    const fault = judge();
    if (fault === 'request') throw new TypeError('The request was lost.');
    const body = JSON.stringify(editRequest(JSON.parse(String(init.body)) as JmapRequest));
    const response = await fetch(url, { ...init, body });
    if (fault === null) return response;
    await response.arrayBuffer();
    throw new TypeError('The answer was lost.');
  };
}

/** Returns a response with errors in the place of the answers to some calls. */
export function spoil(
  response: JmapResponse,
  calls: readonly Invocation[],
  type: string,
): JmapResponse {
  const ids = new Set(calls.map(([, , id]) => id));
  const methodResponses = response.methodResponses.map((answer): Invocation => {
    const [, , id] = answer;
    return ids.has(id) ? ['error', { type }, id] : answer;
  });
  return { ...response, methodResponses };
}
