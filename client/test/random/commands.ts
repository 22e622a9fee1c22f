import type { Random } from '../../../conform/src/random.js';
import type { JsonObject } from '../../../src/protocol/json.js';
import type { Device } from './device.js';
import type { MarkedWrite } from './marks.js';
import { markOf } from './marks.js';
import type { AnyRow, AnyWrite, TypeName } from './schema.js';
import type { Tab } from './tab.js';
import { drawEdit, drawGadget } from './values.js';
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

interface Command {
  /** How often it comes, beside the others. */
  readonly weight: number;
  /** Seeds that have a server of their own alone have it. */
  readonly isHard?: true;
  /** Seeds with tabs alone have it. */
  readonly hasTabs?: true;
  /** Seeds whose clients lose their stores alone have it. */
  readonly losesStores?: true;
  run(scene: Scene): Promise<void> | void;
}

/** Rows that a device shows. */
function rowsOf({ tab, accountId }: Scene, type: TypeName): readonly AnyRow[] {
  return tab.record(accountId)?.rows(type) ?? [];
}

/** Draws a row; null: there is none. */
function drawRow(scene: Scene, type: TypeName): AnyRow | null {
  const rows = rowsOf(scene, type);
  return rows.length === 0 ? null : scene.random.pick(rows);
}

/** Draws a name of a row: its key or its id. */
function nameOf({ random }: Scene, row: AnyRow): string {
  return random.chance(0.5) ? row.$key : row.id;
}

/** Draws the name of another object, or null. */
function drawName(scene: Scene, type: TypeName): string | null {
  const row = scene.random.chance(0.6) ? drawRow(scene, type) : null;
  return row === null ? null : nameOf(scene, row);
}

type WriteFacts = Pick<MarkedWrite, 'mark' | 'kind' | 'type' | 'key' | 'names'>;

/** Follows a write to its end. */
function follow(
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
    if (marked.end === null) note(result.ok ? 'made' : result.error.type);
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
  void write.saved.then((isSaved) => {
    marked.isSaved = isSaved;
  });
  if (marked.isAsked) void settle();
  const { mark, kind, type, key } = facts;
  world.trace(`${tab.name} ${accountId} ${kind} ${type} ${key} ${mark}`);
}

function create(scene: Scene, type: TypeName, values: JsonObject, mark: string): void {
  const { tab, accountId } = scene;
  const names = JSON.stringify(values).match(/~[0-9a-f-]{36}/g) ?? [];
  const write = tab.client.account(accountId)[type].create(values);
  follow(scene, { mark, kind: 'create', type, key: write.object.$key, names }, write);
}

function destroy(scene: Scene, type: TypeName, row: AnyRow): void {
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

function doom({ marks }: World, type: TypeName, row: JsonObject): void {
  marks.doomed.add(markOf(type, row) ?? '');
  if (type === 'Book') marks.doomed.add('books');
}

/** Draws an object that the server has, for writes of others. */
async function drawStored({ world, accountId, random }: Scene): Promise<JsonObject | null> {
  const { list } = await world.place.writer.get('Gadget', { accountId, ids: null });
  return list.length === 0 ? null : (random.pick(list) as JsonObject);
}

/** Writes as another user, past all clients. */
async function writeRaw({ world, accountId }: Scene, type: TypeName, args: JsonObject) {
  world.trace(`raw ${type}/set ${JSON.stringify(args)}`);
  const answer = await world.place.writer.set(type, { accountId, ...args });
  world.trace(`raw answer ${JSON.stringify(answer)}`);
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    weight: 12,
    run(scene) {
      const mark = scene.world.marks.next('m');
      const parent = drawName(scene, 'Gadget');
      const link = drawName(scene, 'Gadget');
      create(scene, 'Gadget', drawGadget(scene.random, mark, { parent, link }), mark);
    },
  },
  createBook: {
    weight: 3,
    run(scene) {
      const mark = scene.world.marks.next('m');
      create(scene, 'Book', { title: `${mark} b${scene.random.integer(0, 9)}` }, mark);
    },
  },
  createLine: {
    weight: 5,
    run(scene) {
      const book = drawRow(scene, 'Book');
      if (book === null) return;
      const mark = scene.world.marks.next('m');
      const amount = Number(mark.slice(1));
      create(scene, 'Line', { bookId: nameOf(scene, book), amount }, mark);
    },
  },
  update: {
    weight: 22,
    run(scene) {
      const row = drawRow(scene, 'Gadget');
      if (row === null) return;
      const { world, tab, accountId, random } = scene;
      const mark = world.marks.next('t');
      const other = drawName(scene, 'Gadget');
      const edit = drawEdit(random, row, { mark, other });
      const key = nameOf(scene, row);
      world.marks.mixed.add(markOf('Gadget', row) ?? '');
      const write = tab.client.account(accountId).Gadget.update(key, edit as JsonObject);
      const names = other === null ? [] : [other];
      follow(scene, { mark, kind: 'update', type: 'Gadget', key: row.$key, names }, write);
    },
  },
  destroy: {
    weight: 6,
    run(scene) {
      const type = scene.random.pick(['Gadget', 'Gadget', 'Book', 'Line'] as const);
      const row = drawRow(scene, type);
      if (row !== null) destroy(scene, type, row);
    },
  },
  createRaw: {
    weight: 4,
    async run(scene) {
      const mark = scene.world.marks.next('m');
      const gadget = drawGadget(scene.random, mark, { parent: null, link: null });
      await writeRaw(scene, 'Gadget', { create: { k: gadget } });
    },
  },
  updateRaw: {
    weight: 6,
    async run(scene) {
      const object = await drawStored(scene);
      if (object === null) return;
      const { marks } = scene.world;
      const mark = marks.next('t');
      marks.mixed.add(markOf('Gadget', object) ?? '');
      const patch = { [`tags/${mark}`]: true, rank: scene.random.integer(-3, 3) };
      await writeRaw(scene, 'Gadget', { update: { [String(object['id'])]: patch } });
    },
  },
  destroyRaw: {
    weight: 3,
    async run(scene) {
      const object = await drawStored(scene);
      if (object === null) return;
      doom(scene.world, 'Gadget', object);
      await writeRaw(scene, 'Gadget', { destroy: [String(object['id'])] });
    },
  },
  wait: {
    weight: 12,
    run: ({ random }) => sleep(random.integer(1, 12)),
  },
  wake: {
    weight: 6,
    run: ({ tab }) => tab.client.sync.wake(),
  },
  settle: {
    weight: 6,
    async run({ tab }) {
      await Promise.race([tab.client.sync.settled(), sleep(40)]);
    },
  },
  goOffline: {
    weight: 3,
    run({ tab }) {
      tab.network.isOnline = false;
      tab.network.cut();
    },
  },
  goOnline: {
    weight: 5,
    run({ tab }) {
      tab.network.isOnline = true;
    },
  },
  cut: {
    weight: 2,
    run: ({ tab }) => tab.network.cut(),
  },
  freeze: {
    weight: 2,
    run: ({ tab }) => tab.freeze(),
  },
  thaw: {
    weight: 4,
    run: ({ tab }) => tab.thaw(),
  },
  kill: {
    weight: 3,
    async run({ device, tab }) {
      device.leave(tab, true);
      await device.open();
    },
  },
  replace: {
    weight: 2,
    async run({ device, tab }) {
      if (device.browser !== null && device.tabs.length < MOST_TABS) return device.open();
      device.leave(tab, false);
      // A client that has its store alone ends when the next one opens the store.
      if (device.browser !== null) void tab.client.close();
      return device.open();
    },
  },
  steal: {
    weight: 4,
    hasTabs: true,
    run({ world, tab, random }) {
      // Without keys nobody knows the objects again of which the tab alone has heard.
      if (!world.profile.hasOnceKeys) return;
      if (random.chance(0.6)) tab.freeze();
      tab.rob();
    },
  },
  loseStore: {
    weight: 4,
    losesStores: true,
    run: ({ tab }) => tab.loseStore(),
  },
  findStore: {
    weight: 6,
    losesStores: true,
    async run({ tab }) {
      tab.findStore();
      await sleep(300);
    },
  },
  discard: {
    weight: 1,
    run: ({ tab }) => tab.client.problems.getSnapshot()[0]?.discard(),
  },
  renewToken: {
    weight: 1,
    async run({ world }) {
      // Two refused tokens in a row keep a client quiet for a minute.
      if (world.isRenewed || world.isBackedUp) return;
      world.isRenewed = true;
      await world.place.renewToken();
    },
  },
  share: {
    weight: 2,
    async run({ world }) {
      world.isShared = !world.isShared;
      await world.place.share(world.isShared);
    },
  },
  killServer: {
    weight: 3,
    isHard: true,
    run: ({ world }) => world.ground.restart(true),
  },
  restartServer: {
    weight: 1,
    isHard: true,
    run: ({ world }) => world.ground.restart(false),
  },
  backUp: {
    weight: 2,
    isHard: true,
    async run({ world }) {
      if (!world.profile.hasOnceKeys) return;
      await world.ground.backUp();
      world.isBackedUp = true;
    },
  },
  restore: {
    weight: 4,
    isHard: true,
    async run({ world }) {
      if (!world.isBackedUp) return;
      world.undo();
      await world.ground.restore();
      world.undo();
    },
  },
  resetStates: {
    weight: 2,
    isHard: true,
    async run({ world }) {
      // Without keys nobody can tell a lost create from another's where the history is gone.
      if (world.profile.hasOnceKeys) await world.ground.resetStates();
    },
  },
  migrate: {
    weight: 1,
    isHard: true,
    async run({ world, random }) {
      const { next } = world;
      if (next === null || world.isBackedUp) return;
      await world.ground.restart(random.chance(0.5), next.root);
      // Clients of the old release go on; later ones are of either.
      if (random.chance(0.5)) world.schema = next.schema;
    },
  },
  waitLong: {
    weight: 1,
    isHard: true,
    run: () => sleep(LONG),
  },
};

/** Longer than a server keeps changes where it keeps few, in milliseconds. */
const LONG = 1500;

/** So many tabs a device has at most. */
const MOST_TABS = 3;

const NAMES = Object.keys(COMMANDS);

interface Kind {
  readonly isHard: boolean;
  readonly hasTabs: boolean;
  readonly losesStores: boolean;
}

/** Draws the name of a command by the weights. */
export function drawCommand(random: Random, { isHard, hasTabs, losesStores }: Kind): string {
  const names = NAMES.filter(
    (name) =>
      (isHard || COMMANDS[name]?.isHard !== true) &&
      (losesStores || COMMANDS[name]?.losesStores !== true) &&
      (hasTabs || COMMANDS[name]?.hasTabs !== true),
  );
  const total = names.reduce((sum, name) => sum + (COMMANDS[name]?.weight ?? 0), 0);
  let rest = random.next() * total;
  for (const name of names) {
    rest -= COMMANDS[name]?.weight ?? 0;
    if (rest < 0) return name;
  }
  return 'wait';
}
