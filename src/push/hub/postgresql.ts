import { randomBytes } from 'node:crypto';
import { endBefore } from '../../runtime/deadlines.js';
import type { Log } from '../../runtime/log.js';
import { HintBatch } from './hint-batch.js';
import { HintBudget } from './hint-budget.js';
import type { Hub } from './hub.js';
import { HubReports } from './hub-reports.js';
import { Notifier } from './notifier.js';
import {
  beatPayload,
  byePayload,
  type Envelope,
  type Message,
  originHead,
  payloadHead,
  readPayload,
} from './payload.js';
import { Peers } from './peers.js';
import { LEASE_TIMES, type LeaseMaker, type LeaseTimes, ShardKeeper } from './shard-keeper.js';
import { HeldShards } from './shards.js';
import {
  type HubDatabase,
  type HubSession,
  type SessionTimes,
  SteadySession,
} from './steady-session.js';

export interface HubTimes extends SessionTimes, LeaseTimes {
  /**
   * A process that is silent for so long, ms, is gone, and others take its shards: longer than
   * `beat` and `patience`, after which it serves them no more.
   */
  readonly silence: number;
  /** The least time between two payloads that aren't full, ms. */
  readonly gather: number;
  /** About the time, ms, after which all is compared though nothing gave a reason. */
  readonly floor: number;
  /** The least time between two doubts for the same reason, ms. */
  readonly pace: number;
  /** How long the end may take, ms. */
  readonly end: number;
}

export const HUB_TIMES: HubTimes = {
  ...LEASE_TIMES,
  beat: 3000,
  patience: 5000,
  firstPause: 100,
  longestPause: 2000,
  deafPause: 30_000,
  silence: 9000,
  gather: 25,
  floor: 60_000,
  pace: 1000,
  end: 1000,
};

/** Hints that are taken in a second. */
const HINTS = 2000;
/** Payloads of so many characters are read even beyond it: beats are among them. */
const SHORT = 256;

const DEAF =
  'other servers are not heard: a pooler shares its sessions; pool sessions, ' +
  'or set PUSH_BUS=poll:1s';
const PROBLEM = 'Other servers are not heard: their changes are pushed late.';
const LOST = 'other servers are not heard: the session is lost; it is opened again';

export interface PostgresqlHubOptions {
  readonly database: (origin: string) => HubDatabase;
  /** Holds shards where no session can: behind a pooler that shares its sessions. */
  readonly leases: LeaseMaker;
  /** The epoch of the database, now: what others say of another one counts for nothing. */
  readonly epoch: () => string;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly times?: HubTimes;
}

/** Opens the hub of a server that shares its PostgreSQL. It connects by itself, and stays so. */
export function openPostgresqlHub(options: PostgresqlHubOptions): Hub {
  return new PostgresqlHub(options);
}

class PostgresqlHub implements Hub {
  readonly shards = new HeldShards(() => this.#others);
  readonly #origin = randomBytes(12).toString('base64url');
  readonly #ownHead = originHead(this.#origin);
  readonly #epoch: () => string;
  readonly #log: Pick<Log, 'info' | 'warn'>;
  readonly #times: HubTimes;
  readonly #reports: HubReports;
  readonly #peers = new Peers();
  readonly #budget = new HintBudget(HINTS);
  readonly #batch = new HintBatch();
  readonly #notifier: Notifier;
  readonly #steady: SteadySession;
  readonly #keeper: ShardKeeper;
  #floorTimer: NodeJS.Timeout | undefined;
  /** The failure that the log was told of, so that it isn't repeated. */
  #problem: 'none' | 'lost' | 'deaf' = 'none';
  /** How often in a row a session opened and heard nothing. */
  #deaf = 0;
  #isClosed = false;

  constructor({ database, leases, epoch, log, times = HUB_TIMES }: PostgresqlHubOptions) {
    this.#epoch = epoch;
    this.#log = log;
    this.#times = times;
    this.#reports = new HubReports(times.pace);
    this.#keeper = new ShardKeeper(this.shards, leases(this.#origin, times.lease), times);
    const head = (): string => payloadHead(this.#origin, epoch());
    this.#notifier = new Notifier({
      ...{ head, batch: this.#batch, pause: times.gather },
      send: async ({ text, accounts }) => {
        await this.#notify(text);
        this.#reports.sent(accounts);
      },
    });
    this.#steady = new SteadySession({
      ...{ head, times, database: database(this.#origin) },
      payload: (text) => this.#take(text),
      opened: (session) => this.#opened(session),
      beaten: (session, sentAt) => this.#beaten(session, sentAt),
      lost: () => this.#lost(),
      failed: (error, isDeaf) => this.#failed(error, isDeaf),
    });
    this.#startFloor();
  }

  publish(change: Parameters<Hub['publish']>[0]): void {
    if (!this.#isHeard) return;
    this.#reports.shed(this.#batch.add(change));
    this.#notifier.wake();
  }

  announceSubscription(id: string): void {
    if (!this.#isHeard) return;
    this.#reports.shed(this.#batch.addSubscription(id));
    this.#notifier.wake();
  }

  listen(listener: Parameters<Hub['listen']>[0]): void {
    this.#reports.listen(listener);
  }

  counts(): ReturnType<Hub['counts']> {
    const listen = this.#steady.session === null ? 0 : 1;
    const { count: shards } = this.shards;
    return { listen, peers: this.#others, shards, ...this.#reports.counts() };
  }

  get problem(): string | null {
    return this.#problem === 'none' ? null : PROBLEM;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#floorTimer);
    this.#reports.end();
    // Without a good-bye the others notice the silence.
    const end = performance.now() + this.#times.end;
    await endBefore(end, this.#sayGoodBye()).catch(() => undefined);
    await this.#steady.close();
  }

  /** The other processes: those that are heard, or that hold leases as this one does. */
  get #others(): number {
    return this.#keeper.isOn ? this.#keeper.others : this.#peers.size;
  }

  /**
   * Whether anybody hears this process. Others lose nothing by its silence: the first thing that
   * they hear of it is `hello`, which has them compare all.
   */
  get #isHeard(): boolean {
    return !this.#isClosed && this.#peers.size > 0 && this.#steady.session !== null;
  }

  async #sayGoodBye(): Promise<void> {
    if (this.#steady.session !== null) await this.#notifier.flush();
    this.#notifier.stop();
    if (this.#keeper.isOn) return this.#keeper.stop();
    await this.shards.end();
    await this.#notify(byePayload(payloadHead(this.#origin, this.#epoch())));
  }

  async #notify(payload: string): Promise<void> {
    const { session } = this.#steady;
    if (session === null) throw new Error('There is no session.');
    await session.notify(payload);
  }

  #opened(session: HubSession): void {
    if (this.#problem !== 'none') this.#log.info({}, 'other servers are heard again');
    this.#problem = 'none';
    this.#deaf = 0;
    this.#peers.excuse(performance.now());
    void this.#keeper.stop();
    this.shards.use(session);
    this.#reports.doubt('connected');
    // The first hello came before this process could tell of commits.
    this.#sayHello();
  }

  #lost(): void {
    this.#notifier.stop();
    // The next hello has the others compare all.
    this.#batch.clear();
    this.shards.use(null);
  }

  #failed(error: unknown, isDeaf: boolean): void {
    this.#deaf = isDeaf ? this.#deaf + 1 : 0;
    // Once may be a slow database, and leases beside the locks of others push everything twice.
    if (this.#deaf > 1) this.#keeper.start();
    const problem = isDeaf ? 'deaf' : 'lost';
    if (this.#problem === problem || this.#problem === 'deaf') return;
    this.#problem = problem;
    // The driver's own error holds all that is known of the connection.
    const { message, code } = error as NodeJS.ErrnoException;
    const err = { message, code };
    if (isDeaf) this.#log.warn({ err }, DEAF);
    else this.#log.warn({ err }, LOST);
  }

  #take(text: string): void {
    if (this.#isClosed) return;
    const now = performance.now();
    if (text.startsWith(this.#ownHead)) {
      const own = text.length > SHORT ? null : readPayload(text)?.message;
      if (own?.kind === 'beat' || own?.kind === 'hello') this.#steady.returned(own.number);
      return;
    }
    if (text.length > SHORT && !this.#budget.take(1, now)) {
      this.#shed(1);
      return;
    }
    const envelope = readPayload(text);
    if (envelope === null) return;
    if (envelope.epoch === this.#epoch()) {
      this.#hear(envelope, now);
      return;
    }
    // One of the two has yet to read that a new epoch has begun: a comparison reads it.
    this.#peers.stillThere(envelope.origin, now);
    this.#reports.doubt('otherEpoch');
  }

  #hear({ origin, message }: Envelope, now: number): void {
    if (message.kind === 'bye') {
      if (this.#peers.left(origin)) this.shards.peersChanged();
      return;
    }
    const isNew = this.#peers.heard(origin, now);
    if (isNew) this.#sayHello();
    if (isNew || message.kind === 'hello') {
      this.shards.peersChanged();
      this.#reports.doubt('peerFound');
    }
    this.#pass(message, now);
  }

  /** Tells the others that they may lack what this process should have told so far. */
  #sayHello(): void {
    const head = payloadHead(this.#origin, this.#epoch());
    // Where the session is lost the next one's hello says the same.
    this.#notify(beatPayload(head, 'hello', 0)).catch(() => undefined);
  }

  #pass(message: Message, now: number): void {
    if (message.kind === 'shed') this.#reports.doubt('shed');
    else if (message.kind === 'subscriptions') {
      if (!this.#budget.take(message.ids.length, now)) this.#shed(0);
      else for (const id of message.ids) this.#reports.subscription(id);
    } else if (message.kind === 'hints') {
      if (this.#budget.take(message.hints.size, now)) this.#reports.hints(message.hints);
      else this.#shed(message.hints.size);
    }
  }

  #shed(accounts: number): void {
    this.#reports.shed(accounts);
    this.#reports.doubt('shed');
  }

  /** All that was sent before the beat is heard: others that were not are silent. */
  #beaten(session: HubSession, sentAt: number): void {
    this.shards.extend(sentAt + this.#times.beat + this.#times.patience);
    this.shards.round();
    const { silence } = this.#times;
    const silent = this.#peers.forgetSilent(performance.now() - silence);
    if (silent.length === 0) return;
    this.#reports.doubt('peerLost');
    // A failure is that of the session, which is opened anew.
    const ended = session.expel(silent, silence).catch(() => undefined);
    void ended.then(() => this.shards.peersChanged());
  }

  #startFloor(): void {
    const after = this.#times.floor * (0.75 + Math.random() / 2);
    this.#floorTimer = setTimeout(() => {
      this.#reports.doubt('floor');
      this.#startFloor();
    }, after).unref();
  }
}
