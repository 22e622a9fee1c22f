import type { JsonMap } from '../../src/client/json.js';
import type { Fault, ProxyRequest } from '../proxy.js';
import { eventQuery, events, http, session } from './makers.js';

const isStream = ({ path, method }: ProxyRequest): boolean =>
  method === 'GET' && path.includes('closeafter=');

/** Changes the StateChange of each state event. */
const stateChange = (change: (data: JsonMap) => JsonMap) =>
  events('state', (event) =>
    event.replace(/^data: (.*)$/m, (_, data: string) => {
      return `data: ${JSON.stringify(change(JSON.parse(data) as JsonMap))}`;
    }),
  );

/** Changes the id that a client sends which connects again. */
const lastEventId = (change: (id: string) => string | undefined): Partial<Fault> => ({
  request: (one) => {
    const { 'last-event-id': id, ...headers } = one.headers;
    if (!isStream(one) || id === undefined) return one;
    const sent = change(id);
    return {
      ...one,
      headers: sent === undefined ? headers : { ...headers, 'last-event-id': sent },
    };
  },
});

/** An id that checks send which no server gave. */
const isUnknown = (one: ProxyRequest): boolean =>
  isStream(one) && one.headers['last-event-id'] === 'x-nobody';

let known = '';

export const eventFaults: readonly Fault[] = [
  {
    name: 'the event source’s URL has no variable for the pings',
    checks: ['events-url'],
    ...session((one) => ({
      ...one,
      eventSourceUrl: String(one['eventSourceUrl']).replace('{ping}', '0'),
    })),
  },
  {
    name: 'intervals of pings are not put between bounds',
    checks: ['events-open'],
    ...http(
      (request) => isStream(request) && /ping=\d{6}/.test(request.path),
      ({ status: _, ...answer }) => ({ ...answer, status: 400 }),
    ),
  },
  {
    name: 'the event source is plain text',
    checks: ['events-open', 'events-state'],
    ...http(isStream, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'text/plain' },
    })),
  },
  {
    name: 'a client that was let in once is let in by any token',
    checks: ['events-authenticated'],
    request: (one) => {
      if (!isStream(one)) return one;
      known = known === '' ? (one.headers['authorization'] ?? '') : known;
      return { ...one, headers: { ...one.headers, authorization: known } };
    },
  },
  {
    name: 'the event source may be kept',
    checks: ['events-uncached'],
    ...http(isStream, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'cache-control': 'max-age=60' },
    })),
  },
  {
    name: 'a closeafter that nobody knows is taken for no',
    checks: ['events-parameters'],
    ...eventQuery((query) => {
      if (query.get('closeafter') !== 'state') query.set('closeafter', 'no');
    }),
  },
  {
    name: 'no interval is taken for no pings',
    checks: ['events-parameters'],
    ...eventQuery((query) => query.set('ping', query.get('ping') || '0')),
  },
  {
    name: 'the state that is pushed is another one than that of /get',
    checks: [
      'events-state',
      'events-stay-open',
      'events-nothing-changed',
      'events-accounts',
      'events-types',
    ],
    ...events('state', (event) => event.replaceAll(/":"(\w+)"/g, '":"$1x"')),
  },
  {
    name: 'a StateChange has no @type',
    checks: ['events-state'],
    ...stateChange(({ '@type': _, ...data }) => data),
  },
  {
    name: 'a change is told twice',
    checks: ['events-close-after-state'],
    ...events('state', (event) => `${event}\n\n${event}`),
  },
  {
    name: 'each stream ends after an event',
    checks: ['events-stay-open', 'events-ids', 'events-copy'],
    ...eventQuery((query) => query.set('closeafter', 'state')),
  },
  {
    name: 'all types are told, whichever were asked for',
    checks: ['events-types'],
    ...eventQuery((query) => query.set('types', '*')),
  },
  {
    name: 'state events have no id',
    checks: ['events-ids'],
    ...events('state', (event) => event.replace(/^id: .*\n/m, '')),
  },
  {
    name: 'each event has the same id',
    checks: ['events-ids', 'events-missed'],
    ...events('state', (event) => event.replace(/^id: .*$/m, 'id: 1')),
  },
  {
    name: 'an id comes when the stream opens alone',
    checks: ['events-ids'],
    event: (event) => (event.includes('data:') ? event.replace(/^id: .*\n/m, '') : event),
  },
  {
    name: 'Last-Event-ID is not read',
    checks: ['events-missed'],
    ...lastEventId(() => undefined),
  },
  {
    name: 'all states are told to whoever connects again',
    checks: ['events-missed-nothing'],
    ...lastEventId(() => 'all'),
  },
  {
    name: 'who connects again is told of all types',
    checks: ['events-missed-types'],
    request: (one) => {
      if (!isStream(one) || one.headers['last-event-id'] === undefined) return one;
      return { ...one, path: one.path.replace(/types=[^&]*/, 'types=*') };
    },
  },
  {
    name: 'an id that is unknown is refused',
    checks: ['events-unknown-id', 'events-unknown-id-goes-on'],
    ...http(isUnknown, ({ status: _, stream, ...answer }) => {
      stream?.destroy();
      return { ...answer, status: 400 };
    }),
  },
  {
    name: 'a stream with an id that is unknown is silent',
    checks: ['events-unknown-id-goes-on'],
    request: (one) => {
      if (!isUnknown(one)) return one;
      return { ...one, path: one.path.replace(/types=[^&]*/, 'types=Preferences') };
    },
  },
  {
    name: 'events are in ISO-8859-1',
    checks: ['events-format'],
    ...http(isStream, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'text/event-stream; charset=iso-8859-1' },
    })),
  },
  {
    name: 'retry is no number',
    checks: ['events-format'],
    event: (event) => event.replace(/^retry: .*$/m, 'retry: 5s'),
  },
  {
    name: 'a ping comes as the stream opens',
    checks: ['events-ping'],
    event: (event) =>
      event.startsWith('retry:') ? `${event}\n\nevent: ping\ndata: {"interval":5}` : event,
  },
  {
    name: 'a ping comes with each change',
    checks: ['events-ping-zero'],
    ...events('state', (event) => `event: ping\ndata: {"interval":5}\n\n${event}`),
  },
  {
    name: 'pings have an id',
    checks: ['events-ping'],
    ...events('ping', (event) => `id: 7\n${event}`),
  },
  {
    name: 'pings tell no interval',
    checks: ['events-ping'],
    ...events('ping', (event) => event.replace(/^data: .*$/m, 'data: {}')),
  },
  {
    name: 'pings come at intervals of a minute at the least',
    checks: ['events-ping'],
    ...events('ping', (event) => event.replace(/^data: .*$/m, 'data: {"interval":60}')),
  },
  {
    name: 'a call that changed nothing makes an event',
    checks: ['events-nothing-changed'],
    ...events('state', (event) => `${event.replaceAll(/":"\w+"/g, '":"0"')}\n\n${event}`),
  },
  {
    name: 'another user’s accounts are told',
    checks: ['events-accounts'],
    ...stateChange((data) => ({
      ...data,
      changed: { ...(data['changed'] as JsonMap), 'a-foreign': { Any: '1' } },
    })),
  },
  {
    name: 'a copy is told with one state for both accounts',
    checks: ['events-copy'],
    ...events('state', (event) => event.replaceAll(/":"(\w+)"/g, '":"1"')),
  },
];
