import type { JsonMap } from '../../support/json.js';
import { HIDDEN, PUBLIC, TARGET, TYPES } from './objects.js';
import type { Spot } from './scene.js';

/** Makes the arguments of a call, but for what `Probe` says. */
type Args = (spot: Spot) => JsonMap;

/** A row of the table: calls of methods about one thing. */
export interface Probe {
  readonly methods: readonly string[];
  /** The spot’s name for the thing. */
  readonly name: string;
  readonly args: (method: string, spot: Spot) => JsonMap;
  /** The property of the thing that the /get is asked for. */
  readonly shows?: string;
  /** Nothing has changed it: changes need not name it. */
  readonly isStill?: true;
}

/** Methods that change nothing, of all types. */
const READS = ['get', 'changes', 'query', 'queryChanges'] as const;

function idOf(spot: Spot, name: string): string {
  return spot.ids.get(name) ?? '';
}

function readArgs(method: string, spot: Spot, name: string): JsonMap {
  const [type = '', verb] = method.split('/');
  const { state, queryState } = spot.states.get(type) ?? { state: '0', queryState: '0' };
  const sort = TYPES.includes(type) ? { sort: [{ property: 'text' }] } : {};
  if (verb === 'get') return { ids: [idOf(spot, name)] };
  if (verb === 'changes') return { sinceState: state };
  if (verb === 'query') return { ...sort, calculateTotal: true };
  return { ...sort, sinceQueryState: queryState, calculateTotal: true };
}

function reads(type: string, name = type, account: Args = inAccount): Probe {
  return {
    methods: READS.map((method) => `${type}/${method}`),
    name,
    args: (method, spot) => ({ ...account(spot), ...readArgs(method, spot, name) }),
  };
}

const inAccount: Args = ({ accountId }) => ({ accountId });
const inDirectory: Args = ({ directory }) => ({ accountId: directory });
const elsewhere: Args = (spot) => ({ accountId: spot.elsewhere });

function one(method: string, name: string, rest: Args, account: Args = inAccount): Probe {
  return { methods: [method], name, args: (_, spot) => ({ ...account(spot), ...rest(spot) }) };
}

function create(type: string, values: Args = () => ({}), name = type): Probe {
  return one(`${type}/set`, name, (spot) => ({ create: { k: { text: 'new', ...values(spot) } } }));
}

function update(type: string, patch: Args, name = type): Probe {
  return one(`${type}/set`, name, (spot) => ({ update: { [idOf(spot, name)]: patch(spot) } }));
}

function destroy(type: string, name = type): Probe {
  return one(`${type}/set`, name, (spot) => ({ destroy: [idOf(spot, name)] }));
}

/** A copy of an object of the account to the asker's own one. */
function copyFrom(type: string, name = type): Probe {
  const links: Args = ({ homeIds }) => ({
    ...(type === 'Item' && { listId: homeIds.get('List') ?? '' }),
    ...(type === 'Part' && { itemId: homeIds.get('Item') ?? '' }),
  });
  return one(
    `${type}/copy`,
    name,
    (spot) => ({ create: { k: { id: idOf(spot, name), ...links(spot) } } }),
    ({ accountId, home }) => ({ accountId: home, fromAccountId: accountId }),
  );
}

/** A copy of an object of the asker's own account to this one. */
function copyTo(type: string): Probe {
  return one(
    `${type}/copy`,
    parentOf(type),
    (spot) => ({ create: { k: { id: spot.homeIds.get(type) ?? '', ...linksOf(type)(spot) } } }),
    ({ accountId, home }) => ({ accountId, fromAccountId: home }),
  );
}

/** Returns the name of the thing below which an object is made. */
function parentOf(type: string): string {
  return { Item: 'List', Part: 'Item' }[type] ?? 'account';
}

function linksOf(type: string): Args {
  return (spot) => ({
    ...(type === 'Item' && { listId: idOf(spot, 'List') }),
    ...(type === 'Part' && { itemId: idOf(spot, 'Item') }),
  });
}

/** Rows that each type has. */
function rowsOf(type: string): readonly (readonly [row: string, probe: Probe])[] {
  return [
    [`${type} reads`, reads(type)],
    [`${type} create`, create(type, linksOf(type), parentOf(type))],
    [`${type} update text`, update(type, () => ({ text: 'written' }))],
    [`${type} copy from`, copyFrom(type)],
    [`${type} copy to`, copyTo(type)],
  ];
}

const blobArgs =
  (name: string): Args =>
  (spot) => ({ ids: [idOf(spot, name)] });

function blobRows(row: string, name: string): readonly (readonly [row: string, probe: Probe])[] {
  const data: Args = (spot) => ({ create: { k: { data: [{ blobId: idOf(spot, name) }] } } });
  return [
    [`${row} get`, one('Blob/get', name, blobArgs(name))],
    [
      `${row} lookup`,
      one('Blob/lookup', name, (spot) => ({ ...blobArgs(name)(spot), typeNames: ['List'] })),
    ],
    [
      `${row} copy from`,
      one(
        'Blob/copy',
        name,
        (spot) => ({ blobIds: [idOf(spot, name)] }),
        ({ accountId, home }) => ({ accountId: home, fromAccountId: accountId }),
      ),
    ],
    [`${row} in upload`, one('Blob/upload', name, data)],
    [`${row} download`, one('GET download', name, blobArgs(name))],
  ];
}

const note = 'ShareNotification';

/** Every row, in the order in which its calls are made: what destroys comes last. */
export const PROBES: ReadonlyMap<string, Probe> = new Map<string, Probe>([
  ...TYPES.flatMap(rowsOf),
  ['Notice public reads', reads('Notice', PUBLIC)],
  ['Notice public update text', update('Notice', () => ({ text: 'written' }), PUBLIC)],
  ['Notice public copy from', copyFrom('Notice', PUBLIC)],
  ['Notice public update public', update('Notice', () => ({ public: false }), PUBLIC)],
  ['Report update done', update('Report', () => ({ done: true }))],
  ['Job update done', update('Job', () => ({ done: true }))],
  ['Job update assignee', update('Job', () => ({ assignee: null }))],
  [
    'List wage',
    { ...one('List/get', 'List', (spot) => ({ ids: [idOf(spot, 'List')] })), shows: 'wage' },
  ],
  [
    'List shareWith',
    { ...one('List/get', 'List', (spot) => ({ ids: [idOf(spot, 'List')] })), shows: 'shareWith' },
  ],
  ['List filter wage', one('List/query', 'List', () => ({ filter: { wage: 0 } }))],
  ['List sort wage', one('List/query', 'List', () => ({ sort: [{ property: 'wage' }] }))],
  ['List anchor', one('List/query', 'List', (spot) => ({ anchor: idOf(spot, 'List'), limit: 1 }))],
  ['List update color', update('List', () => ({ color: 'red' }))],
  ['List hidden file', update('List', (spot) => ({ file: idOf(spot, 'Blob hidden') }))],
  ['List update wage', update('List', () => ({ wage: 1 }))],
  ['List update seen', update('List', () => ({ seen: true }))],
  ['List update isSubscribed', update('List', () => ({ isSubscribed: true }))],
  ['List update myRights', update('List', () => ({ myRights: { mayAdmin: true } }))],
  [
    'List update shareWith',
    update('List', (spot) => ({ [`shareWith/${idOf(spot, 'friend')}`]: { mayWrite: true } })),
  ],
  ['Item move', update('Item', (spot) => ({ listId: idOf(spot, TARGET) }))],
  ['Item move to hidden', update('Item', (spot) => ({ listId: idOf(spot, HIDDEN) }))],
  ['Item create hidden', create('Item', (spot) => ({ listId: idOf(spot, HIDDEN) }), HIDDEN)],
  ['List hidden reads', reads('List', HIDDEN)],
  ['List hidden update', update('List', () => ({ text: 'written' }), HIDDEN)],
  ['Settings get', one('Settings/get', 'Settings', () => ({ ids: ['singleton'] }))],
  [
    'Settings changes',
    {
      ...one('Settings/changes', 'Settings', (spot) => readArgs('Settings/changes', spot, '')),
      isStill: true,
    },
  ],
  [
    'Settings update',
    one('Settings/set', 'Settings', () => ({ update: { singleton: { text: 'written' } } })),
  ],
  ['List/count', one('List/count', 'account', () => ({}))],
  ['List/tidy', one('List/tidy', 'account', () => ({}))],
  ['Quota reads', { ...reads('Quota'), isStill: true }],
  ['session', one('GET session', 'account', () => ({}))],
  ...blobRows('Blob', 'Blob'),
  ...blobRows('Blob hidden', 'Blob hidden'),
  [
    'Blob upload',
    one('Blob/upload', 'account', () => ({ create: { k: { data: [{ 'data:asText': 'new' }] } } })),
  ],
  [
    'Blob copy to',
    one(
      'Blob/copy',
      'account',
      ({ homeIds }) => ({ blobIds: [homeIds.get('Blob') ?? ''] }),
      ({ accountId, home }) => ({ accountId, fromAccountId: home }),
    ),
  ],
  ['upload', one('POST upload', 'account', () => ({}))],
  [
    'Core echo',
    one(
      'Core/echo',
      'account',
      () => ({}),
      () => ({}),
    ),
  ],
  ['own subscription', subscription('get', 'subscription', (id) => ({ ids: [id] }))],
  ["another's subscription", subscription('get', 'foreignSubscription', (id) => ({ ids: [id] }))],
  [
    "destroy another's subscription",
    subscription('set', 'foreignSubscription', (id) => ({ destroy: [id] })),
  ],
  ['destroy own subscription', subscription('set', 'subscription', (id) => ({ destroy: [id] }))],
  ['Principal reads', { ...reads('Principal', 'Principal', inDirectory), isStill: true }],
  ['Principal reads elsewhere', reads('Principal', 'Principal', elsewhere)],
  [
    'Principal create',
    one('Principal/set', 'Principal', () => ({ create: { k: {} } }), inDirectory),
  ],
  [
    'Principal update',
    one(
      'Principal/set',
      'Principal',
      (spot) => ({ update: { [idOf(spot, 'Principal')]: { name: 'x' } } }),
      inDirectory,
    ),
  ],
  [
    'Principal destroy',
    one(
      'Principal/set',
      'Principal',
      (spot) => ({ destroy: [idOf(spot, 'Principal')] }),
      inDirectory,
    ),
  ],
  [`${note} reads`, { ...reads(note, note, inDirectory), isStill: true }],
  [`${note} reads elsewhere`, reads(note, note, elsewhere)],
  [`${note} create`, one(`${note}/set`, note, () => ({ create: { k: {} } }), inDirectory)],
  [
    `${note} update`,
    one(
      `${note}/set`,
      note,
      (spot) => ({ update: { [idOf(spot, note)]: { name: 'x' } } }),
      inDirectory,
    ),
  ],
  [
    `${note} destroy`,
    one(`${note}/set`, note, (spot) => ({ destroy: [idOf(spot, note)] }), inDirectory),
  ],
  ...['Part', 'Item', 'List', 'Job', 'Draft', 'Report', 'Notice', 'Private', 'Plain'].map(
    (type) => [`${type} destroy`, destroy(type)] as const,
  ),
  ['Notice public destroy', destroy('Notice', PUBLIC)],
]);

function subscription(verb: string, name: string, args: (id: string) => JsonMap): Probe {
  return one(
    `PushSubscription/${verb}`,
    name,
    (spot) => args(idOf(spot, name)),
    () => ({}),
  );
}
