import { FencedError, listGiven, listOriginals, listTexts, listUpdated } from './fenced-ids.js';
import {
  type Create,
  isForeign,
  isMadeOf,
  makeUnknown,
  NONE,
  type Objects,
  type Refusal,
} from './fenced-objects.js';
import { asMap, type Item, type Json, type JsonMap, parseJson } from './json.js';

/** Stands for the account of objects that belong to none. */
const NO_ACCOUNT = '';

/** A method that writes: standard ones of any type, in whatever case a check spells them. */
const WRITES = /^(.*)\/(set|copy)$/i;

/**
 * Stands between the runner and its wire, whichever way a request takes. It knows the objects that
 * the run made, and refuses a /set, or a /copy that destroys originals, of any other object. Ids
 * that nobody was ever shown may be sent where somebody looked what there is.
 */
export class Fence {
  readonly #objects = new Map<string, Objects>();
  /** Creates of the check that runs, of which no answer said what became of them. */
  readonly #unanswered: Create[] = [];

  /** Creates and updates of the check that runs, which were refused one by one. */
  readonly #refusals: Refusal[] = [];
  readonly #patches: Create[] = [];
  /** By type, the names of the properties that creates and updates gave and the server took. */
  readonly #stored = new Map<string, Set<string>>();
  /** The check that runs. */
  #check = '';

  /** Begins a check: what became of the creates before it is known, or was looked at. */
  begin(check: string): void {
    this.#check = check;
    for (const list of [this.#unanswered, this.#refusals, this.#patches]) list.length = 0;
  }

  /** Returns the creates and updates of the check that the server refused, each with its error. */
  get refusals(): readonly Refusal[] {
    return [...this.#refusals];
  }

  /** Tells whether the server took a create of a type in this run, or an update with values. */
  hasStored(type: string): boolean {
    return this.#stored.has(type);
  }

  /** Tells whether the server took some value of a property in this run. */
  hasStoredValue(type: string, property: string): boolean {
    return this.#stored.get(type)?.has(property) === true;
  }

  /** Returns the types and accounts in which a create was not answered. */
  get unanswered(): readonly Pick<Create, 'type' | 'accountId'>[] {
    return this.#unanswered;
  }

  /**
   * Takes objects for the run's own that came since it looked, each for a create that was not
   * answered and gave these very values.
   */
  adopt(type: string, accountId: string, items: readonly Item[]): void {
    const { before, ever, made } = this.#findOrMake(type, accountId);
    for (const item of items) {
      if (before === null || before.has(item.id) || ever.has(item.id)) continue;
      const at = this.#unanswered.findIndex(
        (one) => one.type === type && one.accountId === accountId && isMadeOf(item, one.object),
      );
      if (at === -1) continue;
      this.#unanswered.splice(at, 1);
      ever.add(item.id);
      made.set(item.id, this.#check);
    }
  }

  /**
   * Takes note of what is there of a type: all that this run did not make is left alone from now
   * on.
   */
  noteFound(type: string, accountId: string, items: readonly Item[]): void {
    const objects = this.#findOrMake(type, accountId);
    const others = items.filter(({ id }) => !objects.ever.has(id));
    objects.before = new Map(others.map((item) => [item.id, item]));
  }

  /** Tells whether it is known what an account had of a type before the run. */
  hasLooked(type: string, accountId: string): boolean {
    const { before, isBlind } = this.#findOrMake(type, accountId);
    return before !== null || isBlind;
  }

  /**
   * Takes note that the objects of an account can't be listed: only what this run made may be
   * changed from now on.
   */
  noteBlind(type: string, accountId: string): void {
    const objects = this.#findOrMake(type, accountId);
    objects.before = null;
    objects.isBlind = true;
  }

  /** Tells whether the run made an object, be it gone or not. */
  isOwn(type: string, accountId: string, id: string): boolean {
    return this.#findOrMake(type, accountId).ever.has(id);
  }

  /** Returns the objects that were there before, and that this run did not make, by id. */
  listForeign(type: string, accountId: string): ReadonlyMap<string, Item> {
    return this.#findOrMake(type, accountId).before ?? NONE;
  }

  /**
   * Lets objects be updated that are there before anybody makes them, until it is called with
   * false: a singleton, which is put back later.
   */
  allowUpdates(type: string, accountId: string, isAllowed = true): void {
    this.#findOrMake(type, accountId).restored = isAllowed;
  }

  /**
   * Returns the ids of a type that the run made and that are there still, as far as is known,
   * oldest first.
   */
  listMade(type: string, accountId: string): readonly string[] {
    return [...this.#findOrMake(type, accountId).made.keys()];
  }

  /** Returns the ids of `listMade`, without those that are held for others. */
  listRemovable(type: string, accountId: string): readonly string[] {
    const { made, held } = this.#findOrMake(type, accountId);
    return [...made.keys()].filter((id) => !held.has(id));
  }

  /** Holds an object for others that refer to it, until it is released. */
  hold(type: string, accountId: string, id: string): void {
    this.#findOrMake(type, accountId).held.add(id);
  }

  /** Lets an object be removed again. */
  release(type: string, accountId: string, id: string): void {
    this.#findOrMake(type, accountId).held.delete(id);
  }

  /** Returns the check that made an object; empty where it was made for several. */
  findMaker(type: string, accountId: string, id: string): string {
    return this.#findOrMake(type, accountId).made.get(id) ?? '';
  }

  /** Returns the accounts in which objects of a type are still there that the run made. */
  listAccounts(type: string): readonly string[] {
    const start = `${type.toLowerCase()} `;
    return [...this.#objects].flatMap(([key, { made }]) =>
      key.startsWith(start) && made.size > 0 ? [key.slice(start.length)] : [],
    );
  }

  /** Takes note of an object that the run made of a type without accounts. */
  noteMade(type: string, id: string): void {
    const { made, ever } = this.#findOrMake(type, NO_ACCOUNT);
    made.set(id, this.#check);
    ever.add(id);
  }

  /**
   * Lets objects be changed that the server made by itself because of what the run did. The server
   * may also remove them by itself, so they are not among those that the run has to remove.
   */
  claim(type: string, accountId: string, ids: Iterable<string>): void {
    const { ever } = this.#findOrMake(type, accountId);
    for (const id of ids) ever.add(id);
  }

  /** Takes note that objects are gone, though no answer said so. */
  forget(type: string, accountId: string, ids: Iterable<string>): void {
    const { made } = this.#findOrMake(type, accountId);
    for (const id of ids) made.delete(id);
  }

  /** Takes note of an answer, whatever it is. */
  hear(answer: Json): void {
    const { methodResponses } = asMap(answer);
    if (!Array.isArray(methodResponses)) return;
    for (const response of methodResponses) if (Array.isArray(response)) this.#hear(response);
  }

  /** Takes note of one response: what was seen, made, refused or destroyed. */
  #hear([name, args]: readonly Json[]): void {
    const [type = '', verb = ''] = typeof name === 'string' ? name.split('/') : [];
    const { created, destroyed, list } = asMap(args);
    const accountId = this.#findAccount(type, asMap(args));
    if (accountId === undefined) return;
    const objects = this.#findOrMake(type, accountId);
    if (verb === 'get' && Array.isArray(list))
      for (const item of list) {
        const { id } = asMap(item);
        if (typeof id === 'string') objects.seen.add(id);
      }
    if (verb !== 'set' && verb !== 'copy') return;
    const { updated, notCreated, notUpdated } = asMap(args);
    const settle = (list: Create[], key: string, error?: Json): void => {
      const at = list.findIndex(
        (one) => one.type === type && one.accountId === accountId && one.key === key,
      );
      const [one] = at === -1 ? [] : list.splice(at, 1);
      if (one === undefined) return;
      const isCreate = list === this.#unanswered;
      if (error === undefined) this.#store(one, isCreate);
      else this.#refusals.push({ ...one, id: isCreate ? null : key, error: asMap(error) });
    };
    // An answer without the id says nothing of what was made: its values are looked for later.
    for (const [key, object] of Object.entries(asMap(created)))
      if (typeof asMap(object)['id'] === 'string') settle(this.#unanswered, key);
    for (const key of Object.keys(asMap(updated))) settle(this.#patches, key);
    for (const [key, error] of Object.entries(asMap(notCreated)))
      settle(this.#unanswered, key, error);
    for (const [key, error] of Object.entries(asMap(notUpdated))) settle(this.#patches, key, error);
    for (const object of Object.values(asMap(created))) {
      const { id } = asMap(object);
      // An object that was there before was not made, whatever is said.
      if (typeof id !== 'string' || objects.before?.has(id) === true) continue;
      objects.made.set(id, this.#check);
      objects.ever.add(id);
    }
    if (Array.isArray(destroyed)) for (const id of destroyed) objects.made.delete(String(id));
  }

  /** Takes note of what the server took; an update without values says nothing. */
  #store({ type, object }: Create, isCreate: boolean): void {
    const names = Object.keys(object);
    if (names.length === 0 && !isCreate) return;
    const stored = this.#stored.get(type) ?? new Set();
    this.#stored.set(type, stored);
    for (const name of names) stored.add(name);
  }

  /**
   * Returns the account of a response. A /set that doesn't name it was sent for the account of its
   * creates or patches, or for the one whose objects it destroyed.
   */
  #findAccount(type: string, response: JsonMap): string | undefined {
    const { accountId, destroyed } = response;
    if (typeof accountId === 'string') return accountId;
    const keys = ['created', 'notCreated', 'updated', 'notUpdated'].flatMap((member) =>
      Object.keys(asMap(response[member])),
    );
    const sent = [...this.#unanswered, ...this.#patches].find(
      (one) => one.type === type && keys.includes(one.key),
    );
    if (sent !== undefined) return sent.accountId;
    return this.listAccounts(type).find((one) =>
      listTexts(destroyed).some((id) => this.#findOrMake(type, one).made.has(id)),
    );
  }

  /**
   * Throws FencedError where a request, as the text that is sent, could change what the run did not
   * make.
   */
  pass(text: string): void {
    if (!/set|copy|\\u/i.test(text)) return;
    const request = parseJson(text);
    // A server might read what is no JSON: then nobody can say what it does.
    if (request === null && /\/(set|copy)/i.test(text) && /update|destroy/i.test(text))
      throw new FencedError('The request is no JSON, and might update or destroy something.');
    const { methodCalls, createdIds } = asMap(request);
    if (!Array.isArray(methodCalls)) return;
    for (const call of methodCalls)
      if (Array.isArray(call)) this.#passCall(call, methodCalls, asMap(createdIds));
  }

  /** Throws FencedError where one call could change an object that the run did not make. */
  #passCall([name, args]: readonly Json[], calls: readonly Json[], createdIds: JsonMap): void {
    const [, type, verb] = WRITES.exec(typeof name === 'string' ? name : '') ?? [];
    if (type === undefined || verb === undefined) return;
    const readArgument = (argument: string) => listGiven(asMap(args), argument, calls);
    const isCopy = verb.toLowerCase() === 'copy';
    if (!isCopy) {
      this.#note(this.#unanswered, type, readArgument('accountId'), readArgument('create'));
      this.#note(this.#patches, type, readArgument('accountId'), readArgument('update'));
    }
    if (isCopy && readArgument('onSuccessDestroyOriginal').every((one) => !one)) return;
    const ids = isCopy
      ? readArgument('create').flatMap((one) => Object.values(asMap(one)).flatMap(listOriginals))
      : [
          ...readArgument('update').flatMap(listUpdated),
          ...readArgument('destroy').flatMap(listTexts),
        ];
    if (ids.length === 0) return;
    const [accountId, ...others] = readArgument(isCopy ? 'fromAccountId' : 'accountId');
    for (const id of ids) {
      const real = id.startsWith('#') ? createdIds[id.slice(1)] : id;
      // A creation id of the request's own stands for what the request makes.
      if (typeof real === 'string')
        this.#passId(type, others.length === 0 ? accountId : undefined, real);
    }
  }

  /** Keeps the creates or patches of a call until an answer says what became of them. */
  #note(list: Create[], type: string, accounts: readonly Json[], maps: readonly Json[]): void {
    const [accountId] = accounts;
    if (typeof accountId !== 'string') return;
    for (const [key, object] of maps.flatMap((one) => Object.entries(asMap(one))))
      list.push({ type, accountId, key, object: asMap(object) });
  }

  /** Throws FencedError where an id is that of an object that the run did not make. */
  #passId(type: string, accountId: Json | undefined, id: string): void {
    const start = `${type.toLowerCase()} `;
    const own = this.#find(type, typeof accountId === 'string' ? accountId : NO_ACCOUNT);
    if (own?.ever.has(id) === true && own.before?.has(id) !== true) return;
    if (own?.restored === true) return;
    // A server may take a missing accountId, or what is none, for another one: then it must be
    // there in none.
    const all = [...this.#objects].flatMap(([key, one]) => (key.startsWith(start) ? [one] : []));
    const places = typeof accountId !== 'string' ? all : own === undefined ? [] : [own];
    const isKnown = places.length > 0 && places.every(({ before }) => before !== null);
    if (isKnown && !places.some(isForeign(id))) return;
    throw new FencedError(
      `The runner does not update or destroy ${type} ${id}, which it did not make.`,
    );
  }

  #find(type: string, accountId: string): Objects | undefined {
    return this.#objects.get(`${type.toLowerCase()} ${accountId}`);
  }

  #findOrMake(type: string, accountId: string): Objects {
    const known = this.#find(type, accountId);
    if (known !== undefined) return known;
    const all = makeUnknown();
    this.#objects.set(`${type.toLowerCase()} ${accountId}`, all);
    return all;
  }
}
