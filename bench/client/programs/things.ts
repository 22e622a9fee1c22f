import type * as jmap from '@jmapsmith/client';

/** The objects that are measured have seven properties. */

export interface Thing {
  readonly id: jmap.Id<'Thing'>;
  readonly created: string;
  readonly updated: string;
  readonly title: string;
  readonly done: boolean;
  readonly rank: number;
  readonly parentId: jmap.Id<'Thing'> | null;
}
interface ThingUpdate {
  readonly title: string;
  readonly done: boolean;
  readonly rank: number;
}
export interface ThingShape {
  readonly name: 'Thing';
  readonly object: Thing;
  readonly create: { readonly title: string; readonly rank?: number };
  readonly update: ThingUpdate;
  readonly patch: jmap.Patch<ThingUpdate, 'done' | 'rank'>;
  readonly filter: { readonly minRank?: number | null; readonly done?: boolean | null };
  readonly sort: jmap.Comparator<'title' | 'rank'>;
  readonly error: jmap.StandardSetError<'Thing', keyof ThingUpdate>;
}
interface ThingsMethods<M extends jmap.Mode> {
  readonly Thing: jmap.Get<ThingShape, M> &
    jmap.Changes<ThingShape, M> &
    jmap.SetMethod<ThingShape, M> &
    jmap.Query<ThingShape, M>;
}
export interface ThingsProject {
  readonly alone: ThingsMethods<'alone'>;
  readonly batch: ThingsMethods<'batch'>;
}

export const THINGS = 'urn:example:things';

export function makeTable(name: string): jmap.TypeTable {
  return {
    ...{ name, capability: THINGS, hash: '1', methods: ['get', 'changes', 'set', 'query'] },
    properties: {
      id: { kind: 'string', format: 'id', access: 'serverSet' },
      created: { kind: 'date', access: 'serverSet' },
      updated: { kind: 'date', access: 'serverSet' },
      title: { kind: 'string' },
      done: { kind: 'boolean', default: false },
      rank: { kind: 'integer', default: 0 },
      parentId: { kind: 'string', format: 'id', isNullable: true },
    },
    filters: {
      minRank: { property: 'rank', operator: 'atLeast' },
      done: { property: 'done', operator: 'equals' },
    },
    sorts: { title: { property: 'title' }, rank: { property: 'rank' } },
  };
}

export const things: jmap.Schema<ThingsProject> = { types: [makeTable('Thing')], groups: [] };

/** The client keeps all objects, however many there are. */
export const WHOLE = { Thing: 'all' } as const;

/** Nine of ten objects have a rank from here on. */
export const MIN_RANK = 10;
const RANKS = 100;
const MINUTE = 60_000;

export function idOf(number: number): string {
  return `t${String(number).padStart(7, '0')}`;
}

export function numberOf(id: string): number {
  return Number(id.slice(1));
}

/** Returns an object; each version of it has another title, and so another place in a list. */
export function makeThing(number: number, version = 0): Thing {
  const mixed = mix(number + 7919 * version);
  return {
    id: idOf(number),
    created: new Date(1_700_000_000_000 + number * MINUTE).toISOString(),
    updated: new Date(1_700_000_000_000 + (number + version) * MINUTE).toISOString(),
    // Some objects have the same title: the rank decides between them.
    title: `Thing ${(mixed % 50_000).toString(36)} of the list`,
    done: mixed % 3 === 0,
    rank: (mixed >>> 8) % RANKS,
    parentId: number % 4 === 0 ? null : idOf(number >>> 2),
  };
}

/** Returns a number that looks like chance, the same in each run. */
export function mix(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
