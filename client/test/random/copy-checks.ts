import type { JsonObject } from '../../../src/protocol/json.js';
import type { Device } from './device.js';
import { canonical, makeView, type StoredAccount } from './model.js';
import type { Recorder } from './recorder.js';
import { LATER } from './schema.js';
import type { Tab } from './tab.js';
import type { World } from './world.js';

/** Lets all come to an end that waits for nothing from outside. */
export async function pass(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A client shows the log applied to the objects, as the store has both. */
export async function checkView(world: World, device: Device): Promise<void> {
  // Tabs follow one another past a full store, also when the one that found it full has gone.
  const isAhead = device.browser !== null && device.wasFull;
  for (const tab of device.tabs) {
    if (!tab.isStored || tab.isFull || isAhead) continue;
    for (const record of tab.records) {
      const before = record.view;
      const find = async (): Promise<string | null> => {
        const stored = await device.read(record.accountId);
        const isSame = tab.record(record.accountId) === record && record.view === before;
        return isSame ? findDifference(world, tab, record, stored) : null;
      };
      if ((await find()) === null) continue;
      // A commit may have been on its way to the store, behind another one.
      await pass();
      const difference = await find();
      if (difference !== null) world.fail(`${tab.name} ${difference}`);
    }
  }
}

/** Returns in what a client shows something else than the store has; null: in nothing. */
function findDifference(
  world: World,
  tab: Tab,
  record: Recorder,
  stored: StoredAccount,
): string | null {
  for (const table of tab.schema.types) {
    const type = table.name as Parameters<Recorder['rows']>[0];
    const expected = makeView(stored, table);
    const isPart = world.profile.known.includes(type);
    const rows = isPart ? record.allRows(type) : record.rows(type);
    for (const row of rows) {
      // A tab that has not heard that the user had lost the account knows keys that its store lost.
      // Without keys of calls, one that was robbed may alone know that an object is its own.
      const isAlone = record.isLeft || (tab.isRobbed && !world.profile.hasOnceKeys);
      const known = isAlone ? expected.get(row.id) : undefined;
      const text = canonical(row);
      const other = canonical(
        expected.get(row.$key) ?? (known && { ...known, $key: row.$key }) ?? null,
      );
      if (text !== other) return `shows ${text}, and should ${other}`;
    }
    if (!isPart && rows.length !== expected.size)
      return `shows ${rows.length} ${type}, and should ${expected.size}`;
  }
  return null;
}

/**
 * All that the server hasn't changed since the cursor of a copy is in the copy, as the server has
 * it.
 */
export async function checkCopy(world: World, device: Device): Promise<void> {
  for (const accountId of device.accounts) {
    const stored = await device.read(accountId);
    const types = [...stored.cursors];
    const { methodResponses } = await world.place.reader.api(
      types.flatMap(([type, sinceState]) => [
        [`${type}/get`, { accountId, ids: null }, `${type}.get`],
        [`${type}/changes`, { accountId, sinceState }, `${type}.changes`],
      ]),
    );
    for (const [type] of types) {
      const answer = (id: string) => methodResponses.find(([, , callId]) => callId === id);
      const [getName, got = {}] = answer(`${type}.get`) ?? ['error'];
      const [name, changes = {}] = answer(`${type}.changes`) ?? ['error'];
      // The server may know nothing of so old a state.
      if (getName === 'error' || name === 'error' || changes['hasMoreChanges'] === true) continue;
      const changed = new Set(
        ['created', 'updated', 'destroyed'].flatMap((each) => changes[each] as string[]),
      );
      const list = got['list'] as unknown as readonly JsonObject[];
      compareObjects(world, `${device.name} ${type}`, { stored, type, list, changed });
    }
  }
}

interface Compared {
  readonly stored: StoredAccount;
  readonly type: string;
  readonly list: readonly JsonObject[];
  readonly changed: ReadonlySet<string>;
}

function compareObjects(world: World, name: string, { stored, type, list, changed }: Compared) {
  const copy = new Map<string, JsonObject>();
  for (const [key, object] of stored.objects) {
    const [ofType, id = ''] = key.split(' ');
    if (ofType === type) copy.set(id, object);
  }
  const server = new Map(list.map((object) => [String(object['id']), object]));
  // Until its client knows of a new release, a copy has objects of the old one.
  const prune = (object: JsonObject | null): JsonObject | null => {
    const { [LATER]: later, ...rest } = object ?? {};
    return object === null || world.isHealed || later === undefined ? object : rest;
  };
  for (const id of new Set([...copy.keys(), ...server.keys()])) {
    if (changed.has(id) || stored.early.has(id)) continue;
    const [here, there] = [copy.get(id) ?? null, server.get(id) ?? null];
    const isUnread = here === null && world.profile.known.includes(type);
    if (isUnread || canonical(prune(here)) === canonical(prune(there))) continue;
    world.fail(`${name} has ${canonical(here)}, and the server ${canonical(there)}`);
  }
}
