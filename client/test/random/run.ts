import { expect } from 'vitest';
import { Random } from '../../../conform/src/random.js';
import { eventually, within } from '../../../test/support/poll.js';
import { COMMANDS, drawCommand } from './commands.js';
import { checkCopy, checkView, pass } from './copy-checks.js';
import { checkEnd, checkRest, settleAll } from './end-checks.js';
import type { Ground } from './ground.js';
import { drawProfile, type Kind } from './profile.js';
import type { RandomSchema } from './schema.js';
import { type Release, World } from './world.js';

/** How many steps lie between two looks at the server. */
const STRIDE = 12;

/** A seed takes some seconds; one that takes so long hangs, in milliseconds. */
const PATIENCE = 90_000;

const HARD_PATIENCE = 120_000;

/** Lines of the trace that a failure tells. */
const LINES = 80;

export interface RunOptions {
  readonly seed: number;
  readonly ground: Ground;
  readonly schema: RandomSchema;
  readonly steps: number;
  readonly kind?: Kind;
  /** The server is the seed's own: it may be killed, restored and migrated to a later release. */
  readonly next?: Release;
}

/** Runs a seed. Rejects with what was wrong, and the last that happened before. */
export async function runSeed(options: RunOptions): Promise<void> {
  const { seed, ground, schema, steps, kind } = options;
  const profile = drawProfile(new Random(seed), steps, kind);
  const place = await ground.makePlace();
  const world = new World({ seed, profile, ground, place, schema, next: options.next ?? null });
  world.trace(JSON.stringify(profile));
  const failures = [
    await find(within(`The seed ${seed}`, runWorld(world), world.next ? HARD_PATIENCE : PATIENCE)),
    await find(within(`The end of seed ${seed}`, world.close(), PATIENCE)),
  ].filter((failure) => failure !== null);
  if (failures.length > 0) throw new Error(tell(world, failures), { cause: failures[0] });
}

/** Returns the error of a promise, or null. */
async function find(promise: Promise<void>): Promise<Error | null> {
  try {
    await promise;
    return null;
  } catch (error) {
    return error as Error;
  }
}

async function runWorld(world: World): Promise<void> {
  await world.start();
  for (let step = 0; step < world.profile.steps; step += 1) await runStep(world, step);
  world.heal();
  world.trace('heal');
  await settleAll(world);
  await pass();
  await checkEnd(world);
  for (const device of world.devices) {
    await checkView(world, device);
    await checkCopy(world, device);
  }
  await checkRest(world);
  await world.marks.look();
  for (const tab of world.tabs) {
    const rest = eventually(() => expect(tab.isQuiet).toBe(true));
    await rest.catch(() => world.fail(`tab ${tab.number} waits for its store`));
    for (const record of tab.records) record.judge();
  }
  world.judgeAll();
}

async function runStep(world: World, step: number): Promise<void> {
  // Each step has numbers of its own: time has no part in the others' choices.
  const random = new Random(world.seed * 7919 + step);
  const device = random.pick(world.devices);
  const tab = random.pick(device.tabs);
  const { own, shared } = world.place;
  const isThere = tab.record(shared) !== undefined;
  const accountId = isThere && random.chance(0.3) ? shared : own;
  const name = drawCommand(random, {
    isHard: world.next !== null,
    hasTabs: world.profile.tabs > 0,
    losesStores: world.profile.losesStores,
    fillsStores: world.profile.fillsStores,
    hasOutage: world.profile.hasOutage,
    hasShares: world.profile.hasShares,
  });
  world.trace(`${step}: ${name} ${device.name}.${tab.number}`);
  await COMMANDS[name]?.run({ world, device, tab, accountId, random });
  await pass();
  for (const one of world.devices) {
    await world.marks.look();
    for (const record of one.tabs.flatMap(({ records }) => records)) record.judge();
    // A tab is ahead of the store in its turn, and behind it in the turns of others.
    if (one.browser === null) await checkView(world, one);
  }
  if (step % STRIDE === STRIDE - 1)
    for (const one of world.devices)
      if (one.tabs.every(({ isFrozen }) => !isFrozen)) await checkCopy(world, one);
  world.judgeAll();
}

function tell({ seed, lines }: World, failures: readonly Error[]): string {
  const reasons = failures.map(({ name, message, stack }) =>
    name === 'Violation' ? message : String(stack),
  );
  return [
    `CLIENT_SEED=${seed} CLIENT_SEEDS=1 repeats it: ${reasons.join('\n')}`,
    ...lines.slice(-(Number(process.env['CLIENT_TRACE']) || LINES)),
  ].join('\n');
}
