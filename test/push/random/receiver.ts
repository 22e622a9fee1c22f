import type { Random } from '../../support/random.js';
import type { Person, World } from './world.js';

/** The `changed` of a StateChange. */
export type Changed = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The states of types by account. */
export type Truth = ReadonlyMap<string, ReadonlyMap<string, number>>;

const LONGEST_ID = 3000;

/** A receiver of state changes: it keeps its states, and judges all that servers tell it. */
export abstract class Receiver {
  readonly person: Person;
  readonly name: string;
  protected readonly world: World;
  protected readonly random: Random;
  /** The types that it asks for; null is all. */
  protected readonly types: readonly string[] | null;
  /** The last states that it was told or has asked for, by account and type. */
  readonly #known = new Map<string, number>();
  /** The states that it was told since it last came without an id. */
  readonly #chain = new Map<string, number>();
  /** Messages that have come. */
  #messages = 0;

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
    this.random = world.random(name);
    this.person = this.random.pick(world.people);
    const names = world.types.map((type) => type.name);
    world.onReturn.push((user) => {
      if (user === this.person.name) void this.ask();
    });
    this.types = this.random.chance(0.6) ? null : [this.random.pick(names)];
  }

  /** Receives until the world is over. */
  abstract run(): Promise<void>;

  /** Returns why it can't be told anything any more; null where it can. */
  async excuse(): Promise<string | null> {
    return null;
  }

  /** Resolves to more that is known of it, for a report. */
  async detail(): Promise<string> {
    return '';
  }

  /** Returns how what it was told differs from the truth; null where it doesn't. */
  difference(truth: Truth): string | null {
    const differences: string[] = [];
    for (const { id, types } of this.world.accounts) {
      if (!this.world.reaches(this.person.name, id)) continue;
      for (const type of types) {
        if (this.types?.includes(type) === false) continue;
        const known = this.#known.get(`${id} ${type}`) ?? 0;
        const state = truth.get(id)?.get(type) ?? 0;
        if (known !== state) differences.push(`${id} ${type}: told ${known}, is ${state}`);
      }
    }
    if (differences.length === 0) return null;
    return `${this.describe()} after ${this.#messages} messages: ${differences.join('; ')}`;
  }

  describe(): string {
    return `${this.name} of ${this.person.name} for ${this.types?.join() ?? 'all types'}`;
  }

  /** Begins a chain of ids: the servers know nothing of what it was told before. */
  protected begin(): void {
    this.#chain.clear();
  }

  /** Takes a StateChange, and `id`, which comes with it. */
  protected take(changed: Changed, id: string | null): void {
    this.#messages += 1;
    this.checkId(id);
    for (const [accountId, states] of Object.entries(changed)) {
      if (!this.world.mayHear(this.person.name, accountId))
        this.#complain(`was told of ${accountId}, which it does not reach`);
      for (const [type, state] of Object.entries(states)) this.#takeState(accountId, type, state);
    }
  }

  protected checkId(id: string | null): void {
    if (id !== null && (id.length > LONGEST_ID || !/^[\w-]+$/.test(id)))
      this.#complain(`got an id of ${id.length} characters: ${id.slice(0, 100)}`);
  }

  /** Asks for the present states, as a client does that begins to listen. */
  protected async ask(): Promise<void> {
    const accounts = this.world.accounts.filter(({ id }) =>
      this.world.reaches(this.person.name, id),
    );
    const calls = accounts.flatMap(({ id, types }) =>
      [...types].map(
        (type) => [`${type}/get`, { accountId: id, ids: [] }, `${id} ${type}`] as const,
      ),
    );
    let missing = calls;
    while (missing.length > 0 && this.world.phase !== 'over') {
      const answer = await this.world.request(this.person, this.random, missing);
      for (const [, { state }, key] of answer?.methodResponses ?? []) {
        if (state === undefined) continue;
        this.#known.set(key, Math.max(this.#known.get(key) ?? 0, Number(state)));
        missing = missing.filter(([, , other]) => other !== key);
      }
      // Another server may have yet to hear that the user reaches an account.
      missing = missing.filter(([, { accountId }]) =>
        this.world.reaches(this.person.name, accountId),
      );
      if (missing.length > 0) await pause(20);
    }
  }

  #takeState(accountId: string, type: string, state: string): void {
    const key = `${accountId} ${type}`;
    const number = Number(state);
    const before = this.#chain.get(key) ?? 0;
    if (!Number.isSafeInteger(number)) this.#complain(`was told the state ${state}`);
    if (number < before) this.#complain(`was told ${number} after ${before} for ${key}`);
    if (this.types?.includes(type) === false) this.#complain(`was told of the type ${type}`);
    this.#chain.set(key, Math.max(before, number));
    this.#known.set(key, number);
  }

  #complain(problem: string): void {
    this.world.problems.add(`${this.describe()} ${problem}`);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Resolves after `ms`, or earlier when the servers are to become quiet. */
export async function pauseWhileRunning(world: World, ms: number): Promise<void> {
  for (let rest = ms; rest > 0 && world.phase === 'run'; rest -= 20)
    await pause(Math.min(rest, 20));
}
