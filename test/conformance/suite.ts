import * as vitest from 'vitest';
import type { DescribedType, World } from '../../scripts/conform/subject/described.js';
import { differing } from '../../scripts/conform/subject/different.js';
import { profileOf, type TypeProfile } from '../../scripts/conform/subject/profile.js';
import { valuesOf } from '../../scripts/conform/subject/values.js';
import type { ModelType } from '../../scripts/generator/model.js';
import type { StandardMethodName } from '../../src/capability/definition.js';
import { BLOB, type Client, CORE, NOTES, type SetAnswer } from '../support/client.js';
import { utcDate } from '../support/expected.js';
import type { Fixtures } from '../support/fixtures.js';
import type { Item, Json, JsonMap } from '../support/json.js';

/** Where cases are told: to vitest, or to what wants to run them by itself. */
export interface Registrar {
  describe(name: string, tell: () => void): void;
  it(name: string, run: (context: vitest.TestContext) => Promise<void>): void;
}

type Section = (() => void)[];

/** What trying to store something came to. */
export interface Put {
  readonly id: string;
  /** What `created` or `updated` reports. */
  readonly reported: JsonMap;
  readonly refused: JsonMap | null;
}

/** An object that was made for others to refer to. */
interface Prepared {
  readonly client: Client;
  readonly type: string;
  readonly accountId: string;
  readonly id: string;
}

/** A case that makes more objects than an account may have of this type. */
class NoRoom extends Error {}

/** A running server with fixtures and the type whose cases are run on it. */
export class Suite {
  readonly profile: TypeProfile;
  /** As its descriptor describes it. */
  readonly described: ModelType;
  readonly world: World;
  readonly fixtures: () => Fixtures;
  readonly #registrar: Registrar;
  /** What is told of the sections that are open, outermost first. */
  readonly #sections: Section[] = [];
  /** What a create must refer to, by account. */
  readonly #prepared = new Map<string, JsonMap>();
  readonly #tidy: Prepared[];
  #made = 0;

  constructor(
    world: World,
    name: string,
    fixtures: () => Fixtures,
    registrar: Registrar = vitest,
    tidy: Prepared[] = [],
  ) {
    const found = world.get(name);
    if (found === undefined) throw new Error(`No descriptor has the type ${name}.`);
    this.described = (found satisfies DescribedType).type;
    this.profile = profileOf(found);
    this.world = world;
    this.fixtures = fixtures;
    this.#registrar = registrar;
    this.#tidy = tidy;
  }

  /** A section of cases. One without a case for this type isn't told: the runner takes it for a mistake. */
  readonly describe = (title: string, tell: () => void): void => {
    const section: Section = [];
    this.#sections.push(section);
    try {
      tell();
    } finally {
      this.#sections.pop();
    }
    if (section.length > 0)
      this.#tell(() =>
        this.#registrar.describe(title, () => {
          for (const part of section) part();
        }),
      );
  };

  #tell(part: () => void): void {
    const around = this.#sections.at(-1);
    if (around === undefined) part();
    else around.push(part);
  }

  /** The same for another type of the server. */
  of(name: string): Suite {
    return new Suite(this.world, name, this.fixtures, this.#registrar, this.#tidy);
  }

  /** A case; one that needs more room than the type's `limits` leave is skipped. */
  readonly it = (name: string, run: () => Promise<void>): void => {
    this.#tell(() =>
      this.#registrar.it(name, async (context) => {
        this.#made = 0;
        if (this.profile.count < 1000) for (const id of [this.A1, this.A2]) await this.clear(id);
        try {
          await run();
        } catch (error) {
          if (error instanceof NoRoom) context.skip(error.message);
          throw error;
        }
      }),
    );
  };

  /** A case for types with these methods alone. */
  with(...methods: readonly StandardMethodName[]): typeof this.it {
    return this.has(...methods) ? this.it : () => undefined;
  }

  /** A case for types of which an account may have so many objects, and which have these methods. */
  needsRoom(count: number, ...methods: readonly StandardMethodName[]): typeof this.it {
    return this.holds(count) ? this.with(...methods) : () => undefined;
  }

  has(...methods: readonly StandardMethodName[]): boolean {
    return methods.every((method) => this.profile.methods.has(method));
  }

  /** Standard methods that the type has not. */
  get missing(): readonly StandardMethodName[] {
    const all = ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'] as const;
    return all.filter((method) => !this.has(method));
  }

  get type(): string {
    return this.profile.name;
  }

  /** U1, who names core and the type's capability. */
  get client(): Client {
    return this.fixtures().u1.with([CORE, this.profile.capability]);
  }

  /** U1, who names those of all types that are described here, and blobs. */
  get clientOfAll(): Client {
    const capabilities = [...this.world.values()].map(({ capability }) => capability);
    return this.fixtures().u1.with([...new Set([CORE, BLOB, ...capabilities])]);
  }

  get A1(): string {
    return this.fixtures().A1;
  }

  get A2(): string {
    return this.fixtures().A2;
  }

  /** An account of U1's that doesn't have the type: it has Note alone, or Todo alone. */
  get accountWithout(): string {
    return this.profile.capability === NOTES ? this.fixtures().AT : this.fixtures().AN;
  }

  /** Makes what objects must refer to, in each account where cases create some. */
  async prepare(accounts?: readonly string[]): Promise<void> {
    const { A1, A2, AR, u1, u3 } = this.fixtures();
    for (const accountId of accounts ?? [A1, A2, AR]) {
      const client = accountId === AR ? u3 : u1;
      const prepared: JsonMap = {};
      for (const { name, reference, blob } of this.profile.given) {
        if (blob) prepared[name] = (await client.upload(accountId, name, 'text/plain')).blobId;
        if (reference === undefined) continue;
        const id = await this.of(reference.type).#prepareOne(accountId, client);
        prepared[name] = { single: id, list: [id], set: { [id]: true } }[reference.form];
      }
      this.#prepared.set(accountId, prepared);
    }
  }

  async #prepareOne(accountId: string, client: Client): Promise<string> {
    await this.prepare([accountId]);
    const create = { k: this.create('prepared', accountId) };
    const using = [CORE, BLOB, this.profile.capability];
    const { created } = await client.with(using).set(this.type, { accountId, create });
    if (created?.['k'] === undefined) throw new Error(`A ${this.type} can't be made.`);
    const { id } = created['k'];
    this.#tidy.push({ client: client.with(using), type: this.type, accountId, id });
    return id;
  }

  /** Removes what the cases and `prepare` made, so that other types find their accounts as they were. */
  async tidy(): Promise<void> {
    if (this.profile.singleton) return;
    await this.clear(this.A1);
    await this.clear(this.A2);
    for (const { client, type, accountId, id } of this.#tidy.splice(0).reverse())
      await client.set(type, { accountId, destroy: [id] });
  }

  /** Tries to store values: in a new object, or in the only one of a singleton. */
  async put(values: JsonMap, accountId = this.A1): Promise<Put> {
    if (this.profile.singleton) {
      const id = 'singleton';
      const { updated, notUpdated } = await this.set({ accountId, update: { [id]: values } });
      return { id, reported: updated?.[id] ?? {}, refused: notUpdated?.[id] ?? null };
    }
    const create = { k: { ...this.create('put', accountId), ...values } };
    const { created, notCreated } = await this.set({ accountId, create });
    const reported = created?.['k'];
    return { id: reported?.id ?? '', reported: reported ?? {}, refused: notCreated?.['k'] ?? null };
  }

  /** The same for what must be stored: its id. */
  async put1(values: JsonMap, accountId = this.A1): Promise<string> {
    const { id, refused } = await this.put(values, accountId);
    if (refused !== null) throw new Error(`${JSON.stringify(values)}: ${JSON.stringify(refused)}`);
    return id;
  }

  /** An update of one object: what the server set, or the SetError. */
  async update(
    id: string,
    patch: JsonMap,
  ): Promise<{ set: JsonMap | null; refused: JsonMap | null }> {
    const { updated, notUpdated } = await this.set({ update: { [id]: patch } });
    return { set: updated?.[id] ?? null, refused: notUpdated?.[id] ?? null };
  }

  set(args: object): Promise<SetAnswer> {
    return this.client.set(this.type, { accountId: this.A1, ...args });
  }

  async read(id: string, accountId = this.A1): Promise<Item> {
    const { list } = await this.client.get(this.type, { accountId, ids: [id] });
    if (list[0] === undefined) throw new Error(`There is no ${this.type} ${id}.`);
    return list[0];
  }

  /** A create object with this text and what else is required; no two are equal in what must differ. */
  create(text: string, accountId?: string): JsonMap {
    const { profile } = this;
    return { ...(profile.text === '' ? {} : { [profile.text]: text }), ...this.beside(accountId) };
  }

  /** What a create gives beside the text. */
  beside(accountId = this.A1): JsonMap {
    return Object.fromEntries(
      this.profile.given.map((property) => {
        const { name } = property;
        const prepared = this.#prepared.get(accountId)?.[name];
        if (prepared !== undefined) return [name, prepared];
        if (property.reference !== undefined) throw new Error(`${name} was not prepared.`);
        return [name, this.differing(property.name)];
      }),
    );
  }

  /** A value of a property that no object has yet, where it is one that can differ. */
  differing(name: string): Json {
    const property = this.described.properties.find((one) => one.name === name);
    if (property === undefined) throw new Error(`${this.type} has no ${name}.`);
    if (property.schema.enum !== undefined || property.kind === 'boolean') {
      return valuesOf(property).good[0] ?? null;
    }
    if (property.kind === 'json') return valuesOf(property).good[0] ?? null;
    return differing(this.world, this.type, property);
  }

  /** What a copy into an account must be given in place of the original's references. */
  moved(accountId = this.A2): JsonMap {
    return this.#prepared.get(accountId) ?? {};
  }

  /** What `/get` shows of `create(text)`: values that differ each time are there, whatever they are. */
  shown(text: string, accountId?: string): JsonMap {
    const { profile } = this;
    const given = profile.given.map(({ name }) => [name, vitest.expect.anything()] as const);
    const prepared = this.#prepared.get(accountId ?? this.A1);
    const texts = profile.text === '' ? {} : { [profile.text]: text };
    return { ...texts, ...Object.fromEntries(given), ...prepared, ...profile.defaults } as JsonMap;
  }

  /** What `updated[id]` is after a change of the text: the time, and what hooks compute anew from it. */
  get updated(): object {
    const { properties } = this.described;
    const from = properties.filter(({ computed }) => computed?.kind === 'from');
    const when = { updated: utcDate };
    return from.length === 0 ? when : vitest.expect.objectContaining(when);
  }

  /** Those of the further members that the type's descriptor declares that a response has. */
  readonly more = (method: StandardMethodName, answer: object): object => {
    const declared = this.described.methods.find(({ name }) => name === method)?.response;
    const names = Object.keys(declared?.properties ?? {});
    return Object.fromEntries(Object.entries(answer).filter(([name]) => names.includes(name)));
  };

  /** Names of what is never on the wire. */
  get hidden(): readonly string[] {
    return this.described.properties.flatMap(({ access, name }) =>
      access === 'internal' || access === 'secret' ? [name] : [],
    );
  }

  /** Whether the text property may have this value. */
  allows(text: string): boolean {
    const { length } = [...text];
    return length >= this.profile.textMin && length <= this.profile.textMax;
  }

  /** Whether an account may have so many objects. */
  holds(count: number): boolean {
    return count <= this.profile.count;
  }

  /** Creates one object for each text in one call; their ids in order. */
  async make(accountId: string, ...texts: readonly string[]): Promise<string[]> {
    this.#made += texts.length;
    if (!this.holds(this.#made)) throw new NoRoom(`An account has ${this.profile.count} at most.`);
    const create = Object.fromEntries(
      texts.map((text, index) => [`k${index}`, this.create(text, accountId)]),
    );
    const { created, notCreated } = await this.client.set(this.type, { accountId, create });
    return texts.map((_, index) => {
      const made = created?.[`k${index}`];
      if (made === undefined) throw new Error(`No create ${index}: ${JSON.stringify(notCreated)}`);
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
    this.#made = 0;
  }

  /** State and data, to be compared before and after. */
  async snapshot(accountId: string): Promise<unknown> {
    const { state, list } = await this.client.get(this.type, { accountId, ids: null });
    return { state, list: [...list].sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }
}
