import type { MethodResponse } from '../support/client.js';
import type { Json, JsonMap } from '../support/json.js';
import { isMap } from './schema.js';
import type { Exchange } from './session.js';

/** A response as a server with one fault would give it; null where the fault does not show. */
type Fault = (response: JsonMap, name: string) => JsonMap | null;

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

/** The members of an object, with the first value changed. */
function first(value: Json | undefined, change: (one: JsonMap) => JsonMap | null): JsonMap | null {
  const [entry] = isMap(value) ? Object.entries(value) : [];
  if (entry === undefined || !isMap(entry[1])) return null;
  const changed = change(entry[1]);
  return changed === null ? null : { ...(value as JsonMap), [entry[0]]: changed };
}

const inMap =
  (member: string, change: (one: JsonMap) => JsonMap | null): Fault =>
  (response) => {
    const changed = first(response[member], change);
    return changed === null ? null : { ...response, [member]: changed };
  };

const inList =
  (member: string, least: number, change: (items: readonly Json[]) => readonly Json[]): Fault =>
  (response) => {
    const items = list(response[member]);
    if (items.length < least) return null;
    return { ...response, [member]: [...change(items)] };
  };

const without = (map: JsonMap, name: string): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => key !== name));

const next = (state: Json | undefined): string => String(Number.parseInt(String(state), 10) + 1);

/** By method: what a server might do wrong. */
export const FAULTS: ReadonlyMap<string, Fault> = new Map<string, Fault>([
  [
    'set: newState does not move',
    (r) => (r['newState'] === r['oldState'] ? null : { ...r, newState: r['oldState'] ?? null }),
  ],
  ['set: newState moves too far', (r) => ({ ...r, newState: next(r['newState']) })],
  ['set: oldState of another moment', (r) => ({ ...r, oldState: next(r['oldState']) })],
  [
    'set: a default is not reported',
    inMap('created', (one) => {
      const name = Object.keys(one).find((key) => !['id', 'created', 'updated'].includes(key));
      return name === undefined ? null : without(one, name);
    }),
  ],
  ['set: more is reported than is unknown', inMap('created', (one) => ({ ...one, extra: 1 }))],
  [
    'set: an object is not reported as created',
    (r) => (isMap(r['created']) ? { ...r, created: null } : null),
  ],
  ['set: an update without its time', inMap('updated', (one) => without(one, 'updated'))],
  [
    'set: no change reported as one',
    (r) => {
      const entry = isMap(r['updated'])
        ? Object.entries(r['updated']).find(([, one]) => one === null)
        : undefined;
      return entry === undefined
        ? null
        : {
            ...r,
            updated: {
              ...(r['updated'] as JsonMap),
              [entry[0]]: { updated: '2026-01-01T00:00:00Z' },
            },
          };
    },
  ],
  ['set: a destroyed object is left out', inList('destroyed', 1, (ids) => ids.slice(1))],
  ['set: another type of SetError', inMap('notUpdated', (one) => ({ ...one, type: 'forbidden' }))],
  [
    'set: a property at fault is left out',
    inMap('notCreated', (one) =>
      list(one['properties']).length === 0
        ? null
        : { ...one, properties: list(one['properties']).slice(1) },
    ),
  ],
  [
    'set: a SetError without description',
    inMap('notDestroyed', (one) => without(one, 'description')),
  ],
  [
    'set: the wrong existingId',
    inMap('notCreated', (one) =>
      one['existingId'] === undefined ? null : { ...one, existingId: 'r1' },
    ),
  ],
  ['get: an object is left out', inList('list', 1, (items) => items.slice(1))],
  ['get: the order of the list', inList('list', 2, (items) => [...items].reverse())],
  [
    'get: a value is another',
    inList('list', 1, ([one, ...rest]) => [
      Object.fromEntries(
        Object.entries(one as JsonMap).map(([key, value]) => [
          key,
          typeof value === 'string' && !['id', 'created', 'updated'].includes(key)
            ? `${value}x`
            : value === null
              ? 0
              : value,
        ]),
      ),
      ...rest,
    ]),
  ],
  ['get: a state of later', (r) => ({ ...r, state: next(r['state']) })],
  ['get: notFound is left out', inList('notFound', 1, (ids) => ids.slice(1))],
  ['changes: created is left out', inList('created', 1, (ids) => ids.slice(1))],
  ['changes: updated is left out', inList('updated', 1, (ids) => ids.slice(1))],
  ['changes: destroyed is left out', inList('destroyed', 1, (ids) => ids.slice(1))],
  [
    'changes: created told as updated',
    (r) =>
      list(r['created']).length === 0
        ? null
        : { ...r, created: [], updated: [...list(r['updated']), ...list(r['created'])] },
  ],
  [
    'changes: a property is left out',
    (r) =>
      list(r['updatedProperties']).length < 2 ? null : { ...r, updatedProperties: ['updated'] },
  ],
  [
    'changes: updatedProperties names what did not change',
    (r) =>
      isMap(r) && Array.isArray(r['updatedProperties'])
        ? { ...r, updatedProperties: [...list(r['updatedProperties']), 'id'] }
        : null,
  ],
  [
    'changes: updatedProperties is null',
    (r) => (r['updatedProperties'] === null ? null : { ...r, updatedProperties: null }),
  ],
  ['changes: hasMoreChanges', (r) => ({ ...r, hasMoreChanges: r['hasMoreChanges'] !== true })],
  ['query: an id is left out', inList('ids', 1, (ids) => ids.slice(1))],
  ['query: the order of two', inList('ids', 2, ([a = null, b = null, ...rest]) => [b, a, ...rest])],
  [
    'query: total',
    (r) => (r['total'] === undefined ? null : { ...r, total: Number(r['total']) + 1 }),
  ],
  ['query: position', (r) => ({ ...r, position: Number(r['position']) + 1 })],
  ['query: no limit is told', (r) => (r['limit'] === undefined ? null : without(r, 'limit'))],
  [
    'query: queryState of another moment',
    (r) => ({ ...r, queryState: `1${String(r['queryState'])}` }),
  ],
  ['queryChanges: removed is left out', inList('removed', 1, (ids) => ids.slice(1))],
  ['queryChanges: added is left out', inList('added', 1, (items) => items.slice(1))],
  [
    'queryChanges: an index that is off by one',
    inList('added', 1, ([one, ...rest]) => [
      { ...(one as JsonMap), index: Number((one as JsonMap)['index']) + 1 },
      ...rest,
    ]),
  ],
  ['copy: created is left out', (r) => (isMap(r['created']) ? { ...r, created: null } : null)],
  ['copy: states of the source', (r) => ({ ...r, oldState: next(r['oldState']) })],
]);

/** The exchanges up to the first in which a fault shows, with it; null where it shows in none. */
export function falsified(
  exchanges: readonly Exchange[],
  title: string,
  fault: Fault,
): readonly Exchange[] | null {
  const method = `/${title.slice(0, title.indexOf(':'))}`;
  for (const [n, exchange] of exchanges.entries()) {
    const { methodResponses } = exchange.response;
    const at = methodResponses.findIndex(
      ([name, one]) => name.endsWith(method) && fault(one, name) !== null,
    );
    const found = methodResponses[at];
    if (found === undefined) continue;
    const [name, args, callId] = found;
    const wrong: MethodResponse = [name, fault(args, name) ?? {}, callId];
    const response = { ...exchange.response, methodResponses: methodResponses.with(at, wrong) };
    return [...exchanges.slice(0, n), { ...exchange, response }];
  }
  return null;
}
