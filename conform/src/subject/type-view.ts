import type { StandardMethodName } from '../../../src/capability/definition.js';
import type { ModelType } from '../../../src/descriptor/model.js';
import type { Client } from '../client/client.js';
import type { Item, JsonMap } from '../client/json.js';
import { type Matcher, satisfying, textWith, utcDate } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { listVisible, type World } from './described.js';
import { type Link, listNeeded } from './links.js';
import { readProfile, type TypeProfile } from './profile.js';
import type { Server } from './server.js';
import { BLOB } from './user.js';

/** Returns why a type takes members that it lacks; null for most, which refuse them. */
export const needClosed = ({ described }: Pick<TypeView, 'described'>): string | null =>
  described.keepsUnknown === true ? 'The type keeps properties that it does not declare.' : null;

/**
 * The facts of a data type: its description, the accounts that have it, the objects that were there
 * before the run, and its errors.
 */
export class TypeView {
  readonly server: Server;
  readonly world: World;
  /** The type as its descriptor describes it. */
  readonly described: ModelType;
  /** The same with all values that its rules let its objects have. */
  readonly declared: ModelType;
  readonly profile: TypeProfile;
  /**
   * Whether the server itself describes the type: then it has nothing that the descriptor lacks.
   */
  readonly isSelfDescribed: boolean;
  readonly #destroys: ReadonlySet<string>;
  readonly #ownMethods: ReadonlySet<string>;
  /** Whether the run can make objects: others that they must refer to have a standard /set. */
  readonly #canMake: boolean;

  constructor(server: Server, world: World, name: string) {
    const found = world.get(name);
    if (found === undefined) throw new Error(`No descriptor has the type ${name}.`);
    this.server = server;
    this.world = world;
    this.described = found.type;
    this.declared = found.declared;
    this.profile = readProfile(found);
    this.#destroys = found.destroys;
    this.#ownMethods = found.ownMethods;
    this.isSelfDescribed = found.isSelfDescribed;
    const needed = this.profile.given.flatMap(listNeeded);
    this.#canMake = needed.every((type) => hasSet(world, type));
  }

  /** Returns the name of the type. */
  get type(): string {
    return this.profile.name;
  }

  /**
   * Returns a member that makes a create, an update or a copy wrong: one that the type lacks. Of a
   * type that keeps such members it is one that the server sets, or one of another type.
   */
  get unfit(): JsonMap {
    const { keepsUnknown, properties } = this.described;
    if (keepsUnknown !== true) return { noSuchProperty: 1 };
    const time = properties.find(({ role }) => role === 'created' || role === 'updated');
    if (time !== undefined) return { [time.name]: '2001-02-03T04:05:06Z' };
    const { text } = this.profile;
    return text === '' ? { id: 'x-own' } : { [text]: 5 };
  }

  /** Returns the name of that member. */
  get unfitName(): string {
    return Object.keys(this.unfit)[0] ?? '';
  }

  /** Tells whether the type has all of these standard methods, and the run can use them. */
  has(...methods: readonly StandardMethodName[]): boolean {
    const writes = methods.some((method) => method === 'set' || method === 'copy');
    if (writes && !this.#canMake) return false;
    return methods.every((method) => this.profile.methods.has(method));
  }

  /** Tells whether it is known what a destroy of the object does that a reference names. */
  knowsDestroy({ name }: Link): boolean {
    return this.isSelfDescribed || this.#destroys.has(name);
  }

  /** Returns the standard methods that the type has not, not even as methods of its own. */
  get missing(): readonly StandardMethodName[] {
    const all = ['get', 'changes', 'set', 'copy', 'query', 'queryChanges'] as const;
    const methods = new Set(this.described.methods.map(({ name }) => name));
    return all.filter(
      (method) => !methods.has(method) && !this.#ownMethods.has(`${this.type}/${method}`),
    );
  }

  /** Returns a client of the user that names core and the type's capability. */
  get client(): Client {
    return this.server.user.buildClient(this.profile.capability);
  }

  /** Returns a client of the user that names the capabilities of all described types, and blobs. */
  get clientOfAll(): Client {
    const { capabilities } = this.server.user.session;
    const types = [...this.world.values()].map(({ capability }) => capability);
    return this.server.user.buildClient(...[BLOB, ...types].filter((one) => one in capabilities));
  }

  /** Returns the account that most is done in: writable, best the primary one. */
  get A1(): string {
    const [first] = this.server.listWritable(this.profile.capability);
    if (first !== undefined) return first;
    throw new NotApplicable(
      `The user reaches no writable account with ${this.profile.capability}.`,
    );
  }

  /** Returns a second writable account. */
  get A2(): string {
    const [, second] = this.server.listWritable(this.profile.capability);
    if (second !== undefined) return second;
    throw new NotApplicable(
      `The user reaches no second writable account with ${this.profile.capability}.`,
    );
  }

  /** Returns an account that the user may only read. */
  get AR(): string {
    return this.server.findReadOnly(this.profile.capability);
  }

  /** Returns an account of the user's that doesn't have the type. */
  get accountWithout(): string {
    return this.server.findWithout(this.profile.capability);
  }

  /** Returns another user's account, out of reach. */
  get AX(): string {
    return this.server.findForeign(this.profile.capability).accountId;
  }

  /** Returns an id that no account has. */
  get unknownAccount(): string {
    return this.server.unknownAccount;
  }

  /** Tells whether the objects that were there before can't be listed. */
  protected isBlind(accountId: string): boolean {
    return this.server.listings.findWay(this.type, accountId) === 'own';
  }

  /** Returns the objects that were there before, as far as they could be listed. */
  protected listBefore(accountId: string): ReadonlyMap<string, Item> {
    return this.server.fence.listForeign(this.type, accountId);
  }

  /**
   * Lists the objects of an account that were there before, by id. Checks neither change nor expect
   * them.
   */
  listForeign(accountId = this.A1): ReadonlyMap<string, Item> {
    if (this.isBlind(accountId))
      throw new NotApplicable(
        `The objects of account ${accountId} can't all be listed: /get refuses ids: null, ` +
          'or they are too many.',
      );
    return this.listBefore(accountId);
  }

  /** Tells whether an account that checks make objects in has others, too. */
  get isBeside(): boolean {
    return this.accounts.some((id) => this.isBlind(id) || this.listBefore(id).size > 0);
  }

  /** Picks the ids of objects that were not there before, in their order. */
  pickOwn(ids: readonly string[], accountId = this.A1): string[] {
    if (this.isBlind(accountId))
      return ids.filter((id) => this.server.fence.isOwn(this.type, accountId, id));
    const foreign = this.listBefore(accountId);
    return ids.filter((id) => !foreign.has(id));
  }

  /** Adds the ids of all objects that were there before, in front of others. */
  addForeign(ids: readonly string[], accountId = this.A1): string[] {
    return [...this.listForeign(accountId).keys(), ...ids];
  }

  /** Returns the accounts that checks may make objects in, the first before the others. */
  protected get accounts(): readonly string[] {
    return this.server.listWritable(this.profile.capability);
  }

  /** Returns the names of the properties that are never on the wire. */
  get hidden(): readonly string[] {
    const shown = listVisible(this.described);
    return this.described.properties.flatMap((one) => (shown.includes(one) ? [] : [one.name]));
  }

  /**
   * Returns the names of the properties that each object shows, without times that it may not have
   * and those that may be absent.
   */
  get properties(): readonly string[] {
    const times = this.isSelfDescribed ? [] : ['created', 'updated'];
    const absent = this.described.properties.flatMap(({ name, optional, onRequest }) =>
      optional === true || onRequest === true ? [name] : [],
    );
    const stored = this.profile.properties.filter((name) => ![...times, ...absent].includes(name));
    const answered = (this.described.answered ?? []).flatMap(({ name, optional, onRequest }) =>
      optional === true || onRequest === true ? [] : [name],
    );
    return [...stored, ...answered];
  }

  /** Returns `created` and `updated`, as far as a type has them that its server describes. */
  get times(): JsonMap {
    if (!this.isSelfDescribed) return {};
    const names = this.described.properties.flatMap(({ name, role }) =>
      role === 'created' || role === 'updated' ? [name] : [],
    );
    return Object.fromEntries(names.map((name) => [name, utcDate])) as unknown as JsonMap;
  }

  /**
   * Picks the members of an answer that the type's descriptor declares beyond the standard ones.
   */
  readonly pickDeclared = (method: StandardMethodName, answer: object): object => {
    const declared = this.described.methods.find(({ name }) => name === method)?.response;
    const names = Object.keys(declared?.properties ?? {});
    return Object.fromEntries(Object.entries(answer).filter(([name]) => names.includes(name)));
  };

  /** Tells whether the text property may have this value. */
  allows(text: string): boolean {
    const { textPattern } = this.profile;
    if (textPattern !== undefined) return textPattern.test(text);
    const { length } = [...text];
    return length >= this.profile.textMin && length <= this.profile.textMax;
  }

  /** Returns how many objects of the run's an account has room for, beside what is there. */
  get room(): number {
    const [first, second] = this.accounts;
    const there = [first, second].map((id) => (id === undefined ? 0 : this.listBefore(id).size));
    return this.profile.count - Math.max(...there);
  }

  /** Tells whether an account may have so many objects of the run's. */
  holds(count: number): boolean {
    return count <= this.room;
  }

  /** Returns the name of an `error` response and a matcher of its arguments; see the server's. */
  matchError(type: string, ...named: readonly string[]): [string, object] {
    return ['error', this.matchMethodError(type, ...named)];
  }

  /** Matches the arguments of an error of a type; see the server's. */
  matchMethodError(type: string, ...named: readonly string[]): object {
    return this.server.matchMethodError(type, ...named);
  }

  /**
   * Matches a SetError (RFC 8620 5.3). Its `properties`, which should list all that are at fault,
   * are among these; a strict run wants exactly these, and their names in the description.
   */
  matchSetError(type: string, properties?: readonly string[]): Matcher {
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

function hasSet(world: World, type: string): boolean {
  return world.get(type)?.type.methods.some(({ name }) => name === 'set') === true;
}
