import type { Random } from '../../../conform/src/random.js';

/** Limits of the server, as the session of a seed tells them. */
export interface Limits {
  readonly maxCallsInRequest: number;
  readonly maxObjectsInGet: number;
  readonly maxObjectsInSet: number;
}

/** A seed's clients, network and server. */
export interface Profile {
  readonly devices: number;
  /** The server knows keys of calls. */
  readonly hasOnceKeys: boolean;
  readonly limits: Limits | null;
  /** How often a message is lost, from 0 to 1. */
  readonly loss: number;
  /** How often the server has forgotten the states that it is asked for. */
  readonly forgetting: number;
  /** Stores are files of SQLite. */
  readonly isFile: boolean;
  /** How many tabs a device has in the beginning; 0: a client has its store alone. */
  readonly tabs: number;
  /** Clients lose their stores, and find them again. */
  readonly losesStores: boolean;
  /** Stores have no room at times. */
  readonly fillsStores: boolean;
  /** The server has an outage. */
  readonly hasOutage: boolean;
  /** Another user shares gadgets of the second account, and takes them back. */
  readonly hasShares: boolean;
  /** Octets of files that a store keeps. */
  readonly quota: number;
  /** Rows of objects that a store reads in one go. */
  readonly page: number;
  /** Types that clients keep in part: the server decides their lists. */
  readonly known: readonly string[];
  /** Devices stay online, but for what is lost. */
  readonly steps: number;
}

/** So small that many writes and changes take several requests. */
const SMALL: Limits = { maxCallsInRequest: 6, maxObjectsInGet: 3, maxObjectsInSet: 2 };
const MIDDLE: Limits = { maxCallsInRequest: 12, maxObjectsInGet: 8, maxObjectsInSet: 5 };

export interface Kind {
  /** False: the server has no outage. */
  readonly mayFail?: boolean;
  readonly hasShares?: boolean;
}

const KNOWN = [[], ['Gadget'], ['Gadget', 'Book']] as const;

export function drawProfile(
  random: Random,
  steps: number,
  { mayFail = true, hasShares = false }: Kind = {},
): Profile {
  const isLikely = random.chance(0.6);
  const once = readNumber('CLIENT_ONCE');
  const hasOnceKeys = once === null ? isLikely : once === 1;
  const profile = drawRest(random, hasOnceKeys);
  // A tab that has lost its store sends its writes without the others' knowledge: for a moment they
  // may show what it has made as another's.
  const isLost = random.chance(0.3) && profile.tabs === 0;
  const losesStores = hasOnceKeys && (readNumber('CLIENT_LOST') === 1 || isLost);
  // A client whose store has no room for a write loses it for a while.
  const isFull = random.chance(0.05);
  const fillsStores = hasOnceKeys && (readNumber('CLIENT_FULL') === 1 || isFull);
  const hasOutage = mayFail && readNumber('CLIENT_OUTAGE') !== 0;
  return { ...profile, losesStores, fillsStores, hasOutage, hasShares, steps };
}

type Rest = Omit<Profile, 'steps' | 'losesStores' | 'fillsStores' | 'hasOutage' | 'hasShares'>;

function drawRest(random: Random, hasOnceKeys: boolean): Rest {
  return {
    devices: random.pick([1, 2, 2, 3]),
    hasOnceKeys,
    limits: random.pick([SMALL, SMALL, MIDDLE, null]),
    loss: random.pick([0, 0.05, 0.15, 0.25]),
    // Without keys nobody can tell a lost create from another's where the history is gone.
    forgetting: hasOnceKeys ? random.pick([0, 0, 0.02, 0.1]) : 0,
    isFile: random.chance(0.1),
    tabs: readNumber('CLIENT_TABS') ?? random.pick([0, 0, 0, 0, 1, 2, 2, 3]),
    known: KNOWN[readNumber('CLIENT_KNOWN') ?? random.pick([0, 0, 0, 1, 2])] ?? [],
    page: random.pick([2, 5, 1000]),
    quota: random.pick([0, 40, 10_000, 10_000]),
  };
}

/**
 * CLIENT_TABS has all seeds run with so many tabs, CLIENT_KNOWN with so many types in part,
 * CLIENT_ONCE with keys of calls, or without, and CLIENT_OUTAGE=0 without outages.
 */
function readNumber(name: string): number | null {
  const text = process.env[name];
  return text === undefined ? null : Number(text);
}
