import { endBefore } from '../../runtime/deadlines.js';
import type { Log } from '../../runtime/log.js';
import { Seldom } from '../../runtime/seldom.js';
import { boundWait, judgeAttempt, type Wait } from './back-off.js';
import { type Delivery, deliverNews, describeResult, reasonOf } from './deliver-news.js';
import { FailureLog } from './failure-log.js';
import { HostLanes, type HostOutcome } from './host-lanes.js';
import type { PostResult } from './post.js';
import type { MessageOptions } from './push-message.js';
import { PushNotes } from './push-records.js';
import { Roster } from './roster.js';
import { RowsAhead } from './rows-ahead.js';
import type { OpenChannel, OwnShards, PushNews, PushRow, PushRows } from './sender-ports.js';
import type { Served } from './served.js';

export interface SenderOptions<Row extends PushRow> extends MessageOptions {
  readonly rows: PushRows<Row>;
  readonly openChannel: OpenChannel<Row>;
  /** Gets ready to open the channels of all these rows: one after the other would cost more. */
  readonly prepare?: (rows: readonly Row[]) => Promise<void>;
  readonly shards: OwnShards;
  readonly log: Pick<Log, 'info' | 'warn' | 'debug'>;
  /** Epoch ms. */
  readonly now: () => number;
  readonly pauses?: SenderPauses;
}

/** Ms. Tests have shorter ones. */
export interface SenderPauses {
  /** Between two pushes to one subscription. */
  readonly throttle: number;
  /** The same where its service is slow or busy. */
  readonly slowThrottle: number;
  /** Over which many pushes that fall due at once are spread. */
  readonly spread: number;
  /** Between two writes of how pushes went. */
  readonly notes: number;
  /** After the database has failed. */
  readonly retry: number;
}

const PAUSES: SenderPauses = {
  ...{ throttle: 1000, slowThrottle: 30_000, spread: 1000, notes: 1000, retry: 10_000 },
};

/** How long the last notes may take at a stop, ms. */
const LAST_NOTES = 2000;
/** Pushes that fall due within a second and are sent at once; the others are spread. */
const AT_ONCE = 50;

/** How pushes ended since the start. */
export interface SenderCounts {
  readonly served: number;
  readonly running: number;
  readonly waiting: number;
  /** How long the oldest change waits that is to be told, seconds, without waits for services. */
  readonly oldestPending: number;
  readonly results: Readonly<Record<'delivered' | 'failed' | 'gone' | 'hopeless', number>>;
}

/**
 * Pushes state changes to verified subscriptions (RFC 8620 7.2). Each has at most one push under
 * way, and at most one a second; what changes meanwhile is in the next. The sender stores the told
 * states after the service has taken them: so a kill repeats a push, and loses none.
 */
export class Sender<Row extends PushRow = PushRow> {
  readonly #options: SenderOptions<Row>;
  readonly #pauses: SenderPauses;
  readonly #roster: Roster<Row>;
  readonly #lanes: HostLanes<Served>;
  readonly #rowsAhead: RowsAhead<Row>;
  readonly #notes: PushNotes;
  readonly #failures: FailureLog;
  /** While the database is away each subscription fails. */
  readonly #complaints = new Seldom(3);
  /** Pushes under way, by the id of their subscription. */
  readonly #pushing = new Map<string, Pushing>();
  readonly #results = { delivered: 0, failed: 0, gone: 0, hopeless: 0 };
  #due = { count: 0, second: 0 };
  #isStopped = false;

  constructor(options: SenderOptions<Row>) {
    const { rows, shards, prepare } = options;
    this.#options = options;
    this.#pauses = options.pauses ?? PAUSES;
    this.#failures = new FailureLog(options.log);
    this.#lanes = new HostLanes((served) => this.#run(served));
    this.#rowsAhead = new RowsAhead(
      async (ids) => (await rows.read(ids)).map((row) => this.#notes.complete(row)),
      (count) => this.#lanes.next(count),
    );
    this.#notes = new PushNotes(rows, this.#pauses.notes, (err) => {
      const fields = this.#complaints.admit('notes');
      if (fields !== null) options.log.warn({ err, ...fields }, 'what was pushed is not stored');
    });
    this.#roster = new Roster<Row>({
      ...{ rows, shards, prepare, retry: this.#pauses.retry },
      onError: (err) => {
        const fields = this.#complaints.admit('roster');
        if (fields !== null)
          options.log.warn({ err, ...fields }, 'push subscriptions could not be read');
      },
      listener: {
        wake: (served) => this.#wake(served),
        ended: (served) => this.#drop(served),
      },
      entered: (served, row) => this.#begin(served, row),
      changed: (served) => this.#readAgain(served),
    });
  }

  /** Serves the subscriptions of the process's shards, whichever these are. */
  start(): Promise<void> {
    const started = this.#roster.start();
    this.#options.shards.onChange(() => this.#handOver());
    return started;
  }

  /** A subscription was verified or changed. Resolves when this process knows of it. */
  changed(id: string): Promise<void> {
    const served = this.#roster.find(id);
    if (served === undefined) return this.#roster.add(id);
    this.#readAgain(served);
    return Promise.resolve();
  }

  /** Looks for subscriptions that this process should serve: their announcement may be lost. */
  compare(): Promise<void> {
    return this.#roster.compare();
  }

  /** A subscription was destroyed. */
  removed(id: string): void {
    this.#drop(this.#roster.find(id));
  }

  counts(): SenderCounts {
    const { running, waiting } = this.#lanes;
    const now = performance.now();
    let oldest = now;
    for (const { pendingSince } of this.#roster.all())
      if (pendingSince !== null) oldest = Math.min(oldest, pendingSince);
    return {
      ...{ served: this.#roster.size, running, waiting, results: { ...this.#results } },
      oldestPending: (now - oldest) / 1000,
    };
  }

  /**
   * Begins no further push, and waits for those that run, until a deadline at most. It then stores
   * what was told: where that takes too long, a push is repeated.
   */
  async stop(deadline: number): Promise<void> {
    this.#isStopped = true;
    this.#roster.close();
    await endBefore(deadline, this.#lanes.stop());
    await endBefore(deadline + LAST_NOTES, this.#notes.close());
    for (const served of this.#roster.all()) this.#drop(served);
  }

  /** Begins to serve a subscription, and looks whether there is something new for it. */
  async #begin(served: Served, row: Row): Promise<void> {
    const pause = this.#pauseOf(row);
    if (pause > 0) return this.#wait(served, pause);
    await this.#renew(served, this.#notes.complete(row), served.version);
    // A change may have made it due meanwhile.
    if (served.phase !== 'idle' || served.channel?.take() === null) return;
    served.isBehind = true;
    this.#makeDue(served);
  }

  /** The next push goes by the row as it is then. */
  #readAgain(served: Served): void {
    served.version += 1;
    served.isBehind = true;
    this.#wake(served);
  }

  #pauseOf({ notBefore }: Row): number {
    const now = this.#options.now();
    return notBefore === null ? 0 : boundWait(notBefore, now) - now;
  }

  /** Opens a channel from what the receiver was told. Resolves to false where it can't be. */
  async #renew(served: Served, row: Row, version: number): Promise<boolean> {
    const channel = await this.#options.openChannel(row, row.lastId, served);
    if (channel === null || !isLiving(served)) {
      channel?.close();
      this.#drop(served);
      return false;
    }
    served.setChannel(channel, row);
    // The row may have been read before the change.
    served.isBehind = served.version !== version;
    return true;
  }

  #wake(served: Served): void {
    if (served.phase === 'running') served.isWoken = true;
    else if (served.phase === 'idle') this.#makeDue(served);
  }

  #makeDue(served: Served): void {
    served.phase = 'due';
    const now = performance.now();
    served.pendingSince ??= now;
    const pause = Math.max(served.nextAt - now, this.#spread(now));
    if (pause <= 0) this.#lanes.push(served);
    else served.delay(pause, () => this.#lanes.push(served));
  }

  #spread(now: number): number {
    const second = Math.floor(now / 1000);
    if (second !== this.#due.second) this.#due = { count: 0, second };
    this.#due.count += 1;
    return this.#due.count > AT_ONCE ? Math.random() * this.#pauses.spread : 0;
  }

  /** Waits after a failure. The channel is opened again when there is something to send. */
  #wait(served: Served, pause: number): void {
    served.phase = 'failed';
    served.closeChannel();
    served.delay(pause, () => this.#makeDue(served));
  }

  /** Stores what was pushed: a process that gets the shard would push it again. */
  async #handOver(): Promise<void> {
    const { shards } = this.#options;
    const leaving = [...this.#pushing.values()].filter(
      ({ served }) => !shards.isMine(served.shard),
    );
    await Promise.all(leaving.map(({ ended }) => ended));
    await this.#notes.flush();
  }

  async #run(served: Served): Promise<HostOutcome> {
    if (served.phase !== 'due' || this.#isStopped) return 'none';
    served.phase = 'running';
    const { id } = served;
    // Its shard was lost for a moment: the push of before would bring earlier states after these.
    const before = this.#pushing.get(id);
    if (before !== undefined) await before.ended;
    if (!isLiving(served) || this.#isStopped) return 'none';
    const ended = this.#tryToPush(served);
    this.#pushing.set(id, { served, ended });
    const outcome = await ended;
    this.#pushing.delete(id);
    return outcome;
  }

  /** Never rejects. */
  async #tryToPush(served: Served): Promise<HostOutcome> {
    try {
      return await this.#push(served);
    } catch (err) {
      const fields = this.#complaints.admit('pushing');
      if (fields !== null)
        this.#options.log.warn({ err, ...fields }, 'pushing failed; it is tried again');
      served.isBehind = true;
      if (isLiving(served)) this.#wait(served, this.#pauses.retry);
      return 'none';
    }
  }

  async #push(served: Served): Promise<HostOutcome> {
    const { version } = served;
    // From here on a change may come too late for this push.
    served.isWoken = false;
    const stored = await this.#rowsAhead.read(served);
    if (stored === null) this.#drop(served);
    if (stored === null || !isLiving(served)) return 'none';
    const row = this.#notes.complete(stored);
    // A lease may have run out: another process may push.
    const isMine = this.#options.shards.isMine(served.shard);
    const pause = isMine ? this.#pauseOf(row) : this.#pauses.retry;
    if (pause > 0) {
      this.#wait(served, pause);
      return 'none';
    }
    if (served.isOutdated(row) && !(await this.#renew(served, row, version))) return 'none';
    const news = served.channel?.take() ?? null;
    if (news === null) {
      this.#becomeIdle(served);
      return 'none';
    }
    const delivery = await deliverNews(row, news, this.#options);
    return this.#settle(served, { row, news, delivery });
  }

  async #settle(
    served: Served,
    { row, news, delivery }: { row: Row; news: PushNews; delivery: Delivery },
  ): Promise<HostOutcome> {
    const { result, isSlow } = delivery;
    const { failures, firstFailure } = row;
    const now = this.#options.now();
    const chance = Math.random();
    const verdict = judgeAttempt({ result, failures, firstFailure, now, chance });
    if (verdict.kind === 'wait') {
      this.#fail(served, verdict, result);
      return result.kind === 'unsigned' ? 'none' : (verdict.busy ?? 'bad');
    }
    this.#results[verdict.kind] += 1;
    if (verdict.kind === 'delivered') {
      this.#notes.addSuccess({ id: row.id, lastId: news.id, at: now });
      const { throttle, slowThrottle } = this.#pauses;
      served.nextAt = performance.now() + (isSlow || served.isSlow ? slowThrottle : throttle);
      served.isSlow = false;
      this.#becomeIdle(served);
      return isSlow ? 'bad' : 'good';
    }
    const fields = { id: row.id, host: served.host, ...describeResult(result) };
    this.#options.log.info(fields, 'a push subscription is removed: its service refuses it');
    this.#drop(served);
    await this.#options.rows.remove(row.id);
    return verdict.kind === 'gone' ? 'good' : 'bad';
  }

  #fail(served: Served, { until, failures, firstFailure, busy }: Wait, result: PostResult) {
    this.#results.failed += 1;
    const { id, host } = served;
    const now = this.#options.now();
    const seconds = Math.ceil((until - now) / 1000);
    this.#failures.add({ id, host, failures, seconds }, result);
    const reason = reasonOf(result);
    this.#notes.addFailure({ id, failures, firstFailure, notBefore: until, at: now, reason });
    served.isBehind = true;
    // The wait that follows is the service's, not this server's.
    served.pendingSince = null;
    served.isSlow = busy !== null;
    if (isLiving(served)) this.#wait(served, until - now);
  }

  /** Has nothing more to send now, unless something became new meanwhile. */
  #becomeIdle(served: Served): void {
    if (!isLiving(served)) return;
    served.phase = 'idle';
    served.pendingSince = null;
    if (served.isWoken) this.#makeDue(served);
  }

  #drop(served: Served | undefined): void {
    if (served === undefined) return;
    this.#rowsAhead.forget(served);
    this.#roster.drop(served);
  }
}

interface Pushing {
  readonly served: Served;
  readonly ended: Promise<HostOutcome>;
}

/** A subscription may end while something is awaited. */
function isLiving(served: Served): boolean {
  return served.phase !== 'gone';
}
