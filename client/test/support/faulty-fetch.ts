import { CORE, type Session } from '../../src/call/session.js';

/** The fate of a request: it never arrives, or its answer never comes. */
export type Fault = 'request' | 'answer' | null;

/** A `fetch` that loses calls as `judge` says. Sessions are always to be had, with these limits. */
export function makeFaultyFetch(
  judge: () => Fault,
  limits: Readonly<Record<string, number>>,
): typeof fetch {
  return async (url, init) => {
    if (init?.method !== 'POST') return limitSession(await fetch(url, init), limits);
    const fault = judge();
    if (fault === 'request') throw new TypeError('The request was lost.');
    const response = await fetch(url, init);
    if (fault === null) return response;
    await response.arrayBuffer();
    throw new TypeError('The answer was lost.');
  };
}

async function limitSession(
  response: Response,
  limits: Readonly<Record<string, number>>,
): Promise<Response> {
  const session = (await response.json()) as Session;
  const core = { ...session.capabilities[CORE], ...limits };
  return Response.json({ ...session, capabilities: { ...session.capabilities, [CORE]: core } });
}
