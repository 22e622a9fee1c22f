import type { StandardMethodName } from '../../../src/capability/definition.js';
import type { ModelType } from '../../../src/descriptor/model.js';
import { asSet, type SetAnswer } from '../client/answers.js';
import type { Client } from '../client/client.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { type Matcher, satisfying, textWith, utcDate } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { UnexpectedError } from '../unexpected.js';
import { type DescribedType, isUnique, visible, type World, writable } from './described.js';
import { differing, isDifferent } from './different.js';
import { listed } from './listing.js';
import { PatternTexts } from './patterned.js';
import { Prepared } from './prepared.js';
import { profileOf, same, type TypeProfile } from './profile.js';
import { valuesIn } from './samples.js';
import type { Server } from './server.js';
import { BLOB } from './user.js';
import { valuesOf } from './values.js';

/** What trying to store something came to. */
export interface Put {
  readonly id: string;
  /** What `created` or `updated` reports. */
  readonly reported: JsonMap;
  readonly refused: JsonMap | null;
}

/** Ids that one /set destroys at the most, however many the server allows. */
const AT_ONCE = 100;

/** A data type of the server that is tested, and what checks do with its objects. */
export class Subject {
  readonly server: Server;
  readonly world: World;
  /** As its descriptor describes it. */
  readonly described: ModelType;
  readonly profile: TypeProfile;
  /** Whether the server itself describes the type: then it has nothing that the descriptor lacks. */
  readonly isSelfDescribed: boolean;
  readonly #prepared: Prepared;
  /** Of a singleton: what it was when the run began, by account. */
  readonly #originals = new Map<string, Item>();
  #made = 0;
  #sampled = 0;
  /** Texts that objects of the check that runs were given, by account, where no two may have one. */
  readonly #texts = new Map<string, Set<string>>();

  constructor(server: Server, world: World, name: string) {
    const found: DescribedType | undefined = world.get(name);
    if (found === undefined) throw new Error(`No descriptor has the type ${name}.`);
    this.server = server;
    this.world = world;
    this.described = found.type;
    this.profile = profileOf(found);
    this.isSelfDescribed = found.isSelfDescribed;
    this.#prepared = new Prepared(this);
    const text = this.described.properties.find((one) => one.name === this.profile.text);
    if (this.profile.textPattern !== undefined && text !== undefined && !server.standIns.has(name))
      server.standIns.set(name, new PatternTexts(name, text));
  }

  /** The same for another type of the server. */
  of(name: string): Subject {
    return new Subject(this.server, this.world, name);
  }

  get type(): string {
    return this.profile.name;
  }

  has(...methods: readonly StandardMethodName[]): boolean {
    return methods.every((method) => this.profile.methods.has(method));
  }

  /** Standard methods that the type has not. */
  get missing(): readonly StandardMethodName[] {
    const all = ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'] as const;
    return all.filter((method) => !this.has(method));
  }

  /** The user, who names core and the type's capability. */
  get client(): Client {
    return this.server.user.client(this.profile.capability);
  }

  /** The user, who names those of all types that are described, and blobs. */
  get clientOfAll(): Client {
    const { capabilities } = this.server.user.session;
    const types = [...this.world.values()].map(({ capability }) => capability);
    return this.server.user.client(...[BLOB, ...types].filter((one) => one in capabilities));
  }

  /** The account that most is done in: writable, best the primary one. */
  get A1(): string {
    const [first] = this.server.writable(this.profile.capability);
    if (first !== undefined) return first;
    throw new NotApplicable(
      `The user reaches no writable account with ${this.profile.capability}.`,
    );
  }

  /** A second writable one. */
  get A2(): string {
    const [, second] = this.server.writable(this.profile.capability);
    if (second !== undefined) return second;
    throw new NotApplicable(
      `The user reaches no second writable account with ${this.profile.capability}.`,
    );
  }

  /** One that the user may only read. */
  get AR(): string {
    return this.server.readOnly(this.profile.capability);
  }

  /** An account of the user's that doesn't have the type. */
  get accountWithout(): string {
    return this.server.without(this.profile.capability);
  }

  /** Another user's, out of reach. */
  get AX(): string {
    return this.server.foreign(this.profile.capability).accountId;
  }

  get unknownAccount(): string {
    return this.server.unknownAccount;
  }

  /** Makes what objects must refer to, in an account where checks create some; again is fine. */
  async prepare(accountId: string = this.A1): Promise<void> {
    const { fence } = this.server;
    if (this.has('get') && !fence.hasLooked(this.type, accountId)) await this.look(accountId);
    await this.#prepared.prepare(accountId);
    if (!this.profile.singleton || this.#originals.has(accountId)) return;
    // Where it is missing, which a check tells, there is nothing to be put back.
    const [original] = await this.everything(accountId);
    if (original === undefined) return;
    this.#originals.set(accountId, original);
    fence.restores(this.type, accountId);
  }

  /** Sees what is there that the run did not make: that is left alone from now on. */
  async look(accountId: string): Promise<void> {
    const items = await this.everything(accountId);
    const { fence } = this.server;
    if (this.#isBlind(accountId)) fence.blinds(this.type, accountId);
    else fence.found(this.type, accountId, items);
  }

  /** Whether the objects that were there before can't be listed. */
  #isBlind(accountId: string): boolean {
    return this.server.listings.wayOf(this.type, accountId) === 'own';
  }

  /** What was there before, as far as it could be listed. */
  #before(accountId: string): ReadonlyMap<string, Item> {
    return this.server.fence.foreign(this.type, accountId);
  }

  /** Objects of an account that were there before, by id; checks neither change nor expect them. */
  foreign(accountId = this.A1): ReadonlyMap<string, Item> {
    if (this.#isBlind(accountId))
      throw new NotApplicable(
        `The objects of account ${accountId} can't all be listed: /get refuses ids: null, or they are too many.`,
      );
    return this.#before(accountId);
  }

  /** Whether an account that checks make objects in has others, too. */
  get isBeside(): boolean {
    return this.#accounts.some((id) => this.#isBlind(id) || this.#before(id).size > 0);
  }

  /** Those of some ids that were not there before, in their order. */
  own(ids: readonly string[], accountId = this.A1): string[] {
    if (this.#isBlind(accountId))
      return ids.filter((id) => this.server.fence.isOwn(this.type, accountId, id));
    const foreign = this.#before(accountId);
    return ids.filter((id) => !foreign.has(id));
  }

  /** Some ids of this run, and all that were there before. */
  withForeign(ids: readonly string[], accountId = this.A1): string[] {
    return [...this.foreign(accountId).keys(), ...ids];
  }

  get #accounts(): readonly string[] {
    return this.server.writable(this.profile.capability);
  }

  /** A check begins: as many objects as an account may have fit in. */
  async begin(): Promise<void> {
    this.#made = 0;
    this.#texts.clear();
    const { singleton, count, textDistinct } = this.profile;
    if (singleton || (count >= 1000 && !this.isBeside && !textDistinct)) return;
    for (const id of this.#accounts) await this.clear(id);
  }

  /** Removes all that was made of this type and for it. */
  async tidy(): Promise<void> {
    if (!this.has('set')) return;
    if (this.profile.singleton) await this.#restore();
    // A server without isolation may have let the user into accounts of others.
    else for (const id of this.server.fence.accounts(this.type)) await this.clear(id);
    await this.tidySupports();
  }

  /** A singleton can't be destroyed: it gets back the values that it had. */
  async #restore(): Promise<void> {
    const names = writable(this.described)
      .filter(({ access }) => access === 'mutable')
      .map(({ name }) => name);
    for (const [accountId, original] of this.#originals) {
      const now = await this.read('singleton', accountId);
      const patch = Object.fromEntries(
        names
          .filter((name) => name in original && !same(original[name] ?? null, now[name] ?? null))
          .map((name) => [name, original[name] ?? null] as const),
      );
      if (Object.keys(patch).length === 0) continue;
      const { notUpdated } = await this.set({ accountId, update: { singleton: patch } });
      if (notUpdated !== null && Object.keys(notUpdated).length > 0)
        throw new UnexpectedError(`${this.type} can't be put back: ${JSON.stringify(notUpdated)}`);
    }
  }

  /** Removes what objects of this type had to refer to. */
  async tidySupports(): Promise<void> {
    await this.server.recorder.aside(() => this.#prepared.tidy());
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
    if (refused !== null)
      throw new UnexpectedError(`${JSON.stringify(values)}: ${JSON.stringify(refused)}`);
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
    if (list[0] === undefined) throw new UnexpectedError(`There is no ${this.type} ${id}.`);
    return list[0];
  }

  /** A create object with this text and what else is required; no two are equal in what must differ. */
  create(text: string, accountId?: string): JsonMap {
    const { text: name, textDistinct } = this.profile;
    const value = textDistinct ? this.#distinct(text, accountId ?? this.A1) : text;
    return { ...(name === '' ? {} : { [name]: value }), ...this.beside(accountId) };
  }

  /** A text as it is where it comes first, and one of its like later. */
  #distinct(text: string, accountId: string): string {
    const { text: name } = this.profile;
    const used = this.#texts.get(accountId) ?? new Set();
    this.#texts.set(accountId, used);
    for (const item of this.#before(accountId).values())
      if (item[name] === text)
        throw new NotApplicable(`${this.type} ${item.id} is called ${JSON.stringify(text)}.`);
    let value = text;
    for (let n = 2; used.has(value); n += 1) value = `${text} ${n}`;
    used.add(value);
    return value;
  }

  /** What a create gives beside the text: of a sample, where there are some, what need not differ. */
  beside(accountId = this.A1): JsonMap {
    const { given, text } = this.profile;
    const sample = this.samples[this.#sampled % this.samples.length];
    this.#sampled += 1;
    const own = given.map((property) => {
      const { name } = property;
      const prepared = this.#prepared.of(accountId)[name];
      if (prepared !== undefined) return [name, prepared];
      if (property.reference !== undefined) throw new Error(`${name} was not prepared.`);
      const isFree = sample?.[name] !== undefined && !isUnique(this.described, property);
      return [name, isFree ? sample[name] : this.differing(property.name)];
    });
    const names = given.map(({ name }) => name);
    return { ...valuesIn(sample, [text, ...names]), ...Object.fromEntries(own) };
  }

  /** Legal objects of the type that somebody gave. */
  get samples(): readonly JsonMap[] {
    return this.server.samples.get(this.type) ?? [];
  }

  /** Whether `beside` gives a property such a value, as far as it is known by its kind. */
  isGiven(name: string, value: Json): boolean {
    const property = this.described.properties.find((one) => one.name === name);
    if (property === undefined || value === null) return false;
    if (
      this.server
        .writable(this.profile.capability)
        .some((id) => same(this.#prepared.of(id)[name] ?? null, value))
    )
      return true;
    if (isDifferent(this.world, this.type, property, value)) return true;
    return valuesOf(property).good.some((one) => same(one, value));
  }

  /** A value of a property that no object has yet, where it is one that can differ. */
  differing(name: string): Json {
    const property = this.described.properties.find((one) => one.name === name);
    if (property === undefined) throw new Error(`${this.type} has no ${name}.`);
    const { schema, kind } = property;
    if (schema.enum !== undefined || kind === 'boolean' || kind === 'json')
      return valuesOf(property).good[0] ?? null;
    const taken = new Set<string>();
    for (const account of this.#accounts)
      for (const item of this.#before(account).values()) taken.add(JSON.stringify(item[name]));
    for (;;) {
      const value = differing(this.world, this.type, property);
      if (!taken.has(JSON.stringify(value))) return value;
    }
  }

  /** What a copy into an account must be given in place of the original's references. */
  moved(accountId = this.A2): JsonMap {
    return this.#prepared.of(accountId);
  }

  /** What `/get` shows of `create(text)`: values that differ each time are there, whatever they are. */
  shown(text: string, accountId?: string): JsonMap {
    const { profile } = this;
    const something = satisfying('a value', (value) => value !== null && value !== undefined);
    const given = profile.given.map(({ name }) => [name, something] as const);
    const texts = profile.text === '' ? {} : { [profile.text]: text };
    const prepared = this.#prepared.of(accountId ?? this.A1);
    const values = { ...Object.fromEntries(given), ...prepared, ...profile.defaults };
    return { ...texts, ...values } as unknown as JsonMap;
  }

  /** Returns `created` and `updated`, which each type has whose server describes it itself. */
  get times(): JsonMap {
    if (!this.isSelfDescribed) return {};
    return { created: utcDate, updated: utcDate } as unknown as JsonMap;
  }

  /** Returns the names of the properties that each object shows, without times that it may not have. */
  get properties(): readonly string[] {
    const times = this.isSelfDescribed ? [] : ['created', 'updated'];
    return this.profile.properties.filter((name) => !times.includes(name));
  }

  /** Those of the further members that the type's descriptor declares that a response has. */
  readonly more = (method: StandardMethodName, answer: object): object => {
    const declared = this.described.methods.find(({ name }) => name === method)?.response;
    const names = Object.keys(declared?.properties ?? {});
    return Object.fromEntries(Object.entries(answer).filter(([name]) => names.includes(name)));
  };

  /** Names of what is never on the wire. */
  get hidden(): readonly string[] {
    const shown = visible(this.described);
    return this.described.properties.flatMap((one) => (shown.includes(one) ? [] : [one.name]));
  }

  /** Whether the text property may have this value. */
  allows(text: string): boolean {
    const { textPattern } = this.profile;
    if (textPattern !== undefined) return textPattern.test(text);
    const { length } = [...text];
    return length >= this.profile.textMin && length <= this.profile.textMax;
  }

  /** How many objects of the run's an account has room for, beside what is there. */
  get room(): number {
    const [first, second] = this.#accounts;
    const there = [first, second].map((id) => (id === undefined ? 0 : this.#before(id).size));
    return this.profile.count - Math.max(...there);
  }

  /** Whether an account may have so many objects of the run's. */
  holds(count: number): boolean {
    return count <= this.room;
  }

  /** Creates one object for each text in one call; their ids in order. */
  async make(accountId: string, ...texts: readonly string[]): Promise<string[]> {
    this.#made += texts.length;
    if (!this.holds(this.#made))
      throw new NotApplicable(`An account has room for ${this.room} of them.`);
    await this.prepare(accountId);
    const create = Object.fromEntries(
      texts.map((text, index) => [`k${index}`, this.create(text, accountId)]),
    );
    const { created, notCreated } = await this.client.set(this.type, { accountId, create });
    return texts.map((_, index) => {
      const made = created?.[`k${index}`];
      if (made === undefined)
        throw new UnexpectedError(`No create ${index}: ${JSON.stringify(notCreated)}`);
      return made.id;
    });
  }

  /** One object; its id. */
  async one(accountId: string, text = 'one'): Promise<string> {
    const [id = ''] = await this.make(accountId, text);
    return id;
  }

  /** An object of the second account: its id, which none of the first one has. */
  async elsewhere(): Promise<string> {
    const id = await this.one(this.A2);
    // RFC 8620 1.2: an id is unique within its account alone.
    if ((await this.everything(this.A1)).some((one) => one.id === id))
      throw new NotApplicable('Objects of two accounts have one id here.');
    return id;
  }

  /** All objects of an account but those that were there before. */
  async all(accountId: string): Promise<Item[]> {
    const foreign = this.#before(accountId);
    return (await this.everything(accountId)).filter(({ id }) => !foreign.has(id));
  }

  /** All objects of an account, whoever made them, as far as they can be listed. */
  async everything(accountId: string): Promise<Item[]> {
    return await listed(this, accountId);
  }

  async state(accountId: string): Promise<string> {
    return (await this.client.get(this.type, { accountId, ids: [] })).state;
  }

  /** Leaves an account with none but what was there before, for checks of exact lists. */
  async empty(accountId: string): Promise<void> {
    await this.clear(accountId);
    if (this.#prepared.kept(accountId).size > 0)
      throw new NotApplicable('Its objects need others of it: an account is never without any.');
  }

  /** Destroys all objects that this run made in an account, and no others. */
  async clear(accountId: string): Promise<void> {
    await this.server.recorder.aside(() => this.#clear(accountId));
  }

  async #clear(accountId: string): Promise<void> {
    this.#made = 0;
    this.#texts.delete(accountId);
    const user = this.server.writer(accountId);
    const client = user.client(this.profile.capability);
    const kept = this.#prepared.kept(accountId);
    const { fence } = this.server;
    const ids = fence.made(this.type, accountId).filter((id) => !kept.has(id));
    const most = Math.max(1, Math.min(AT_ONCE, user.session.limit('maxObjectsInSet')));
    for (let at = 0; at < ids.length; at += most) {
      const destroy = ids.slice(at, at + most);
      const answer = asSet(await client.ok(`${this.type}/set`, { accountId, destroy }));
      // What went with another one is gone as well.
      const gone = Object.entries(answer.notDestroyed ?? {})
        .filter(([, error]) => error['type'] === 'notFound')
        .map(([id]) => id);
      fence.forget(this.type, accountId, gone);
    }
  }

  /** State and data, to be compared before and after. */
  async snapshot(accountId: string): Promise<unknown> {
    const list = await this.everything(accountId);
    const state = await this.state(accountId);
    return { state, list: [...list].sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }

  /** Returns name and arguments of an `error` response; see `methodError` of the server. */
  err(type: string, ...named: readonly string[]): [string, object] {
    return ['error', this.methodError(type, ...named)];
  }

  methodError(type: string, ...named: readonly string[]): object {
    return this.server.methodError(type, ...named);
  }

  /**
   * Matches a SetError (RFC 8620 5.3). Its `properties`, which should list all that are at fault, are
   * among these; a strict run wants exactly these, and their names in the description.
   */
  setError(type: string, properties?: readonly string[]): Matcher {
    const wanted = JSON.stringify([...(properties ?? [])].sort());
    const names = textWith(...(properties ?? []));
    return satisfying(`a SetError ${type} ${wanted}`, (value) => {
      const error = value as JsonMap | null;
      const told = error?.['properties'];
      if (error?.['type'] !== type) return false;
      if (this.server.strict && !names.asymmetricMatch(error['description'])) return false;
      if (told === undefined) return properties === undefined || !this.server.strict;
      if (!Array.isArray(told)) return false;
      if (this.server.strict) return JSON.stringify([...told].sort()) === wanted;
      return told.every((one) => properties === undefined || properties.includes(String(one)));
    });
  }
}
