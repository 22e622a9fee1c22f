import { holdsBlobs, textSteps } from '../../capability/places.js';
import { type SetError, setError } from '../../protocol/errors.js';
import type { JsonValue } from '../../protocol/json.js';
import { runInSlices, type Steps } from '../../runtime/slices.js';
import { resolveId } from '../creation-ids.js';
import { quoted, sentence } from '../issues.js';
import type { Registry } from '../registry.js';
import type { BlobProperty, ReferenceProperty, TypeIndex } from '../type-index.js';
import { blobIdsOf, unusableBlob } from '../work/blobs.js';
import { referredIds, unknownReference } from '../work/reference-values.js';
import type { UnitOfWork } from '../work/unit.js';
import type { PlannedCreate } from './draft.js';
import type { Proposal } from './proposal.js';
import type { SetReport } from './report.js';
import { type CreationIds, resolveObjectId } from './value.js';

export interface RefusalScene {
  readonly index: TypeIndex;
  readonly creates: readonly Pick<PlannedCreate, 'key' | 'draft'>[];
  readonly createdIds: CreationIds;
  readonly proposal: Proposal;
  /** It has what is refused before it is proposed. */
  readonly report: SetReport;
  /** Before anything of the call is written. */
  readonly unit: UnitOfWork;
  readonly registry: Registry;
}

/** Objects or blobs that a property names. */
interface Link {
  readonly name: string;
  /** The type of the objects; null for blobs. */
  readonly to: string | null;
  readonly ids: readonly string[];
}

/** An object that is refused for other reasons, and what it would newly refer to. */
interface Refused {
  readonly error: SetError;
  readonly links: readonly Link[];
  readonly tell: (error: SetError) => void;
}

/**
 * 5.3: `invalidProperties` lists all properties at fault. An object that is refused early is not
 * judged with the others, so its references are looked up here: one read for each type, and one for
 * blobs.
 */
export async function completeRefusals(scene: RefusalScene): Promise<void> {
  const { index, proposal, report } = scene;
  if (index.links.length === 0) return;
  if (proposal.refused.size === 0 && report.notCreated === null) return;
  const { slices } = scene.unit;
  const refused = [
    ...(await runInSlices(refusedCreates(scene), slices)),
    ...(await runInSlices(refusedUpdates(scene), slices)),
  ].filter(({ links }) => links.length > 0);
  if (refused.length === 0) return;
  const isThere = await lookUp(scene, refused);
  for (const { error, links, tell } of refused) {
    const unknown = links.flatMap(({ name, to, ids }) => {
      const first = ids.find((id) => !isThere(to, id));
      if (first === undefined) return [];
      const { births } = proposal;
      return [
        { name, what: to === null ? unusableBlob(first) : unknownReference(to, first, births) },
      ];
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

function* refusedCreates(scene: RefusalScene): Steps<Refused[]> {
  const { index, creates, report, proposal } = scene;
  const proposed = new Map(proposal.creates.map((create) => [create.key, create]));
  const refused: Refused[] = [];
  for (const { key, draft } of creates) {
    const operation = proposed.get(key);
    const error =
      operation === undefined ? report.notCreated?.[key] : proposal.refused.get(operation);
    if (error?.type !== 'invalidProperties') continue;
    yield;
    const tell = (complete: SetError) => {
      if (operation === undefined) report.refuse('notCreated', key, complete);
      else proposal.refused.set(operation, complete);
    };
    const links = yield* linksOf(index, error, (property) =>
      namedIds(property, draft.values[property.name]),
    );
    refused.push({ error, links, tell });
  }
  return refused;
}

/** D13: of an update those alone that the object doesn't refer to yet. */
function* refusedUpdates({ index, createdIds, proposal }: RefusalScene): Steps<Refused[]> {
  const refused: Refused[] = [];
  for (const operation of proposal.updates) {
    const error = proposal.refused.get(operation);
    if (error?.type !== 'invalidProperties') continue;
    yield;
    const unchanged = yield* proposal.unchanged(operation);
    if (unchanged === null) continue;
    const { object, wanted } = unchanged;
    const links = yield* linksOf(index, error, function* (property) {
      const held = holdsBlobs(property)
        ? yield* blobIdsOf(index, object)
        : new Set(yield* namedIds(property, object[property.name]));
      return (yield* namedIds(property, wanted.get(property.name)))
        .map((text) => resolved(createdIds, property, text))
        .filter((text) => !held.has(text));
    });
    const tell = (complete: SetError) => void proposal.refused.set(operation, complete);
    refused.push({ error, links, tell });
  }
  return refused;
}

/** A creation id that leads nowhere stays as it is. */
function resolved(ids: CreationIds, property: LinkProperty, text: string): string {
  const id = holdsBlobs(property)
    ? resolveId(text, ids.earlier)
    : resolveObjectId(ids, property.reference.type, text);
  return id ?? text;
}

function* namedIds(property: LinkProperty, value: JsonValue | undefined): Steps<readonly string[]> {
  return holdsBlobs(property)
    ? [...(yield* textSteps(property.blobs, value))]
    : referredIds(property, value);
}

type LinkProperty = BlobProperty | ReferenceProperty;

function* linksOf(
  { blobs, references }: TypeIndex,
  { properties = [] }: SetError,
  idsOf: (property: LinkProperty) => Steps<readonly string[]>,
): Steps<readonly Link[]> {
  const links: Link[] = [];
  for (const property of [...blobs, ...references]) {
    const { name } = property;
    if (properties.includes(name)) continue;
    const ids = yield* idsOf(property);
    const to = holdsBlobs(property) ? null : property.reference.type;
    if (ids.length > 0) links.push({ name, to, ids });
  }
  return links;
}

/**
 * Tells whether the call leaves such an object, as far as it isn't destroyed; for null, whether its
 * user may name such a blob.
 */
async function lookUp(
  { index, proposal, unit, registry }: RefusalScene,
  refused: readonly Refused[],
): Promise<(to: string | null, id: string) => boolean> {
  const isOwn = (type: string, id: string) => type === index.type.name && proposal.holds(id);
  const wanted = new Map<string, Set<string>>();
  const blobs = new Set<string>();
  for (const { to, ids } of refused.flatMap(({ links }) => links)) {
    const set = to === null ? blobs : (wanted.get(to) ?? new Set());
    for (const id of ids) if (to === null || !isOwn(to, id)) set.add(id);
    if (to !== null) wanted.set(to, set);
  }
  await unit.blobs.lookUp(blobs);
  const found = new Map<string, ReadonlySet<string>>();
  for (const [name, ids] of wanted) {
    const type = registry.dataTypes.get(name);
    if (type === undefined || ids.size === 0) continue;
    found.set(name, await unit.transaction.existing(type, [...ids]));
  }
  return (to, id) =>
    to === null ? unit.blobs.isUsable(id) : isOwn(to, id) || found.get(to)?.has(id) === true;
}
