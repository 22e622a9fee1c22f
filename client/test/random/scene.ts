import type { Random } from '../../../conform/src/random.js';
import type { JsonObject } from '../../../src/protocol/json.js';
import type { Device } from './device.js';
import type { MarkedWrite } from './marks.js';
import { markOf } from './marks.js';
import { canonical } from './model.js';
import type { AnyCreate, AnyRow, AnyWrite, TypeName } from './schema.js';
import type { Tab } from './tab.js';
import type { World } from './world.js';

/** A step of a seed: the world, a device of it, one of its accounts, and numbers to draw. */
export interface Scene {
  readonly world: World;
  readonly device: Device;
  /** A client of the device. */
  readonly tab: Tab;
  readonly accountId: string;
  readonly random: Random;
}

export interface Command {
  /** How often it comes, beside the others. */
  readonly weight: number;
  /** Seeds that have a server of their own alone have it. */
  readonly isHard?: true;
  /** Seeds with tabs alone have it. */
  readonly hasTabs?: true;
  /** Seeds whose clients lose their stores alone have it. */
  readonly losesStores?: true;
  /** Seeds whose stores have no room at times alone have it. */
  readonly fillsStores?: true;
  /** Seeds whose objects are shared alone have it. */
  readonly hasShares?: true;
  /** Seeds with an outage alone have it. */
  readonly hasOutage?: true;
  run(scene: Scene): Promise<void> | void;
}

/** Rows that a device shows. */
function rowsOf({ tab, accountId }: Scene, type: TypeName): readonly AnyRow[] {
  return tab.record(accountId)?.rows(type) ?? [];
}

/** Draws a row; null: there is none. */
export function drawRow(scene: Scene, type: TypeName): AnyRow | null {
  const rows = rowsOf(scene, type);
  return rows.length === 0 ? null : scene.random.pick(rows);
}

/** Draws a name of a row: its key or its id. */
export function nameOf({ random }: Scene, row: AnyRow): string {
  return random.chance(0.5) ? row.$key : row.id;
}

/** Draws the name of another object, or null. */
export function drawName(scene: Scene, type: TypeName): string | null {
  const row = scene.random.chance(0.6) ? drawRow(scene, type) : null;
  return row === null ? null : nameOf(scene, row);
}

export type WriteFacts = Pick<
  MarkedWrite,
  'mark' | 'kind' | 'type' | 'key' | 'names' | 'files' | 'album' | 'group' | 'isChecked'
>;

/** Follows a write to its end. */
export function follow(
  { world, device, tab, accountId, random }: Scene,
  facts: WriteFacts,
  write: AnyWrite,
) {
  const { marks } = world;
  const note = (end: string): void => {
    marked.end = end;
    if (end !== 'made') marks.refuse([facts.mark], end);
  };
  const settle = async (): Promise<void> => {
    const result = await write.result;
    if (marked.end !== null) return;
    note(result.ok ? 'made' : result.error.type);
    if (!result.ok) checkError(world, facts, result.error);
  };
  const marked: MarkedWrite = {
    ...facts,
    ...{ accountId, device: device.name, client: tab.number, isAsked: random.chance(0.7) },
    ...{ isSaved: null, end: null },
    look: async () => {
      await Promise.race([settle(), new Promise((resolve) => setImmediate(resolve))]);
    },
  };
  marks.writes.push(marked);
  if (facts.names.some((name) => marks.doomedNames.has(name))) marks.mixed.add(facts.mark);
  void write.saved.then((isSaved) => {
    marked.isSaved = isSaved;
  });
  if (marked.isAsked) void settle();
  const { mark, kind, type, key } = facts;
  world.trace(`${tab.name} ${accountId} ${kind} ${type} ${key} ${mark}`);
}

/**
 * Somebody has changed what an update wants to have unchanged, or there is no conflict. The server
 * has all files that a write names.
 */
function checkError(world: World, { mark, isChecked }: WriteFacts, error: object): void {
  const { type, seen, current, properties } = error as JsonObject;
  const names = /"(album|blobId|files)/.test(JSON.stringify(properties ?? []));
  if (names && !world.isUndone) world.fail(`${mark} names a file that the server lacks`);
  if (type !== 'conflict') return;
  if (!isChecked || canonical(seen) === canonical(current))
    world.fail(`${mark} has a conflict of ${canonical(seen)} with ${canonical(current)}`);
}

/** Keys, and ids of the server. */
const NAMES = /~[0-9a-f-]{36}|\br01[0-9a-z]{24}\b/g;

export function create(
  scene: Scene,
  make: (values: JsonObject) => AnyCreate,
  facts: Pick<WriteFacts, 'type' | 'mark' | 'group' | 'files' | 'album'>,
  values: JsonObject,
): AnyCreate {
  const { album: _, blobId: __, files: ___, ...rest } = values;
  const names = JSON.stringify(rest).match(NAMES) ?? [];
  const write = make(values);
  follow(scene, { ...facts, kind: 'create', key: write.object.$key, names }, write);
  return write;
}

export function destroy(scene: Scene, type: TypeName, row: AnyRow): void {
  const { world, tab, accountId } = scene;
  doom(world, type, row);
  const key = nameOf(scene, row);
  // The destroy takes the updates along that wait for an answer, even where it is refused.
  for (const { end, mark, ...other } of world.marks.writes)
    if (end === null && other.key === row.$key && other.kind === 'update')
      world.marks.open.add(mark);
  const write = tab.client.account(accountId)[type].destroy(key);
  const mark = `x${markOf(type, row)}`;
  follow(scene, { mark, kind: 'destroy', type, key: row.$key, names: [] }, write);
}

export function doom({ marks }: World, type: TypeName, row: JsonObject): void {
  const own = markOf(type, row) ?? '';
  marks.doomed.add(own);
  for (const name of [row['$key'] ?? marks.find(own)?.key, row['id']].map(String)) {
    marks.doomedNames.add(name);
    for (const { mark, names } of marks.writes) if (names.includes(name)) marks.mixed.add(mark);
  }
  if (type === 'Book') marks.doomed.add('books');
}
