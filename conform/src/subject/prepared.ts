import { replaceTexts, textsAt } from '../../../src/capability/places.js';
import type { Item, Json, JsonMap } from '../client/json.js';
import { UnexpectedError } from '../unexpected.js';
import { buildHolding } from './blob-holders.js';
import { buildHolder, listNeeded } from './links.js';
import type { Subject } from './subject.js';
import type { User } from './user.js';
import { BLOB, CORE } from './user.js';

/** An object that was made for others to refer to. */
interface Support {
  readonly user: User;
  readonly type: string;
  readonly capability: string;
  readonly accountId: string;
  readonly id: string;
}

/**
 * The objects that a type's objects must refer to: made once an account, and kept until the type is
 * done.
 */
export class Prepared {
  readonly #subject: Subject;
  readonly #values = new Map<string, JsonMap>();
  readonly #supports: Support[] = [];
  /** Types of which some were made, each with what those refer to themselves. */
  readonly #others: Subject[] = [];

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** Returns the values of the properties that refer to something, by their names. */
  readValues(accountId: string): JsonMap {
    return this.#values.get(accountId) ?? {};
  }

  /** Returns the ids of the prepared objects that others of the same type refer to. */
  listKept(accountId: string): ReadonlySet<string> {
    const { type } = this.#subject;
    return new Set(
      this.#supports.flatMap((one) =>
        one.type === type && one.accountId === accountId ? [one.id] : [],
      ),
    );
  }

  /** Makes in an account the objects and blobs that the type's objects must refer to. */
  async prepare(accountId: string): Promise<void> {
    if (this.#values.has(accountId)) return;
    const { server, profile } = this.#subject;
    const user = server.findWriter(accountId);
    const values: JsonMap = {};
    for (const property of profile.given) {
      const { name, references, blobs } = property;
      if (references.length > 0) {
        const ids = new Map<string, string>();
        for (const type of listNeeded(property))
          ids.set(type, await this.#makeSupport(type, user, accountId));
        values[name] = buildHolder(property, (type) => ids.get(type) ?? '');
      } else if (blobs.length === 0) continue;
      const upload = () => user.uploadBlob(accountId, name, 'text/plain');
      if (references.length === 0) values[name] = buildHolding(property, await upload());
      else if (textsAt(blobs, values[name]).size > 0) {
        const blobId = await upload();
        values[name] = replaceTexts(blobs, values[name] ?? null, () => blobId) as Json;
      }
    }
    this.#values.set(accountId, values);
  }

  /** Makes one object of a type for others to refer to, and returns its id. */
  async #makeSupport(type: string, user: User, accountId: string): Promise<string> {
    const other = this.#subject.selectType(type);
    this.#others.push(other);
    await other.prepare(accountId);
    const { capability } = other.profile;
    const create = { k: other.create('prepared', accountId) };
    const client = user.buildClient(
      ...[capability, BLOB].filter((one) => one in user.session.capabilities),
    );
    const { created } = await client.set(type, { accountId, create });
    const made: Item | undefined = created?.['k'];
    if (made === undefined)
      throw new UnexpectedError(`A ${type} can't be made for others to refer to.`);
    this.#supports.push({ user, type, capability, accountId, id: made.id });
    this.#subject.server.fence.hold(type, accountId, made.id);
    return made.id;
  }

  /** Destroys the objects that were made for others to refer to, last first. */
  async tidy(): Promise<void> {
    this.#values.clear();
    const { fence } = this.#subject.server;
    for (const { user, type, capability, accountId, id } of this.#supports.splice(0).reverse()) {
      fence.release(type, accountId, id);
      await user.buildClient(CORE, capability).set(type, { accountId, destroy: [id] });
    }
    for (const other of this.#others.splice(0).reverse()) await other.tidySupports();
  }
}
