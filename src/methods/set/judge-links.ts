import { textSteps } from '../../capability/places.js';
import { setError } from '../../protocol/errors.js';
import { runInSlices, type Steps, Strides } from '../../runtime/slices.js';
import type { StoredObject } from '../../store/port.js';
import { quoted, sentence } from '../issues.js';
import { MAX_IDS } from '../long-calls.js';
import type { Registry } from '../registry.js';
import type { BlobProperty, ReferenceProperty, TypeIndex } from '../type-index.js';
import { blobIdsOf, referredIds, unknownReference, unusableBlob } from '../work/named-ids.js';
import type { UnitOfWork } from '../work/unit.js';
import type { Operation, Proposal, ProposedRow } from './proposal.js';

/** What an object names by a property and didn't name before: objects of a type, or blobs. */
interface NewLinks {
  readonly property: BlobProperty | ReferenceProperty;
  /** The type of the objects; null for blobs. */
  readonly to: string | null;
  readonly ids: readonly string[];
}

/** Ids to look up: of blobs, and of objects by their types. */
interface UnknownIds {
  readonly blobs: ReadonlySet<string>;
  readonly objects: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Whether the objects and blobs that a call's objects name exist, and the user may use the blobs. It looks at objects
 * as the call leaves them, so it doesn't matter who gave an id: the client, a hook or `compute`. Each id is looked up
 * once, whatever the number of turns.
 */
export class LinkJudge {
  readonly #proposal: Proposal;
  readonly #unit: UnitOfWork;
  readonly #registry: Registry;
  /** By type and id: whether the database has the object. */
  readonly #known = new Map<string, Map<string, boolean>>();

  constructor(proposal: Proposal, unit: UnitOfWork, registry: Registry) {
    this.#proposal = proposal;
    this.#unit = unit;
    this.#registry = registry;
  }

  /** Refuses what may not be; true where it did. */
  async judge(): Promise<boolean> {
    const proposal = this.#proposal;
    if (proposal.index.links.length === 0) return false;
    const { refusals } = proposal;
    const { slices } = this.#unit;
    const named = await runInSlices(this.#namedByRows(), slices);
    await this.#lookUp(named.values());
    await runInSlices(this.#requireThere(named), slices);
    return proposal.refusals > refusals;
  }

  /**
   * 5.3: `invalidProperties` lists all properties at fault. What was refused for other reasons was not judged with the
   * others, so what it names is looked up once all is settled.
   */
  async completeRefusals(): Promise<void> {
    const { slices } = this.#unit;
    const named = await runInSlices(this.#namedByRefused(), slices);
    await this.#lookUp(named.values());
    await runInSlices(this.#tellUnknown(named), slices);
  }

  *#tellUnknown(named: ReadonlyMap<Operation, readonly NewLinks[]>): Steps<void> {
    for (const [operation, links] of named) {
      yield;
      const { error } = operation;
      const names: string[] = [];
      const texts: string[] = [];
      for (const link of links) {
        const unknown = this.#unknownOf(link);
        if (unknown === undefined) continue;
        names.push(link.property.name);
        texts.push(`${quoted(link.property.name)} ${this.#why(link, unknown)}`);
      }
      if (error === null || names.length === 0) continue;
      operation.error = setError('invalidProperties', `${error.description} ${sentence(texts)}`, {
        properties: [...(error.properties ?? []), ...names],
      });
    }
  }

  *#namedByRows(): Steps<ReadonlyMap<ProposedRow, readonly NewLinks[]>> {
    const { index, rows } = this.#proposal;
    const named = new Map<ProposedRow, readonly NewLinks[]>();
    for (const row of rows.values()) {
      yield;
      const links = yield* newLinks(index, row.before, row.after);
      if (links.length > 0) named.set(row, links);
    }
    return named;
  }

  /** D13: of an update those alone that the object doesn't name yet. */
  *#namedByRefused(): Steps<ReadonlyMap<Operation, readonly NewLinks[]>> {
    const proposal = this.#proposal;
    const named = new Map<Operation, readonly NewLinks[]>();
    for (const operation of [...proposal.creates, ...proposal.updates]) {
      const { error } = operation;
      if (error?.type !== 'invalidProperties') continue;
      yield;
      const wanted =
        operation.kind === 'create'
          ? { before: null, after: operation.object }
          : yield* proposal.wanted(operation);
      if (wanted === null) continue;
      const links = yield* newLinks(proposal.index, wanted.before, wanted.after);
      const others = links.filter(({ property }) => !error.properties?.includes(property.name));
      if (others.length > 0) named.set(operation, others);
    }
    return named;
  }

  /** One statement for each type, and one for blobs, but for very many. */
  async #lookUp(named: Iterable<readonly NewLinks[]>): Promise<void> {
    const { blobs, objects } = await runInSlices(this.#unknownAmong(named), this.#unit.slices);
    if (blobs.size > 0) await this.#unit.blobs.lookUp(blobs);
    for (const [name, ids] of objects) await this.#lookUpObjects(name, [...ids]);
  }

  *#unknownAmong(named: Iterable<readonly NewLinks[]>): Steps<UnknownIds> {
    const blobs = new Set<string>();
    const objects = new Map<string, Set<string>>();
    const strides = new Strides();
    for (const { to, ids } of [...named].flat()) {
      const known = to === null ? undefined : this.#known.get(to);
      const unknown = to === null ? blobs : (objects.get(to) ?? new Set());
      if (to !== null) objects.set(to, unknown);
      for (const id of ids) {
        if (strides.isOver()) yield;
        if (to === null || !(this.#isOwn(to, id) || known?.has(id))) unknown.add(id);
      }
    }
    return { blobs, objects };
  }

  async #lookUpObjects(name: string, ids: readonly string[]): Promise<void> {
    const { slices, transaction } = this.#unit;
    const type = this.#registry.dataTypes.get(name);
    if (type === undefined) throw new Error(`A reference leads to the unknown type ${name}.`);
    const known = this.#known.get(name) ?? new Map<string, boolean>();
    this.#known.set(name, known);
    for (let begin = 0; begin < ids.length; begin += MAX_IDS) {
      if (slices.isOver()) await slices.next();
      const some = ids.slice(begin, begin + MAX_IDS);
      const found = await transaction.existing(type, some);
      for (const id of some) known.set(id, found.has(id));
    }
  }

  /** A create that is refused takes those with it that refer to it: they stand behind it. */
  *#requireThere(named: ReadonlyMap<ProposedRow, readonly NewLinks[]>): Steps<void> {
    for (const [row, all] of named) {
      yield;
      for (const links of all) {
        const unknown = this.#unknownOf(links);
        if (unknown !== undefined) this.#complain(row, links, unknown);
      }
    }
  }

  #complain(row: ProposedRow, links: NewLinks, id: string): void {
    const { name, access } = links.property;
    // Clients don't know of internal properties.
    if (links.to === null && access === 'internal') this.#proposal.blame(row, [name], HIDDEN);
    else this.#proposal.complain(row, name, this.#why(links, id));
  }

  /** Completes the sentence that the property's name begins. */
  #why({ to }: NewLinks, id: string): string {
    return to === null ? unusableBlob(id) : unknownReference(to, id, this.#proposal.births);
  }

  /** The first of the ids that nothing has, as far as the call destroys nothing. */
  #unknownOf({ to, ids }: NewLinks): string | undefined {
    if (to === null) return ids.find((id) => !this.#unit.blobs.isUsable(id));
    const known = this.#known.get(to);
    return ids.find((id) => !this.#isOwn(to, id) && known?.get(id) !== true);
  }

  #isOwn(type: string, id: string): boolean {
    return type === this.#proposal.index.type.name && this.#proposal.holds(id);
  }
}

/** An object may go on naming blobs that it named before, anywhere. */
function* newLinks(
  index: TypeIndex,
  before: StoredObject | null,
  after: StoredObject,
): Steps<readonly NewLinks[]> {
  const found: NewLinks[] = [];
  if (index.blobs.some(({ name }) => before?.[name] !== after[name])) {
    const held = before === null ? NONE : yield* blobIdsOf(index, before);
    for (const property of index.blobs) {
      const texts = yield* textSteps(property.blobs, after[property.name]);
      const ids = [...texts].filter((id) => !held.has(id));
      if (ids.length > 0) found.push({ property, to: null, ids });
    }
  }
  for (const property of index.references) {
    const ids = newReferences(property, before, after);
    if (ids.length > 0) found.push({ property, to: property.reference.type, ids });
  }
  return found;
}

/** What an object refers to and didn't before: an update is judged on what it touches (D13). */
export function newReferences(
  property: ReferenceProperty,
  before: StoredObject | null,
  after: StoredObject,
): readonly string[] {
  const { name } = property;
  if (before === null) return referredIds(property, after[name]);
  if (before[name] === after[name]) return [];
  const old = new Set(referredIds(property, before[name]));
  return referredIds(property, after[name]).filter((id) => !old.has(id));
}

const NONE: ReadonlySet<string> = new Set();

const HIDDEN = setError(
  'invalidProperties',
  'The server would give it the id of a blob that is not in this account, or that you can not use.',
  { properties: [] },
);
