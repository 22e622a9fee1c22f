import type { Random } from '../../../conform/src/random.js';
import type { JsonObject } from '../../../src/protocol/json.js';
import { FILE_COMMANDS } from './file-commands.js';
import { GROUP_COMMANDS } from './group-commands.js';
import { markOf } from './marks.js';
import { type Command, doom, type Scene } from './scene.js';
import type { TypeName } from './schema.js';
import { drawGadget } from './values.js';
import type { World } from './world.js';
import { WRITE_COMMANDS } from './write-commands.js';

/** Draws an object that the server has, for writes of others. */
async function drawStored({
  world,
  accountId,
  random,
}: Pick<Scene, 'world' | 'accountId' | 'random'>): Promise<JsonObject | null> {
  const { list } = await world.place.writer.get('Gadget', { accountId, ids: null });
  return list.length === 0 ? null : (random.pick(list) as JsonObject);
}

/** Writes as another user, past all clients. */
async function writeRaw(
  { world, accountId }: Pick<Scene, 'world' | 'accountId'>,
  type: TypeName,
  args: JsonObject,
) {
  world.trace(`raw ${type}/set ${JSON.stringify(args)}`);
  const answer = await world.place.writer.set(type, { accountId, ...args });
  world.trace(`raw answer ${JSON.stringify(answer)}`);
}

/** Writes as the owner of the account that the user reaches by shares. */
async function writeShared(world: World, args: JsonObject): Promise<void> {
  const { shared } = world.place;
  world.files.loosen(shared);
  await writeRaw({ world, accountId: shared }, 'Gadget', args);
}

/** Gives the user rights at a gadget; null: none. */
function shareGadget(world: World, gadget: JsonObject, rights: JsonObject | null): Promise<void> {
  const { user } = world.place;
  const patch =
    gadget['shareWith'] === null
      ? { shareWith: rights && { [user]: rights } }
      : { [`shareWith/${user}`]: rights };
  return writeShared(world, { update: { [String(gadget['id'])]: patch } });
}

function drawRights(random: Random): JsonObject {
  return { mayRead: true, mayWrite: random.chance(0.7) };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  ...WRITE_COMMANDS,
  ...GROUP_COMMANDS,
  ...FILE_COMMANDS,
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
  breakDown: {
    weight: 2,
    hasOutage: true,
    run({ world, random }) {
      // Another outage could refuse a write at which the first one has failed.
      if (world.hasBroken) return;
      const fault = random.pick(['down', 'gateway', 'busy'] as const);
      const isOfWrites = fault === 'gateway' && random.chance(0.5);
      // A call that is answered often by errors counts as not made, and a write that fails seven
      // times where all else goes through is refused.
      const most = isOfWrites ? 6 : 12;
      const count = random.integer(1, fault === 'busy' ? 4 : most);
      world.breakDown({ fault, isOfWrites }, count);
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
      if (device.browser !== null) tab.closing = tab.client.close();
      return device.open();
    },
  },
  steal: {
    weight: 4,
    hasTabs: true,
    run({ tab, random }) {
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
  fillStore: {
    weight: 4,
    fillsStores: true,
    run: ({ device, random }) => device.fill(random.pick([0.3, 0.7, 1])),
  },
  emptyStore: {
    weight: 5,
    fillsStores: true,
    async run({ device }) {
      device.fill(0);
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
      world.wasUnshared ||= world.isShared;
      world.isShared = !world.isShared;
      world.files.loosen(world.place.shared);
      await world.place.share(world.isShared);
    },
  },
  shareNew: {
    weight: 4,
    hasShares: true,
    async run({ world, random }) {
      const { place, marks } = world;
      const gadget = drawGadget(random, marks.next('m'), { parent: null, link: null });
      const shareWith = { [place.user]: drawRights(random) };
      await writeShared(world, { create: { k: { ...gadget, shareWith } } });
    },
  },
  shareMore: {
    weight: 5,
    hasShares: true,
    async run({ world, random }) {
      const gadget = await drawStored({ world, accountId: world.place.shared, random });
      if (gadget !== null) await shareGadget(world, gadget, drawRights(random));
    },
  },
  takeBack: {
    weight: 4,
    hasShares: true,
    async run({ world, random }) {
      const gadget = await drawStored({ world, accountId: world.place.shared, random });
      if (gadget === null) return;
      world.wasUnshared = true;
      world.marks.hidden.add(markOf('Gadget', gadget) ?? '');
      await shareGadget(world, gadget, null);
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
      world.isMigrated = true;
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
  readonly fillsStores: boolean;
  readonly hasOutage: boolean;
  readonly hasShares: boolean;
}

/** Draws the name of a command by the weights. */
export function drawCommand(random: Random, kind: Kind): string {
  const names = NAMES.filter((name) => isOf(kind, COMMANDS[name]));
  const total = names.reduce((sum, name) => sum + (COMMANDS[name]?.weight ?? 0), 0);
  let rest = random.next() * total;
  for (const name of names) {
    rest -= COMMANDS[name]?.weight ?? 0;
    if (rest < 0) return name;
  }
  return 'wait';
}

function isOf(kind: Kind, command: Command | undefined): boolean {
  return (
    (kind.isHard || command?.isHard !== true) &&
    (kind.losesStores || command?.losesStores !== true) &&
    (kind.fillsStores || command?.fillsStores !== true) &&
    (kind.hasOutage || command?.hasOutage !== true) &&
    (kind.hasShares || command?.hasShares !== true) &&
    (kind.hasTabs || command?.hasTabs !== true)
  );
}
