import { type Client, CORE, NOTES, TODOS } from '../support/client.js';
import type { Fixtures } from '../support/fixtures.js';
import type { Item, Json, JsonMap } from '../support/json.js';

/**
 * What the shared cases must know of a data type: one engine, one set of answers. The named property is a mutable
 * String that a case can write, filter and sort by.
 */
export interface TypeProfile {
  readonly name: string;
  readonly capability: string;
  /** The String property. */
  readonly text: string;
  /** Whether a create must give it. */
  readonly textRequired: boolean;
  /** Its bound in Unicode code points, where the specification gives one. */
  readonly textMax?: number;
  /** The filter that finds a part of it whatever the case, where the type declares one. */
  readonly textFilter?: string;
  /** Whether a sort by it is declared. */
  readonly textSort: boolean;
  /** A create object with what is required and this text. */
  readonly create: (text: string) => JsonMap;
  /** What `created[k]` reports beside id, created and updated for such an object. */
  readonly defaults: JsonMap;
  /** Those of them that only the server sets: a copy reports them too. */
  readonly serverSet: JsonMap;
  /** A mutable property with a default, and a value that is another. */
  readonly defaulted: { readonly property: string; readonly other: Json };
  /** Every wire property. */
  readonly properties: readonly string[];
  /** Whether input names may be in snake_case too. */
  readonly snakeCase: boolean;
  /** An account of U1's that doesn't have the type. */
  readonly accountWithout: (fixtures: Fixtures) => string;
}

export const TODO: TypeProfile = Object.freeze({
  name: 'Todo',
  capability: TODOS,
  text: 'text',
  textRequired: true,
  textMax: 512,
  textFilter: 'text',
  textSort: true,
  create: (text: string) => ({ text }),
  defaults: { done: false },
  serverSet: {},
  defaulted: { property: 'done', other: true },
  properties: ['id', 'created', 'updated', 'text', 'done'],
  snakeCase: true,
  accountWithout: (fixtures: Fixtures) => fixtures.AN,
});

export const NOTE: TypeProfile = Object.freeze({
  name: 'Note',
  capability: NOTES,
  text: 'title',
  textRequired: false,
  textFilter: 'title',
  textSort: true,
  create: (text: string) => ({ title: text }),
  defaults: { body: '' },
  serverSet: {},
  defaulted: { property: 'body', other: 'other' },
  properties: ['id', 'created', 'updated', 'title', 'body'],
  snakeCase: false,
  accountWithout: (fixtures: Fixtures) => fixtures.AT,
});

export const GADGETS = 'https://example.com/jmap/gadgets';

/** The rich type of gadget.yaml. */
export const GADGET: TypeProfile = Object.freeze({
  name: 'Gadget',
  capability: GADGETS,
  text: 'title',
  textRequired: true,
  textMax: 200,
  textFilter: 'title',
  textSort: true,
  create: (text: string) => ({ title: text }),
  defaults: {
    code: null,
    kind: 'small',
    rank: 0,
    score: null,
    count: 0,
    due: null,
    tags: {},
    meta: {},
    list: [],
    parentId: null,
    links: {},
    blobId: null,
  },
  serverSet: { count: 0 },
  defaulted: { property: 'rank', other: 5 },
  properties: [
    'id',
    'created',
    'updated',
    'title',
    'code',
    'kind',
    'rank',
    'score',
    'count',
    'due',
    'tags',
    'meta',
    'list',
    'parentId',
    'links',
    'blobId',
  ],
  snakeCase: false,
  accountWithout: (fixtures: Fixtures) => fixtures.AN,
});

/** A running server with fixtures and the type whose cases are run on it. */
export class Suite {
  readonly profile: TypeProfile;
  readonly fixtures: () => Fixtures;

  constructor(profile: TypeProfile, fixtures: () => Fixtures) {
    this.profile = profile;
    this.fixtures = fixtures;
  }

  get type(): string {
    return this.profile.name;
  }

  /** U1, who names core and the type's capability. */
  get client(): Client {
    return this.fixtures().u1.with([CORE, this.profile.capability]);
  }

  get A1(): string {
    return this.fixtures().A1;
  }

  get A2(): string {
    return this.fixtures().A2;
  }

  method(verb: string): string {
    return `${this.type}/${verb}`;
  }

  /** Creates one object for each text in one call; their ids in order. */
  async make(accountId: string, ...texts: readonly string[]): Promise<string[]> {
    const create = Object.fromEntries(
      texts.map((text, index) => [`k${index}`, this.profile.create(text)]),
    );
    const { created } = await this.client.set(this.type, { accountId, create });
    return texts.map((_, index) => {
      const made = created?.[`k${index}`];
      if (made === undefined) throw new Error(`create ${index} failed`);
      return made.id;
    });
  }

  /** One object; its id. */
  async one(accountId: string, text = 'one'): Promise<string> {
    const [id = ''] = await this.make(accountId, text);
    return id;
  }

  async all(accountId: string): Promise<Item[]> {
    return (await this.client.get(this.type, { accountId, ids: null })).list;
  }

  async state(accountId: string): Promise<string> {
    return (await this.client.get(this.type, { accountId, ids: [] })).state;
  }

  /** Destroys all objects of an account. */
  async clear(accountId: string): Promise<void> {
    const destroy = (await this.all(accountId)).map(({ id }) => id);
    if (destroy.length > 0) await this.client.set(this.type, { accountId, destroy });
  }

  /** State and data, to be compared before and after. */
  async snapshot(accountId: string): Promise<unknown> {
    const { state, list } = await this.client.get(this.type, { accountId, ids: null });
    return { state, list: [...list].sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }
}
