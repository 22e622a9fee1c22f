import { isJsonObject, type JsonObject } from '../../../src/protocol/json.js';
import type { AnyRow, TypeName } from './schema.js';

/** A live list with the same list in plain words. */
export interface ListSpec {
  readonly type: TypeName;
  readonly filter?: JsonObject;
  readonly sort?: readonly string[];
  readonly position?: number;
  readonly limit?: number;
  /** Returns whether a row is in the list; all are where it isn't given. */
  readonly match?: (row: JsonObject) => boolean;
}

function tagsOf({ tags }: JsonObject): JsonObject {
  return isJsonObject(tags) ? tags : {};
}

export const LISTS: readonly ListSpec[] = [
  { type: 'Gadget' },
  { type: 'Book' },
  { type: 'Line' },
  { type: 'Post' },
  { type: 'Gadget', sort: ['-rank', 'title'], limit: 5 },
  {
    ...{ type: 'Gadget', sort: ['rank'], filter: { minRank: 1 } },
    match: ({ rank }) => Number(rank) >= 1,
  },
  {
    ...{ type: 'Gadget', sort: ['code', '-score'], limit: 3, filter: { hasTag: 'red' } },
    match: (row) => 'red' in tagsOf(row),
  },
  {
    type: 'Gadget',
    sort: ['-due'],
    filter: { operator: 'OR', conditions: [{ kind: ['large'] }, { title: 'X1' }] },
    match: ({ kind, title }) => kind === 'large' || String(title).includes('x1'),
  },
  {
    type: 'Gadget',
    filter: {
      operator: 'NOT',
      conditions: [{ hasTag: 'red' }, { hasTag: 'blue', maxRank: 0 }],
    },
    match: (row) => !('red' in tagsOf(row)) && !('blue' in tagsOf(row) && Number(row['rank']) <= 0),
  },
  { type: 'Book', sort: ['-title'], limit: 4 },
  { type: 'Gadget', sort: ['title'], position: 2, limit: 4 },
];

/** Returns the rows of a list, in order, by looking at each of them. */
export function listRows(spec: ListSpec, all: readonly AnyRow[]): readonly AnyRow[] {
  const { match = () => true, sort = [], position = 0, limit = Number.MAX_SAFE_INTEGER } = spec;
  const comparators = sort.map((name) => [name.replace('-', ''), name.startsWith('-') ? -1 : 1]);
  const last = comparators.at(-1)?.[1] === -1 ? -1 : 1;
  const sorted = all.filter(match).sort((one, other) => {
    for (const [name, sign] of comparators) {
      const order = compare(one[String(name)] ?? null, other[String(name)] ?? null);
      if (order !== 0) return order * Number(sign);
    }
    return compare(one.id, other.id) * last;
  });
  return sorted.slice(position, position + limit);
}

/** The texts that are compared are of small letters, digits and blanks; dates are written alike. */
function compare(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === null) return -1;
  return other !== null && (one as string) < (other as string) ? -1 : 1;
}
