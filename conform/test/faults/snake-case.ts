import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import { creates, dropping, items, patches, reported, sent } from './makers.js';

/** Faults of names in snake_case. */

const isSnake = (name: string): boolean => name.includes('_');

const camel = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const inSnake = (object: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

/** Of two spellings of one name the one in camelCase counts. */
const firstOfBoth = (object: JsonMap): JsonMap =>
  dropping(object, (name) => isSnake(name) && camel(name) in object);

const withoutSnake = (object: JsonMap): JsonMap => dropping(object, isSnake);

/** Changes a condition that stands alone. */
const conditions = (change: (condition: JsonMap) => JsonMap): Partial<Fault> =>
  sent('query', ({ filter = null, ...args }) => ({
    ...args,
    filter: filter === null ? null : change(asMap(filter)),
  }));

export const snakeCaseFaults: readonly Fault[] = [
  {
    name: 'names in snake_case are passed over in creates',
    checks: ['snake-case-objects'],
    ...creates(withoutSnake),
  },
  {
    name: 'names in snake_case are passed over in patches',
    checks: ['snake-case-objects'],
    ...patches(withoutSnake),
  },
  {
    name: 'of two spellings in a create one counts',
    checks: ['snake-case-objects'],
    ...creates(firstOfBoth),
  },
  {
    name: 'of two spellings in a patch one counts',
    checks: ['snake-case-objects'],
    ...patches(firstOfBoth),
  },
  {
    name: '/get answers in snake_case',
    checks: ['snake-case-objects'],
    ...items(inSnake),
  },
  {
    name: '/set tells what was set in snake_case',
    checks: ['snake-case-objects'],
    ...reported((one) => inSnake({ lastVisit: null, ...one })),
  },
  {
    name: 'names in snake_case are passed over in conditions',
    checks: ['snake-case-queries'],
    ...conditions(withoutSnake),
  },
  {
    name: 'of two spellings of a condition one counts',
    checks: ['snake-case-queries'],
    ...conditions(firstOfBoth),
  },
  {
    name: 'a sort by a name in snake_case is none',
    checks: ['snake-case-queries'],
    ...sent('query', ({ sort = null, ...args }) => ({
      ...args,
      sort: JSON.stringify(sort).includes('_') ? null : (sort as Json),
    })),
  },
];
