import { expect } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.js';
import { eventually } from '../../../test/support/poll.js';
import { pass } from './copy-checks.js';
import type { Device } from './device.js';
import { checkKept, FileChecks } from './file-checks.js';
import { type MarkedFile, mayBeMissing } from './files.js';
import { type MarkedWrite, markOf, tagsOf } from './marks.js';
import { canonical } from './model.js';
import type { Recorder } from './recorder.js';
import { TYPE_NAMES, type TypeName } from './schema.js';
import type { Tab } from './tab.js';
import type { World } from './world.js';

/** Errors that writes of the test may end with, as the server has other objects than the client. */
const EXPECTED = new Set([
  ...['notFound', 'alreadyExists', 'invalidProperties', 'objectIsLinked', 'dependencyFailed'],
  ...['accountNotFound', 'closed', 'forbidden', 'conflict'],
]);

/** Errors of writes in an account that is reached by shares alone: it offers shared types. */
const UNOFFERED = new Set(['unknownMethod', 'accountNotSupportedByMethod']);

/** How long a client is watched that has nothing to do, in milliseconds. */
const REST = 60;
const LATE = 1500;

/** Brings all clients in step. */
export async function settleAll(world: World): Promise<void> {
  // Clients that were replaced may not know it yet, and send what they have made without a store.
  const earlier = world.devices.flatMap((device) => device.earlier);
  // Clients that close may commit until their end.
  await Promise.all(earlier.map(({ closing }) => closing));
  const others = earlier.filter(({ isKilled, isAlone }) => isAlone && !isKilled);
  const running = [...others, ...world.tabs];
  const findLost = () =>
    running.find(({ client }) => {
      const { storage, status } = client.sync.getSnapshot();
      return storage === 'lost' && status !== 'replaced';
    });
  do {
    await eventually(() => expect(findLost()?.name).toBeUndefined(), 20_000);
    // A file whose tab has ended without saving it is missed after some seconds.
    await eventually(() => {
      for (const { name, client } of world.tabs)
        if (client.sync.getSnapshot().pending > 0 && findLost() === undefined)
          throw new Error(`${name} has writes to send.`);
    }, 20_000);
    for (let round = 0; round < 3; round += 1)
      for (const tab of running) await tab.client.sync.settled();
    // A client may find out only now that it has lost its store.
  } while (findLost() !== undefined);
  await eventually(async () => {
    // A server may need a moment until it tells what has become of the user's access.
    const state = await world.place.readState();
    for (const tab of world.tabs) {
      if (tab.client.session.state === state) continue;
      await tab.client.sync.settled();
      const { state: other } = tab.client.session;
      throw new Error(`${tab.name} has the session ${other}, and the server ${state}.`);
    }
  }, 20_000);
  for (const tab of world.tabs) await tab.client.sync.settled();
}

/** All clients show the objects that the server has. */
export async function checkEnd(world: World): Promise<void> {
  for (const tab of world.tabs) {
    const { pending, status } = tab.client.sync.getSnapshot();
    if (pending > 0 || status !== 'live')
      world.fail(`${tab.name} ends with ${pending} writes, ${status}`);
    for (const record of tab.records) await compareLists(world, tab, record);
  }
  await world.marks.look();
  await pass();
  for (const device of world.devices) await compareProblems(device);
  for (const accountId of world.devices[0]?.accounts ?? []) {
    const objects = await readMarks(world, accountId);
    const files = await FileChecks.read(world, accountId, objects.values());
    checkWrites(world, accountId, objects, files);
  }
  for (const device of world.devices) await checkKept(world, device);
  checkEnds(world);
}

/** All tabs of a device have the same problems. */
function compareProblems({ name, tabs }: Device): Promise<void> {
  // A tab hears of what another one has made of a problem once that is in their store.
  return eventually(() => {
    const [first = '', ...others] = tabs.map(({ client }) => {
      const problems = client.problems.getSnapshot();
      return problems
        .map((problem) => canonical({ ...problem }))
        .sort()
        .join();
    });
    for (const problems of others)
      if (problems !== first)
        throw new Error(`${name} has the problems ${problems} beside ${first}`);
  }, 10_000);
}

/** Each list has the rows that the server finds, in its order. */
async function compareLists(world: World, tab: Tab, { accountId, lists }: Recorder) {
  for (const { spec, query } of lists) {
    const { type, filter = null, sort = [], position = 0, limit = null } = spec;
    // An account that is reached by shares offers shared types alone.
    const { capability = '' } = tab.schema.types.find(({ name }) => name === type) ?? {};
    const { accountCapabilities = {} } = tab.client.session.accounts[accountId] ?? {};
    if (!(capability in accountCapabilities)) continue;
    const comparators = sort.map((name) => ({
      property: name.replace('-', ''),
      isAscending: !name.startsWith('-'),
    }));
    const order = { filter, sort: comparators };
    const args = { accountId, ...order, position, limit, calculateTotal: true };
    const { ids, total } = await world.place.reader.query(type, args);
    const { list } = await world.place.reader.get(type, { accountId, ids });
    const server = new Map(list.map((object) => [object.id, canonical(object)]));
    const shown = query.getSnapshot();
    const name = `${tab.name} ${JSON.stringify(spec)}`;
    if (shown.rows.map(({ id }) => id).join() !== ids.join())
      world.fail(
        `${name} shows ${shown.rows.map(({ id }) => id).join()}, the server ${ids.join()}`,
      );
    if (shown.total !== total) world.fail(`${name} counts ${shown.total}, the server ${total}`);
    const { complete, status } = shown;
    if (!complete || status !== 'live') world.fail(`${name} is ${status}, complete: ${complete}`);
    for (const { $key: _key, $pending, ...object } of shown.rows)
      if ($pending || canonical(object) !== server.get(object.id))
        world.fail(`${name} shows ${canonical(object)}, the server ${server.get(object.id)}`);
  }
}

/** Returns the objects of an account by their marks. */
async function readMarks(world: World, accountId: string): Promise<Map<string, JsonObject>> {
  const objects = new Map<string, JsonObject>();
  for (const type of TYPE_NAMES) {
    const { list } = await world.place.writer.get(type, { accountId, ids: null });
    for (const object of list as readonly JsonObject[]) {
      const mark = markOf(type, object);
      if (mark === null) continue;
      if (objects.has(mark) && !world.mayBeTwice(mark)) world.fail(`the server has ${mark} twice`);
      objects.set(mark, object);
    }
  }
  return objects;
}

/** Each write was made once or refused; what was refused is nowhere. */
function checkWrites(
  world: World,
  accountId: string,
  objects: Map<string, JsonObject>,
  files: FileChecks,
): void {
  const { marks } = world;
  const byId = new Map(Array.from(objects.values(), (object) => [String(object['id']), object]));
  for (const write of marks.writes) {
    const { kind, mark, type, isSaved, device } = write;
    if (write.accountId !== accountId || kind === 'destroy') continue;
    const object = kind === 'create' ? objects.get(mark) : findObject(write, byId, world);
    const isThere = kind === 'create' ? object !== undefined : object && hasTag(object, mark);
    if (isThere === true) files.check(write, object as JsonObject);
    if (marks.open.has(mark)) continue;
    const error = marks.refused.get(mark);
    // Nobody knows what the server has made of the writes of an account that is gone.
    const needed = error === 'dependencyFailed' ? neededBy(write, marks.writes) : [write];
    const isGone = needed.some((one) => marks.refused.get(one.mark) === 'accountNotFound');
    if (isGone || isThere === undefined) continue;
    // Without keys an update comes again though it was made. Others may have changed the object
    // since, or what it links to is gone.
    const isRepeated = !world.profile.hasOnceKeys && kind === 'update';
    const isUnknown = isRepeated && ['conflict', 'invalidProperties'].includes(String(error));
    // A client may end without having saved that it has ended a file, and what needs it.
    const isUnsaved =
      ['dependencyFailed', 'notFound'].includes(String(error)) &&
      filesFor(write, marks.writes).some(({ tab }) => !tab.isInUse);
    // A client that was replaced without its store ends what the next one makes.
    const isAside = error === 'notFound' && world.profile.losesStores && !isInUse(world, write);
    // Without keys, a refused create may have been made, and its updates were refused with it.
    const names = [mark, markOf(type as TypeName, object ?? {}) ?? ''];
    const isTwice = names.some((name) => world.mayBeTwice(name));
    const isOther = isUnknown || isUnsaved || isAside || isTwice;
    if (error !== undefined && isThere && !isOther)
      world.fail(`${device} was refused ${mark}: ${error}`);
    const isLost =
      kind === 'create' ? marks.isDoomed(type as TypeName, mark) : isDropped(write, marks.writes);
    if (isSaved === true && error === undefined && !isThere && !isLost)
      world.fail(`${device} has lost ${mark}, which was saved`);
  }
}

/** Returns the files of a write, and of all objects that it needs. */
function filesFor(write: MarkedWrite, writes: readonly MarkedWrite[]): MarkedFile[] {
  return neededBy(write, writes).flatMap(({ files = [] }) => files);
}

/** Returns the writes of the object of a write, and of all objects that it needs. */
function neededBy({ key, names }: MarkedWrite, writes: readonly MarkedWrite[]): MarkedWrite[] {
  const keys = new Set([key, ...names]);
  // A set is read to its end, also where it grows meanwhile.
  for (const one of keys)
    for (const other of writes)
      if (other.key === one) for (const name of other.names) keys.add(name);
  return writes.filter((other) => keys.has(other.key));
}

/** Returns whether the client that has made a write is still the one of its device. */
function isInUse(world: World, { device, client }: MarkedWrite): boolean {
  return world.tabs.some(({ name }) => name === `${device}.${client}`);
}

/** A destroy drops the unsent updates of its object, also where it is refused then. */
function isDropped(write: MarkedWrite, writes: readonly MarkedWrite[]): boolean {
  const { device, key } = write;
  const later = writes.slice(writes.indexOf(write) + 1);
  return later.some((one) => one.kind === 'destroy' && one.device === device && one.key === key);
}

/** Returns the object of an update; undefined where it is gone. */
function findObject(
  { device, accountId, key }: MarkedWrite,
  byId: ReadonlyMap<string, JsonObject>,
  world: World,
): JsonObject | undefined {
  const keys = world.devices.find(({ name }) => name === device)?.keysOf(accountId);
  const id = [...(keys ?? [])].find(([, each]) => each === key)?.[0] ?? key;
  return byId.get(id);
}

function hasTag(object: JsonObject, mark: string): boolean {
  return tagsOf(object).includes(mark);
}

/** All writes have ended, and each refusal has its reason. */
function checkEnds(world: World): void {
  const { marks } = world;
  const { writes } = marks;
  for (const write of writes) {
    const { mark, end, key, device, client } = write;
    const { tabs = [] } = world.devices.find(({ name }) => name === device) ?? {};
    const tab = tabs.find(({ number }) => number === client);
    if (end === null && tab?.record(write.accountId) !== undefined)
      world.fail(`${device} has not ended ${mark}`);
    if (end !== null && end !== 'made') {
      // A client of another release takes what is invalid for what it doesn't know.
      const isExpected =
        EXPECTED.has(end) ||
        (end === 'clientOutdated' && world.isMigrated) ||
        (UNOFFERED.has(end) && world.profile.hasShares);
      if (!isExpected) world.fail(`${device} was refused ${mark}: ${end}`);
      // Writes of one object may have become one.
      const names = writes.flatMap((other) => (other.key === key ? other.names : []));
      const needed = filesFor(write, writes);
      // Files of a client that has ended are forgotten with the writes that were taken back.
      const isForgotten = needed.some(
        (file) =>
          !file.tab.isInUse &&
          writes.some((other) => other.files?.includes(file) && marks.isTakenBack(other.key)),
      );
      const hasReason =
        [key, ...names].some((name) => marks.isTakenBack(name)) ||
        isForgotten ||
        needed.some(mayBeMissing);
      if (end === 'dependencyFailed' && !hasReason && tab !== undefined)
        world.fail(`${device} was refused ${mark} for nothing`);
    }
  }
}

/** A client that has nothing to do sends nothing. */
export async function checkRest(world: World): Promise<void> {
  const count = () => world.tabs.map(({ network }) => network.count);
  // The last event of the server may be on its way yet: it tells late of what others share.
  const wait = world.profile.hasShares ? LATE : REST;
  await new Promise((resolve) => setTimeout(resolve, wait));
  const before = count();
  await new Promise((resolve) => setTimeout(resolve, REST));
  const after = count();
  if (before.join() !== after.join()) world.fail(`clients at rest sent ${before} to ${after}`);
}
