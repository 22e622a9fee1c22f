import { Random } from '../../../conform/src/random.js';
import { Device } from './device.js';
import { Files } from './files.js';
import type { Ground, Place } from './ground.js';
import { Marks } from './marks.js';
import type { Fault } from './network.js';
import type { Profile } from './profile.js';
import type { RandomSchema } from './schema.js';
import type { Tab } from './tab.js';
import { shortenIds } from './trace.js';
import { WireChecks } from './wire-checks.js';

/** Thrown where a seed shows what must not be. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

export interface WorldOptions {
  readonly seed: number;
  readonly profile: Profile;
  readonly ground: Ground;
  readonly place: Place;
  readonly schema: RandomSchema;
  /** A later release of the server's project; null where the seed has none. */
  readonly next: Release | null;
}

interface Outage {
  readonly fault: Fault;
  /** Requests without writes pass. */
  readonly isOfWrites: boolean;
  /** How many requests it takes. */
  left: number;
}

export interface Release {
  readonly root: string;
  readonly schema: RandomSchema;
}

/** All of a seed: its server, its devices, and what was found wrong so far. */
export class World {
  readonly seed: number;
  readonly profile: Profile;
  readonly ground: Ground;
  readonly place: Place;
  readonly next: Release | null;
  /** The schema of clients that are opened from now on. */
  schema: RandomSchema;
  readonly marks = new Marks();
  readonly files = new Files();
  readonly devices: Device[] = [];
  readonly lines: string[] = [];
  /** The shared account is one of the user's. */
  isShared = false;
  /** The user has lost the shared account once. */
  wasUnshared = false;
  /** The server has gone back to an earlier time, so that objects are gone. */
  isUndone = false;
  /** The server has another release by now. */
  isMigrated = false;
  /** There is a backup to go back to. */
  isBackedUp = false;
  isHealed = false;
  /** The server has had an outage. */
  hasBroken = false;
  /** The user has had another token. */
  isRenewed = false;
  readonly #violations: string[] = [];
  readonly #wires = new Map<Device, WireChecks>();
  readonly #faults: Random;
  #outage: Outage = { fault: null, isOfWrites: false, left: 0 };

  constructor(options: WorldOptions) {
    this.seed = options.seed;
    this.profile = options.profile;
    this.ground = options.ground;
    this.place = options.place;
    this.schema = options.schema;
    this.next = options.next;
    this.#faults = new Random(options.seed + 0x5eed);
  }

  async start(): Promise<void> {
    for (let at = 0; at < this.profile.devices; at += 1) {
      const device = new Device(this, `d${at}`);
      this.devices.push(device);
      await device.start();
    }
  }

  /** The clients that are in use, of all devices. */
  get tabs(): readonly Tab[] {
    return this.devices.flatMap(({ tabs }) => tabs);
  }

  readonly trace = (line: string): void => {
    this.lines.push(shortenIds(line));
  };

  /** Notes that something is wrong; the next step throws it. */
  readonly fail = (text: string): void => {
    this.trace(`WRONG: ${text}`);
    this.#violations.push(text);
  };

  /** Throws where something is wrong. */
  judgeAll(): void {
    const [first] = this.#violations;
    if (first !== undefined) throw new Violation(first);
  }

  readonly wire = (device: Device): WireChecks => {
    const known =
      this.#wires.get(device) ??
      new WireChecks((this.next ?? this).schema, this.profile.hasOnceKeys, {
        fail: (text) => this.fail(`${device.name} ${text}`),
        find: (mark) => this.marks.find(mark),
        isRepeated: (mark) => this.marks.repeated.has(mark),
      });
    this.#wires.set(device, known);
    return known;
  };

  /**
   * Returns whether an object may be made twice: the server knows no keys, and others have changed
   * it before its client knew it again.
   */
  mayBeTwice(mark: string): boolean {
    return !this.profile.hasOnceKeys && this.marks.isMixed(mark);
  }

  /** The server goes back to an earlier time. */
  undo(): void {
    this.isUndone = true;
    this.marks.forget();
  }

  /** The server fails at so many requests, or at so many that write. */
  breakDown(outage: Omit<Outage, 'left'>, count: number): void {
    this.hasBroken = true;
    this.#outage = { ...outage, left: count };
  }

  /** Decides the fate of a request. */
  judge(hasWrites: boolean): Fault {
    if (this.isHealed) return null;
    const outage = this.#outage;
    if (outage.left > 0 && (hasWrites || !outage.isOfWrites)) {
      outage.left -= 1;
      return outage.fault;
    }
    const random = this.#faults;
    const { loss, forgetting } = this.profile;
    if (random.chance(loss)) return random.pick(['answer', 'answer', 'answer', 'hang']);
    if (random.chance(loss)) return 'request';
    return random.chance(forgetting) ? 'forget' : null;
  }

  /** Has the network bring all messages, to all clients that live. */
  heal(): void {
    this.isHealed = true;
    for (const device of this.devices) {
      const { earlier, tabs } = device;
      device.fill(0);
      for (const one of [...earlier, ...tabs]) {
        if (one.isKilled) continue;
        one.thaw();
        one.network.heal();
        one.findStore();
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.devices.map((device) => device.close()));
  }
}
