import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { satisfying } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { isUnique } from './described.js';
import { isDifferent, takeDifferent } from './different.js';
import type { Prepared } from './prepared.js';
import { dropMembers } from './samples.js';
import { TypeView } from './type-view.js';
import { listValues } from './values.js';

/** The objects that checks create of a type: what a create gives, and what /get shows of it. */
export abstract class Creates extends TypeView {
  /** The objects that those of the type must refer to. */
  protected abstract readonly prepared: Prepared;
  /**
   * Texts that objects of the check that runs were given, by account, where no two may have one.
   */
  protected readonly texts = new Map<string, Set<string>>();
  #sampled = 0;

  /**
   * Builds a create object with this text and what else is required. No two objects are equal in
   * what must differ.
   */
  create(text: string, accountId?: string): JsonMap {
    return { ...this.#buildText(text, accountId), ...this.giveBeside(accountId) };
  }

  /** Builds a create object that leaves out every value that a create may leave out. */
  createLeast(text: string, accountId?: string): JsonMap {
    return { ...this.#buildText(text, accountId), ...this.giveLeast(accountId) };
  }

  /** Returns the text property with a text; nothing where the type has no such property. */
  #buildText(text: string, accountId = this.A1): JsonMap {
    const { text: name, textDistinct } = this.profile;
    if (name === '') return {};
    return { [name]: textDistinct ? this.#pickDistinct(text, accountId) : text };
  }

  /**
   * Returns the text where no object of the check has it yet, and one of its like otherwise. Throws
   * NotApplicable where an object that was there before has it.
   */
  #pickDistinct(text: string, accountId: string): string {
    const { text: name } = this.profile;
    const used = this.texts.get(accountId) ?? new Set();
    this.texts.set(accountId, used);
    for (const item of this.listBefore(accountId).values())
      if (item[name] === text)
        throw new NotApplicable(`${this.type} ${item.id} is called ${JSON.stringify(text)}.`);
    let value = text;
    for (let n = 2; used.has(value); n += 1) value = `${text} ${n}`;
    used.add(value);
    return value;
  }

  /**
   * Returns the values that a create gives beside the text: of a sample, where there are some, the
   * ones that need not differ.
   */
  giveBeside(accountId = this.A1): JsonMap {
    const { given, text } = this.profile;
    const sample = this.#takeSample();
    const names = given.map(({ name }) => name);
    return { ...dropMembers(sample, [text, ...names]), ...this.#giveRequired(sample, accountId) };
  }

  /**
   * Returns the values that a create must give beside the text, without those that have a default.
   */
  giveLeast(accountId = this.A1): JsonMap {
    return this.#giveRequired(this.#takeSample(), accountId);
  }

  /** Returns the next sample, since they take turns; undefined where there are none. */
  #takeSample(): JsonMap | undefined {
    const sample = this.samples[this.#sampled % this.samples.length];
    this.#sampled += 1;
    return sample;
  }

  /** Returns the properties that each create gives beside the text. */
  #giveRequired(sample: JsonMap | undefined, accountId: string): JsonMap {
    const own = this.profile.given.map((property) => {
      const { name } = property;
      const prepared = this.prepared.readValues(accountId)[name];
      if (prepared !== undefined) return [name, prepared];
      if (property.references.length > 0) throw new Error(`${name} was not prepared.`);
      const isFree = sample?.[name] !== undefined && !isUnique(this.described, property);
      return [name, isFree ? sample[name] : this.drawDiffering(property.name)];
    });
    return Object.fromEntries(own) as JsonMap;
  }

  /** Returns the legal objects of the type that somebody gave. */
  get samples(): readonly JsonMap[] {
    return this.server.samples.get(this.type) ?? [];
  }

  /** Tells whether a sample gives the property: a rule of the server may be about its values. */
  isSampled({ name }: ModelProperty): boolean {
    return this.samples.some((sample) => Object.hasOwn(sample, name));
  }

  /** Lists values that a property takes: those of the samples, where they give some. */
  listGood(property: ModelProperty): readonly Json[] {
    if (!this.isSampled(property)) return listValues(property).good;
    const { name } = property;
    return this.samples.flatMap((sample) => (name in sample ? [sample[name] as Json] : []));
  }

  /** Tells whether `giveBeside` may give a property this value, as far as its kind tells. */
  isGiven(name: string, value: Json): boolean {
    const property = this.described.properties.find((one) => one.name === name);
    if (property === undefined || value === null) return false;
    if (
      this.server
        .listWritable(this.profile.capability)
        .some((id) => same(this.prepared.readValues(id)[name] ?? null, value))
    )
      return true;
    if (isDifferent(this.world, this.type, property, value)) return true;
    return listValues(property).good.some((one) => same(one, value));
  }

  /** Draws a value of a property that no object has yet, where it is one that can differ. */
  drawDiffering(name: string): Json {
    const property = this.described.properties.find((one) => one.name === name);
    if (property === undefined) throw new Error(`${this.type} has no ${name}.`);
    const { schema, kind } = property;
    if (schema.enum !== undefined || kind === 'boolean' || kind === 'json')
      return listValues(property).good[0] ?? null;
    const taken = new Set<string>();
    for (const account of this.accounts)
      for (const item of this.listBefore(account).values()) taken.add(JSON.stringify(item[name]));
    for (;;) {
      const value = takeDifferent(this.world, this.type, property);
      if (!taken.has(JSON.stringify(value))) return value;
    }
  }

  /**
   * Returns the values that were prepared in an account for properties that refer to something. A
   * copy into the account must have them in place of the original's references.
   */
  readPrepared(accountId = this.A2): JsonMap {
    return this.prepared.readValues(accountId);
  }

  /**
   * Returns the object that `/get` shows of `create(text)`: values that differ each time are there,
   * whatever they are.
   */
  buildShown(text: string, accountId?: string): JsonMap {
    const { profile } = this;
    const something = satisfying('a value', (value) => value !== null && value !== undefined);
    const given = profile.given.map(({ name }) => [name, something] as const);
    const texts = profile.text === '' ? {} : { [profile.text]: text };
    const prepared = this.prepared.readValues(accountId ?? this.A1);
    const values = { ...Object.fromEntries(given), ...prepared, ...profile.defaults };
    return { ...texts, ...values } as unknown as JsonMap;
  }
}
