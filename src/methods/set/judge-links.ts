import type { PropertyDefinition } from '../../capability/definition.js';
import { textSteps } from '../../capability/places.js';
import { type SetError, setError } from '../../protocol/errors.js';
import { isJsonObject, type JsonValue } from '../../protocol/json.js';
import { type Steps, Strides } from '../../runtime/paused-work.js';
import { runInSlices } from '../../runtime/slices.js';
import type { StoredObject } from '../../store/port.js';
import { quoted, sentence } from '../issues.js';
import type { TypeIndex, TypeReference } from '../type-index.js';
import type { KnownIds } from '../work/known-ids.js';
import { blobIdsOf, newReferences, unknownReference, unusableBlob } from '../work/links.js';
import type { UnitOfWork } from '../work/unit.js';
import type { ProposedChanges, ProposedRow } from './proposed-changes.js';
import type { KnownObjects } from './relations.js';

/** The new objects, blobs or principals that an object names by a property. */
interface NewLinks {
  readonly property: PropertyDefinition;
  /** Null for blobs, and for principals. */
  readonly reference: TypeReference | null;
  readonly ids: readonly string[];
}

/** The first of them that is not there. */
interface UnknownLink extends Omit<NewLinks, 'ids'> {
  readonly id: string;
}

/** An object as the call would leave it; `error` already tells of some properties. */
interface Judged {
  readonly before: StoredObject | null;
  readonly after: StoredObject;
  readonly error?: SetError;
}

/**
 * Judges whether the objects, blobs and principals that a call's objects name exist, and whether
 * the user may use the blobs. It looks at objects as the call leaves them, whoever gave an id: the
 * client, a hook or `compute`. It looks up each id once, whatever the number of turns.
 */
export class LinkJudge {
  readonly #changes: ProposedChanges;
  readonly #unit: UnitOfWork;
  readonly #objects: KnownObjects;
  readonly #named: KnownObjects;

  /** `named`: the objects that the user may name; the server names all of `objects`. */
  constructor(
    changes: ProposedChanges,
    unit: UnitOfWork,
    { objects, named }: Record<'objects' | 'named', KnownObjects>,
  ) {
    this.#changes = changes;
    this.#unit = unit;
    this.#objects = objects;
    this.#named = named;
  }

  /** Refuses rows with unknown ids; true if it did. Rows that name a refused create fall, too. */
  async judge(): Promise<boolean> {
    const { index, rows, refusals } = this.#changes;
    if (index.links.length === 0 && index.roles.shareWith === undefined) return false;
    await this.#judge([...rows.values()], (row, unknown) => {
      for (const link of unknown) this.#complain(row, link);
    });
    return this.#changes.refusals > refusals;
  }

  /**
   * Completes `invalidProperties`, which lists all properties at fault (5.3): looks up what refused
   * operations name, since they weren't judged with the others. Of an update only new ids count.
   */
  async completeRefusals(): Promise<void> {
    const { creates, updates } = this.#changes;
    const refused = [...creates, ...updates].flatMap((operation) => {
      const { error } = operation;
      const effect =
        operation.kind === 'create' ? { before: null, after: operation.object } : operation.effect;
      if (error?.type !== 'invalidProperties' || effect === null) return [];
      return [{ ...effect, operation, error }];
    });
    await this.#judge(refused, ({ operation, error, after }, unknown) => {
      const names = unknown.map(({ property }) => property.name);
      const texts = unknown.map((link) => {
        return `${quoted(link.property.name)} ${this.#why(link, after)}`;
      });
      operation.error = setError('invalidProperties', `${error.description} ${sentence(texts)}`, {
        properties: [...(error.properties ?? []), ...new Set(names)],
      });
    });
  }

  /** Looks up what these want to name, and tells of each that names what is not there. */
  async #judge<T extends Judged>(
    all: readonly T[],
    tell: (one: T, unknown: readonly UnknownLink[]) => void,
  ): Promise<void> {
    const { slices } = this.#unit;
    const linksByObject = await runInSlices(this.#newLinks(all), slices);
    const unknown = await runInSlices(this.#unknownAmong(linksByObject.values()), slices);
    for (const [known, ids] of unknown) await known.lookUp(ids);
    await runInSlices(this.#tellUnknown(linksByObject, tell), slices);
  }

  *#newLinks<T extends Judged>(all: readonly T[]): Steps<ReadonlyMap<T, readonly NewLinks[]>> {
    const linksByObject = new Map<T, readonly NewLinks[]>();
    for (const one of all) {
      yield;
      const { before, after, error } = one;
      const links = yield* newLinks(this.#changes.index, before, after);
      const untold = links.filter(({ property }) => !error?.properties?.includes(property.name));
      if (untold.length > 0) linksByObject.set(one, untold);
    }
    return linksByObject;
  }

  /** One statement for each type, one for blobs and one for principals, but for very many. */
  *#unknownAmong(
    linkLists: Iterable<readonly NewLinks[]>,
  ): Steps<ReadonlyMap<KnownIds, ReadonlySet<string>>> {
    const unknown = new Map<KnownIds, Set<string>>();
    const strides = new Strides();
    for (const { reference, property, ids } of [...linkLists].flat()) {
      const known = this.#known(reference, property);
      const some = unknown.get(known) ?? new Set();
      unknown.set(known, some);
      for (const id of ids) {
        if (strides.isOver()) yield;
        if (!this.#isOwn(reference, id) && !known.isLookedUp(id)) some.add(id);
      }
    }
    return unknown;
  }

  *#tellUnknown<T>(
    linksByObject: ReadonlyMap<T, readonly NewLinks[]>,
    tell: (one: T, unknown: readonly UnknownLink[]) => void,
  ): Steps<void> {
    for (const [one, links] of linksByObject) {
      yield;
      const unknown: UnknownLink[] = [];
      for (const { property, reference, ids } of links) {
        const known = this.#known(reference, property);
        const id = ids.find(
          (candidate) => !this.#isOwn(reference, candidate) && !known.has(candidate),
        );
        if (id !== undefined) unknown.push({ property, reference, id });
      }
      if (unknown.length > 0) tell(one, unknown);
    }
  }

  #complain(row: ProposedRow, link: UnknownLink): void {
    const { name, access } = link.property;
    // Clients don't know of internal properties.
    if (link.reference === null && access === 'internal') this.#changes.blame(row, [name], HIDDEN);
    else this.#changes.complain(row, name, this.#why(link, row.after));
  }

  /** Completes the sentence that the property's name begins. */
  #why({ reference, property, id }: UnknownLink, object: StoredObject): string {
    if (property.role === 'shareWith') return unusablePrincipal(id);
    return reference === null
      ? unusableBlob(id)
      : unknownReference(reference, object, id, this.#changes.births);
  }

  /** Returns the ids that the database has: of objects of the type, of blobs or of principals. */
  #known(reference: TypeReference | null, { access, role }: PropertyDefinition): KnownIds {
    const isGiven = access !== 'serverSet' && access !== 'internal';
    if (role === 'shareWith') {
      const isOfClient = this.#changes.author === 'client';
      return isOfClient ? this.#unit.principals : this.#unit.principalsOfHooks;
    }
    if (reference === null) {
      const isOfClient = isGiven && this.#changes.author === 'client';
      return isOfClient ? this.#unit.blobs : this.#unit.blobsOfHooks;
    }
    return (isGiven ? this.#named : this.#objects).idsOf(reference.type);
  }

  /** Returns whether the call has the object, as far as it destroys nothing. */
  #isOwn(reference: TypeReference | null, id: string): boolean {
    return reference?.type === this.#changes.index.type.name && this.#changes.holds(id);
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
    const oldIds = before === null ? NONE : yield* blobIdsOf(index, before);
    for (const property of index.blobs) {
      const texts = yield* textSteps(property.blobs, after[property.name]);
      const ids = [...texts].filter((id) => !oldIds.has(id));
      if (ids.length > 0) found.push({ property, reference: null, ids });
    }
  }
  const { shareWith } = index.roles;
  if (shareWith !== undefined) {
    const ids = newNames(before?.[shareWith.name], after[shareWith.name]);
    if (ids.length > 0) found.push({ property: shareWith, reference: null, ids });
  }
  for (const reference of index.references) {
    const ids = newReferences(reference, before, after);
    if (ids.length > 0) found.push({ property: reference.property, reference, ids });
  }
  return found;
}

const NONE: ReadonlySet<string> = new Set();

/** Returns the names of members that a map has and didn't have before. */
function newNames(before: JsonValue | undefined, after: JsonValue | undefined): readonly string[] {
  if (after === undefined || !isJsonObject(after)) return [];
  const old = before !== undefined && isJsonObject(before) ? before : {};
  return Object.keys(after).filter((name) => !Object.hasOwn(old, name));
}

/** Completes the sentence that the property's name begins. */
function unusablePrincipal(id: string): string {
  return `names ${quoted(id)}, who is no user of this server or owns the account`;
}

const HIDDEN = setError(
  'invalidProperties',
  'The server would give it the id of a blob that is not in this account, or that you can not use.',
  { properties: [] },
);
