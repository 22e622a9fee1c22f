import { buildHolding } from '../../conform/src/subject/blob-holders.js';
import type { DescribedType, World } from '../../conform/src/subject/described.js';
import { takeDifferent } from '../../conform/src/subject/different.js';
import { findLink, wrapIds } from '../../conform/src/subject/links.js';
import { readProfile, type TypeProfile } from '../../conform/src/subject/profile.js';
import { listValues } from '../../conform/src/subject/values.js';
import type { ModelType } from '../../src/descriptor/model.js';
import { BLOB, type Client, CORE } from '../support/client.js';
import type { Fixtures } from '../support/fixtures.js';
import type { Item, Json, JsonMap } from '../support/json.js';

/** A running server with fixtures and a type of it, for tests that make objects of any type. */
export class Suite {
  readonly profile: TypeProfile;
  /** As its descriptor describes it. */
  readonly described: ModelType;
  readonly world: World;
  readonly fixtures: () => Fixtures;
  /** The objects that a create must refer to, by account. */
  readonly #prepared = new Map<string, JsonMap>();

  constructor(world: World, name: string, fixtures: () => Fixtures) {
    const found = world.get(name);
    if (found === undefined) throw new Error(`No descriptor has the type ${name}.`);
    this.described = (found satisfies DescribedType).type;
    this.profile = readProfile(found);
    this.world = world;
    this.fixtures = fixtures;
  }

  get type(): string {
    return this.profile.name;
  }

  /** `U1`, who names core and the type's capability. */
  get client(): Client {
    return this.fixtures().u1.with([CORE, this.profile.capability]);
  }

  get A1(): string {
    return this.fixtures().A1;
  }

  /** Makes what objects must refer to, in each account where some are created. */
  async prepare(accounts: readonly string[]): Promise<void> {
    const { u1 } = this.fixtures();
    for (const accountId of accounts) {
      const prepared: JsonMap = {};
      for (const property of this.profile.given) {
        const { name, blobs } = property;
        const reference = findLink(property);
        if (blobs.length > 0) {
          const { blobId } = await u1.upload(accountId, name, 'text/plain');
          prepared[name] = buildHolding(property, blobId);
        }
        if (reference === undefined) continue;
        const other = new Suite(this.world, reference.type, this.fixtures);
        const id = await other.#prepareOne(accountId);
        prepared[name] = wrapIds(reference, id);
      }
      this.#prepared.set(accountId, prepared);
    }
  }

  async #prepareOne(accountId: string): Promise<string> {
    await this.prepare([accountId]);
    const create = { k: this.create('prepared', accountId) };
    const using = [CORE, BLOB, this.profile.capability];
    const { created } = await this.client.with(using).set(this.type, { accountId, create });
    if (created?.['k'] === undefined) throw new Error(`A ${this.type} can't be made.`);
    return created['k'].id;
  }

  /**
   * A create object with this text and what else is required; no two are equal in what must differ.
   */
  create(text: string, accountId = this.A1): JsonMap {
    const { profile } = this;
    const beside = profile.given.map((property) => {
      const { name } = property;
      const prepared = this.#prepared.get(accountId)?.[name];
      if (prepared !== undefined) return [name, prepared] as const;
      if (property.references.length > 0) throw new Error(`${name} was not prepared.`);
      return [name, this.#differing(name)] as const;
    });
    return {
      ...(profile.text === '' ? {} : { [profile.text]: text }),
      ...Object.fromEntries(beside),
    };
  }

  /** A value of a property that no object has yet, where it is one that can differ. */
  #differing(name: string): Json {
    const property = this.described.properties.find((one) => one.name === name);
    if (property === undefined) throw new Error(`${this.type} has no ${name}.`);
    const { schema, kind } = property;
    if (schema.enum !== undefined || kind === 'boolean' || kind === 'json')
      return listValues(property).good[0] ?? null;
    return takeDifferent(this.world, this.type, property);
  }

  /** One object; its id. */
  async one(accountId: string, text: string): Promise<string> {
    const create = { k: this.create(text, accountId) };
    const { created, notCreated } = await this.client.set(this.type, { accountId, create });
    if (created?.['k'] === undefined) throw new Error(`No create: ${JSON.stringify(notCreated)}`);
    return created['k'].id;
  }

  async state(accountId: string): Promise<string> {
    return (await this.client.get(this.type, { accountId, ids: [] })).state;
  }

  /** Destroys all objects of an account. */
  async clear(accountId: string): Promise<void> {
    const { list } = await this.client.get(this.type, { accountId, ids: null });
    const destroy = list.map(({ id }: Item) => id);
    if (destroy.length > 0) await this.client.set(this.type, { accountId, destroy });
  }
}
