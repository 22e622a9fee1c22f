import { type SetError, setError } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import type { Snapshot, StoredObject } from '../../store/port.js';
import { quoted, sentence } from '../issues.js';
import type { Registry } from '../registry.js';
import type { TypeIndex } from '../type-index.js';
import type { Draft } from './draft.js';
import type { Proposal } from './proposal.js';
import { type ReferenceProperty, referredIds, unknownReference } from './reference-values.js';
import { type CreationIds, resolveReference } from './value.js';

export interface RefusalScene {
  readonly index: TypeIndex;
  /** By creation id. */
  readonly creates: ReadonlyMap<string, { readonly draft: Draft }>;
  readonly createdIds: CreationIds;
  readonly proposal: Proposal;
  /** What is refused before it is proposed, by creation id. */
  readonly notCreated: Map<string, SetError>;
  /** Objects to update, as they were. */
  readonly before: ReadonlyMap<string, StoredObject>;
  /** Before anything of the call is written. */
  readonly snapshot: Snapshot;
  readonly registry: Registry;
}

/** An object that is refused for other reasons, and what it would newly refer to. */
interface Refused {
  readonly error: SetError;
  readonly links: readonly {
    readonly property: ReferenceProperty;
    readonly ids: readonly string[];
  }[];
  readonly tell: (error: SetError) => void;
}

/**
 * 5.3: `invalidProperties` lists all properties at fault. What is refused before it is proposed is
 * never judged with the others, so what it refers to is looked up here: one read for each type.
 */
export async function completeRefusals(scene: RefusalScene): Promise<void> {
  if (scene.index.references.length === 0) return;
  const refused = [...refusedCreates(scene), ...refusedUpdates(scene)].filter(
    ({ links }) => links.length > 0,
  );
  if (refused.length === 0) return;
  const isThere = await lookUp(scene, refused);
  for (const { error, links, tell } of refused) {
    const unknown = links.flatMap(({ property: { name, reference }, ids }) => {
      const first = ids.find((id) => !isThere(reference.type, id));
      if (first === undefined) return [];
      return [{ name, what: unknownReference(reference.type, first, scene.proposal.births) }];
    });
    if (unknown.length === 0) continue;
    const texts = sentence(unknown.map(({ name, what }) => `${quoted(name)} ${what}`));
    tell(
      setError('invalidProperties', `${error.description} ${texts}`, {
        properties: [...(error.properties ?? []), ...unknown.map(({ name }) => name)],
      }),
    );
  }
}

function refusedCreates({
  index,
  creates,
  notCreated,
  proposal,
}: RefusalScene): readonly Refused[] {
  const proposed = new Map(proposal.creates.map((create) => [create.key, create]));
  return [...creates].flatMap(([key, { draft }]): Refused[] => {
    const operation = proposed.get(key);
    const error = operation === undefined ? notCreated.get(key) : proposal.refused.get(operation);
    if (error?.type !== 'invalidProperties') return [];
    const tell = (complete: SetError) => {
      if (operation === undefined) notCreated.set(key, complete);
      else proposal.refused.set(operation, complete);
    };
    const given = (property: ReferenceProperty) =>
      referredIds(property, draft.values[property.name]);
    return [{ error, links: linksOf(index, error, given), tell }];
  });
}

/** D13: of an update those alone that the object doesn't refer to yet. */
function refusedUpdates(scene: RefusalScene): readonly Refused[] {
  const { index, createdIds, proposal, before } = scene;
  return proposal.updates.flatMap((operation): Refused[] => {
    const error = proposal.refused.get(operation);
    if (error?.type !== 'invalidProperties') return [];
    const { patch, id } = operation;
    const current = proposal.rows.get(id)?.after ?? before.get(id);
    const given = (property: ReferenceProperty) => {
      const { name, reference } = property;
      const old = new Set(referredIds(property, current?.[name]));
      return patchedIds(property, patch)
        .map((text) => resolveReference(createdIds, reference.type, text) ?? text)
        .filter((text) => !old.has(text));
    };
    const tell = (complete: SetError) => void proposal.refused.set(operation, complete);
    return [{ error, links: linksOf(index, error, given), tell }];
  });
}

/** What a patch gives a property as a whole, or, of a set, by pointers to its members. */
function patchedIds(property: ReferenceProperty, patch: JsonObject): readonly string[] {
  const prefix = `${property.name}/`;
  const members = Object.entries(patch)
    .filter(([pointer, value]) => pointer.startsWith(prefix) && value !== null)
    .map(([pointer]) => pointer.slice(prefix.length));
  return [...referredIds(property, patch[property.name]), ...members];
}

function linksOf(
  { references }: TypeIndex,
  { properties = [] }: SetError,
  idsOf: (property: ReferenceProperty) => readonly string[],
): Refused['links'] {
  return references
    .filter(({ name }) => !properties.includes(name))
    .map((property) => ({ property, ids: idsOf(property) }))
    .filter(({ ids }) => ids.length > 0);
}

/** Whether the call leaves such an object, as far as it isn't destroyed. */
async function lookUp(
  { index, proposal, snapshot, registry }: RefusalScene,
  refused: readonly Refused[],
): Promise<(type: string, id: string) => boolean> {
  const isOwn = (type: string, id: string) => type === index.type.name && proposal.holds(id);
  const wanted = new Map<string, Set<string>>();
  for (const { links } of refused) {
    for (const { property, ids } of links) {
      const { type } = property.reference;
      const set = wanted.get(type) ?? new Set();
      for (const id of ids) if (!isOwn(type, id)) set.add(id);
      wanted.set(type, set);
    }
  }
  const found = new Map<string, ReadonlySet<string>>();
  for (const [name, ids] of wanted) {
    const type = registry.dataTypes.get(name);
    if (type === undefined || ids.size === 0) continue;
    found.set(name, await snapshot.existing(type, [...ids]));
  }
  return (type, id) => isOwn(type, id) || found.get(type)?.has(id) === true;
}
