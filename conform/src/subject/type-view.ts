import type { StandardMethodName } from '../../../src/capability/definition.js';
import type { ModelType } from '../../../src/descriptor/model.js';
import type { Client } from '../client/client.js';
import type { Item, JsonMap } from '../client/json.js';
import { type Matcher, satisfying, textWith, utcDate } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { visible, type World } from './described.js';
import { profileOf, type TypeProfile } from './profile.js';
import type { Server } from './server.js';
import { BLOB } from './user.js';

/**
 * The facts of a data type: its description, the accounts that have it, the objects that were there
 * before the run, and its errors.
 */
export class TypeView {
  readonly server: Server;
  readonly world: World;
  /** The type as its descriptor describes it. */
  readonly described: ModelType;
  readonly profile: TypeProfile;
  /**
   * Whether the server itself describes the type: then it has nothing that the descriptor lacks.
   */
  readonly isSelfDescribed: boolean;

  constructor(server: Server, world: World, name: string) {
    const found = world.get(name);
    if (found === undefined) throw new Error(`No descriptor has the type ${name}.`);
    this.server = server;
    this.world = world;
    this.described = found.type;
    this.profile = profileOf(found);
    this.isSelfDescribed = found.isSelfDescribed;
  }

  /** Returns the name of the type. */
  get type(): string {
    return this.profile.name;
  }

  /** Tells whether the type has all of these standard methods. */
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

  /** Returns an id that no account has. */
  get unknownAccount(): string {
    return this.server.unknownAccount;
  }

  /** Whether the objects that were there before can't be listed. */
  protected isBlind(accountId: string): boolean {
    return this.server.listings.wayOf(this.type, accountId) === 'own';
  }

  /** Returns the objects that were there before, as far as they could be listed. */
  protected before(accountId: string): ReadonlyMap<string, Item> {
    return this.server.fence.foreign(this.type, accountId);
  }

  /** Objects of an account that were there before, by id; checks neither change nor expect them. */
  foreign(accountId = this.A1): ReadonlyMap<string, Item> {
    if (this.isBlind(accountId))
      throw new NotApplicable(
        `The objects of account ${accountId} can't all be listed: /get refuses ids: null, ` +
          'or they are too many.',
      );
    return this.before(accountId);
  }

  /** Whether an account that checks make objects in has others, too. */
  get isBeside(): boolean {
    return this.accounts.some((id) => this.isBlind(id) || this.before(id).size > 0);
  }

  /** Those of some ids that were not there before, in their order. */
  own(ids: readonly string[], accountId = this.A1): string[] {
    if (this.isBlind(accountId))
      return ids.filter((id) => this.server.fence.isOwn(this.type, accountId, id));
    const foreign = this.before(accountId);
    return ids.filter((id) => !foreign.has(id));
  }

  /** Some ids of this run, and all that were there before. */
  withForeign(ids: readonly string[], accountId = this.A1): string[] {
    return [...this.foreign(accountId).keys(), ...ids];
  }

  /** Returns the accounts that checks may make objects in, the first before the others. */
  protected get accounts(): readonly string[] {
    return this.server.writable(this.profile.capability);
  }

  /** Names of what is never on the wire. */
  get hidden(): readonly string[] {
    const shown = visible(this.described);
    return this.described.properties.flatMap((one) => (shown.includes(one) ? [] : [one.name]));
  }

  /**
   * Returns the names of the properties that each object shows, without times that it may not have.
   */
  get properties(): readonly string[] {
    const times = this.isSelfDescribed ? [] : ['created', 'updated'];
    return this.profile.properties.filter((name) => !times.includes(name));
  }

  /** Returns `created` and `updated`, which each type has whose server describes it itself. */
  get times(): JsonMap {
    if (!this.isSelfDescribed) return {};
    return { created: utcDate, updated: utcDate } as unknown as JsonMap;
  }

  /** Those of the further members that the type's descriptor declares that a response has. */
  readonly more = (method: StandardMethodName, answer: object): object => {
    const declared = this.described.methods.find(({ name }) => name === method)?.response;
    const names = Object.keys(declared?.properties ?? {});
    return Object.fromEntries(Object.entries(answer).filter(([name]) => names.includes(name)));
  };

  /** Whether the text property may have this value. */
  allows(text: string): boolean {
    const { textPattern } = this.profile;
    if (textPattern !== undefined) return textPattern.test(text);
    const { length } = [...text];
    return length >= this.profile.textMin && length <= this.profile.textMax;
  }

  /** How many objects of the run's an account has room for, beside what is there. */
  get room(): number {
    const [first, second] = this.accounts;
    const there = [first, second].map((id) => (id === undefined ? 0 : this.before(id).size));
    return this.profile.count - Math.max(...there);
  }

  /** Whether an account may have so many objects of the run's. */
  holds(count: number): boolean {
    return count <= this.room;
  }

  /** Returns name and arguments of an `error` response; see `methodError` of the server. */
  err(type: string, ...named: readonly string[]): [string, object] {
    return ['error', this.methodError(type, ...named)];
  }

  /** Matches an error of a type; see `methodError` of the server. */
  methodError(type: string, ...named: readonly string[]): object {
    return this.server.methodError(type, ...named);
  }

  /**
   * Matches a SetError (RFC 8620 5.3). Its `properties`, which should list all that are at fault,
   * are among these; a strict run wants exactly these, and their names in the description.
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
