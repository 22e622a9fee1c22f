import type { Session } from '../../src/call/session.js';

/** The fate of a request: it never arrives, or its answer never comes. */
export type Fault = 'request' | 'answer' | null;

/** A `fetch` that loses calls as `judge` says. Sessions are always to be had, edited. */
export function makeFaultyFetch(
  judge: () => Fault,
  edit: (session: Session) => Session,
): typeof fetch {
  return async (url, init) => {
    if (init?.method !== 'POST') {
      const response = await fetch(url, init);
      return Response.json(edit((await response.json()) as Session));
    }
    const fault = judge();
    if (fault === 'request') throw new TypeError('The request was lost.');
    const response = await fetch(url, init);
    if (fault === null) return response;
    await response.arrayBuffer();
    throw new TypeError('The answer was lost.');
  };
}
