import { asSet, type SetAnswer } from '../client/answers.js';
import { type Item, type JsonMap, same } from '../client/json.js';
import { NotApplicable } from '../not-applicable.js';
import { UnexpectedError } from '../unexpected.js';
import { Creates } from './creates.js';
import { listWritable, type World } from './described.js';
import { listObjects } from './listing.js';
import { PatternTexts } from './patterned.js';
import { Prepared } from './prepared.js';
import type { Server } from './server.js';

/** The result of trying to store something. */
export interface Put {
  readonly id: string;
  /** The members of `created` or `updated`. */
  readonly reported: JsonMap;
  readonly refused: JsonMap | null;
}

/** Ids that one /set destroys at the most, however many the server allows. */
const AT_ONCE = 100;

/** A data type of the server that is tested, and what checks do with its objects. */
export class Subject extends Creates {
  protected readonly prepared: Prepared;
  /** The objects of a singleton when the run began, by account. */
  readonly #originals = new Map<string, Item>();
  #made = 0;

  constructor(server: Server, world: World, name: string) {
    super(server, world, name);
    this.prepared = new Prepared(this);
    const text = this.described.properties.find((one) => one.name === this.profile.text);
    if (this.profile.textPattern !== undefined && text !== undefined && !server.standIns.has(name))
      server.standIns.set(name, new PatternTexts(name, text));
  }

  /** Returns the subject of another type of the server. */
  selectType(name: string): Subject {
    return new Subject(this.server, this.world, name);
  }

  /** Makes what objects must refer to, in an account where checks create some; again is fine. */
  async prepare(accountId: string = this.A1): Promise<void> {
    const { fence } = this.server;
    if (this.has('get') && !fence.hasLooked(this.type, accountId)) await this.look(accountId);
    await this.prepared.prepare(accountId);
    if (!this.profile.singleton || this.#originals.has(accountId)) return;
    // Where it is missing, which a check tells, there is nothing to be put back.
    const [original] = await this.listAll(accountId);
    if (original === undefined) return;
    this.#originals.set(accountId, original);
    fence.allowUpdates(this.type, accountId);
  }

  /** Takes note of what is there that the run did not make. It is left alone from now on. */
  async look(accountId: string): Promise<void> {
    const items = await this.listAll(accountId);
    const { fence } = this.server;
    if (this.isBlind(accountId)) fence.noteBlind(this.type, accountId);
    else fence.noteFound(this.type, accountId, items);
  }

  /**
   * Begins a check. Destroys what the run made so far where the check might lack room for its
   * objects, or values that differ.
   */
  async begin(): Promise<void> {
    this.#made = 0;
    this.texts.clear();
    const { singleton, count, textDistinct } = this.profile;
    if (singleton || (count >= 1000 && !this.isBeside && !textDistinct)) return;
    for (const id of this.accounts) await this.clear(id);
  }

  /** Removes all that was made of this type and for it. */
  async tidy(): Promise<void> {
    if (!this.has('set')) return;
    if (this.profile.singleton) await this.#restore();
    // A server without isolation may have let the user into accounts of others.
    else for (const id of this.server.fence.listAccounts(this.type)) await this.clear(id);
    await this.tidySupports();
  }

  /** Gives a singleton the values back that it had, since it can't be destroyed. */
  async #restore(): Promise<void> {
    const names = listWritable(this.described)
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
    await this.server.recorder.runAside(() => this.prepared.tidy());
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

  /**
   * Stores values as `put` does, and returns the object's id. Throws UnexpectedError where they are
   * refused.
   */
  async putOne(values: JsonMap, accountId = this.A1): Promise<string> {
    const { id, refused } = await this.put(values, accountId);
    if (refused !== null)
      throw new UnexpectedError(`${JSON.stringify(values)}: ${JSON.stringify(refused)}`);
    return id;
  }

  /** Updates one object. Returns what the server set, or the SetError. */
  async update(
    id: string,
    patch: JsonMap,
  ): Promise<{ set: JsonMap | null; refused: JsonMap | null }> {
    const { updated, notUpdated } = await this.set({ update: { [id]: patch } });
    return { set: updated?.[id] ?? null, refused: notUpdated?.[id] ?? null };
  }

  /**
   * Calls /set in the first account, unless the arguments name another. Throws where it is refused.
   */
  set(args: object): Promise<SetAnswer> {
    return this.client.set(this.type, { accountId: this.A1, ...args });
  }

  /**
   * Returns the arguments by which /get gives each declared stored property and no other. By itself
   * it leaves out those on request, and has those that are computed when they are read.
   */
  get stored(): object {
    return this.#isOther ? { properties: this.profile.properties } : {};
  }

  /** Tells whether a /get without `properties` gives other than the stored properties. */
  get #isOther(): boolean {
    const { properties, answered } = this.described;
    return answered !== undefined || properties.some(({ onRequest }) => onRequest === true);
  }

  /**
   * Returns the stored properties of an object as /get shows them. Throws UnexpectedError where it
   * isn't there.
   */
  async read(id: string, accountId = this.A1): Promise<Item> {
    const declared = await this.#show(id, { accountId, ...this.stored });
    const { answered = [], keepsUnknown } = this.described;
    if (keepsUnknown !== true || !this.#isOther) return declared;
    // Undeclared properties are there only where `properties` is null.
    const shown = await this.#show(id, { accountId });
    const names = answered.map(({ name }) => name);
    const stored = Object.entries(shown).filter(([name]) => !names.includes(name));
    return { ...Object.fromEntries(stored), ...declared };
  }

  async #show(id: string, args: object): Promise<Item> {
    const { list } = await this.client.get(this.type, { ids: [id], ...args });
    if (list[0] === undefined) throw new UnexpectedError(`There is no ${this.type} ${id}.`);
    return list[0];
  }

  /** Creates one object for each text in one call. Returns their ids in order. */
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

  /** Creates one object and returns its id. */
  async makeOne(accountId: string, text = 'one'): Promise<string> {
    const [id = ''] = await this.make(accountId, text);
    return id;
  }

  /**
   * Creates an object in the second account. Returns its id, which none of the first account has.
   */
  async makeElsewhere(): Promise<string> {
    const id = await this.makeOne(this.A2);
    // RFC 8620 1.2: an id is unique within its account alone.
    if ((await this.listAll(this.A1)).some((one) => one.id === id))
      throw new NotApplicable('Objects of two accounts have one id here.');
    return id;
  }

  /** Lists all objects of an account but those that were there before. */
  async listOwn(accountId: string): Promise<Item[]> {
    const foreign = this.listBefore(accountId);
    return (await this.listAll(accountId)).filter(({ id }) => !foreign.has(id));
  }

  /** Lists all objects of an account, whoever made them, as far as they can be listed. */
  async listAll(accountId: string): Promise<Item[]> {
    return await listObjects(this, accountId);
  }

  /** Returns the state of the type in an account (RFC 8620 5.1). */
  async readState(accountId: string): Promise<string> {
    return (await this.client.get(this.type, { accountId, ids: [] })).state;
  }

  /** Leaves an account with none but what was there before, for checks of exact lists. */
  async empty(accountId: string): Promise<void> {
    await this.clear(accountId);
    if (this.prepared.listKept(accountId).size > 0)
      throw new NotApplicable('Its objects need others of it: an account is never without any.');
  }

  /** Destroys all objects that this run made in an account, and no others. */
  async clear(accountId: string): Promise<void> {
    await this.server.recorder.runAside(() => this.#clear(accountId));
  }

  /** Destroys what the run made in an account, as many objects in a call as the session allows. */
  async #clear(accountId: string): Promise<void> {
    this.#made = 0;
    this.texts.delete(accountId);
    const user = this.server.findWriter(accountId);
    const client = user.buildClient(this.profile.capability);
    const { fence } = this.server;
    const ids = fence.listRemovable(this.type, accountId);
    const most = Math.max(1, Math.min(AT_ONCE, user.session.readLimit('maxObjectsInSet')));
    for (let at = 0; at < ids.length; at += most) {
      const destroy = ids.slice(at, at + most);
      const answer = asSet(await client.ok(`${this.type}/set`, { accountId, destroy }));
      // An object that went with another one is gone as well.
      const gone = Object.entries(answer.notDestroyed ?? {})
        .filter(([, error]) => error['type'] === 'notFound')
        .map(([id]) => id);
      fence.forget(this.type, accountId, gone);
    }
  }

  /** Takes the state and the data of an account, to be compared before and after. */
  async takeSnapshot(accountId: string): Promise<unknown> {
    const list = await this.listAll(accountId);
    const state = await this.readState(accountId);
    return { state, list: [...list].sort((a, b) => (a.id < b.id ? -1 : 1)) };
  }
}
