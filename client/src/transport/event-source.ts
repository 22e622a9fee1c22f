import type { TransportContext } from '../call/connection.js';
import { RequestError, TransportError } from '../call/errors.js';
import { expandTemplate } from '../call/session.js';
import { makeEventReader, type StreamEvent } from './event-reader.js';
import { readOrFail } from './http.js';
import type { ChangedStates, Push, PushOptions } from './push.js';
import { type Attempt, KeptConnection, makePlace, NO_EVENT, type Place } from './reconnect.js';

/** The parts of a client that an event source needs. */
export type PushContext = Omit<TransportContext, 'fallback'>;

/** A server that has it tells the present states at the begin of each connection. */
export const PUSH = 'urn:jmapsmith:push';

/** Seconds between two pings that the client asks for. The server may take another number. */
const PING = 30;
/** The time of two pings and something, in intervals: after it the connection counts as dead. */
const MISSED = 2.5;

/** Opens an event source (RFC 8620 7.3), which `fetch` reads with the user's token. */
export function openEventSource(context: PushContext, options: PushOptions): Push {
  const place = makePlace();
  return new KeptConnection(
    (attempt) => readEventSource(context, options, place, attempt),
    place,
    options.onStatus,
  );
}

/** Reads one answer to its end. Rejects with a CallError. */
export async function readEventSource(
  { http, session, locate }: PushContext,
  { types, onState }: PushOptions,
  place: Place,
  { signal, open }: Attempt,
): Promise<void> {
  const values = { types: types?.join() ?? '*', closeafter: 'no', ping: `${PING}` };
  const url = locate(expandTemplate(session().eventSourceUrl, values));
  let silence = PING * 1000 * MISSED;
  const take = ({ type, data }: StreamEvent): void => {
    const parse = () => JSON.parse(data) as { changed: ChangedStates; interval: number };
    if (type === 'ping') silence = parse().interval * 1000 * MISSED;
    else if (type === 'state' && !signal.aborted) onState(parse().changed);
  };
  // Servers that know no ids refuse the header to pages of other origins.
  const hasIds = PUSH in session().capabilities || place.id !== NO_EVENT;
  const headers = {
    accept: 'text/event-stream',
    ...(hasIds && { 'last-event-id': place.id }),
  };
  const response = await http(url, { headers, signal });
  if (response.status === 204)
    throw new RequestError(204, { detail: 'The server tells of no changes.' });
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    void response.body?.cancel();
    throw new TransportError('The answer is no event stream.');
  }
  open();
  const read = makeEventReader(place, take);
  await readOrFail(signal, async (own, renew) => {
    const write = (text: string): void => {
      read(text);
      renew(silence);
    };
    const texts = response.body?.pipeThrough(new TextDecoderStream());
    await texts?.pipeTo(new WritableStream({ write }), { signal: own });
  });
}
