import type { Check } from './check.js';
import { tellOthers } from './clean-up.js';
import { FencedError } from './client/fenced-ids.js';
import { DeclinedError, NoAnswerError } from './client/no-answer.js';
import { NotApplicable } from './not-applicable.js';
import { describeFailure, isExpectation, type Outcome } from './outcome.js';
import { findSettlers } from './settled.js';
import { adoptLost, lookAround } from './subject/beside.js';
import { findRefusedSample } from './subject/samples.js';
import type { Server } from './subject/server.js';
import { Subject } from './subject/subject.js';
import { findOtherTransport } from './usable.js';

/** Told while a run goes on. */
export interface Progress {
  /** So many checks are to be run. */
  planned(count: number): void;
  started(check: Check, type: string | null): void;
  ended(outcome: Outcome): void;
}

/** The server can't be reached any more: a run ends there, with what was found until then. */
export class LostError extends Error {
  override readonly name = 'LostError';
  readonly outcomes: readonly Outcome[];

  constructor(message: string, outcomes: readonly Outcome[]) {
    super(message.endsWith('.') ? message : `${message}.`);
    this.outcomes = outcomes;
  }
}

/** Checks in a row that got no answer, after which the server is taken for gone. */
const PATIENCE = 3;

/** Runs checks one after the other and keeps their outcomes. */
export class Runner {
  readonly outcomes: Outcome[] = [];
  /** Failed checks of a type, or of the server: what they settle isn't looked at again. */
  readonly #failed = new Set<string>();
  readonly #server: Server;
  readonly #warn: (line: string) => void;
  readonly #progress: Progress;
  #unanswered = 0;

  /** `warn` takes what others did beside a check. */
  constructor(server: Server, progress: Progress, warn: (line: string) => void) {
    this.#server = server;
    this.#progress = progress;
    this.#warn = warn;
  }

  /**
   * Runs a check and keeps its outcome; `reason` says why it can't be run. Throws LostError where
   * the server is lost.
   */
  async run(
    check: Check,
    reason: string | null,
    work: () => Promise<void>,
    on: Server | Subject,
  ): Promise<void> {
    const type = on instanceof Subject ? on.type : null;
    this.#progress.started(check, type);
    const { transport, recorder } = this.#server;
    recorder.take();
    const start = performance.now();
    const end = (rest: Pick<Outcome, 'status' | 'reason' | 'isRefused' | 'failure'>): void => {
      const ms = Math.round(performance.now() - start);
      const outcome: Outcome = { check, type, transport, ms, ...recorder.secrets.hideIn(rest) };
      this.outcomes.push(outcome);
      this.#progress.ended(outcome);
    };
    try {
      this.#server.fence.begin(check.id);
      const why = reason ?? findOtherTransport(check, transport) ?? this.#findSettler(check, type);
      const isNot = why ?? check.applies?.(on as never) ?? null;
      if (isNot !== null) return end({ status: 'notApplicable', reason: isNot });
      await this.#runUndisturbed(on, work);
      this.#unanswered = 0;
      end({ status: 'passed' });
    } catch (error) {
      const isKept = error instanceof FencedError && on instanceof Subject && on.isBeside;
      if (error instanceof NotApplicable || isKept)
        return end({ status: 'notApplicable', reason: error.message });
      const status = isExpectation(error) ? 'failed' : 'defect';
      const failure = describeFailure(error, recorder.take());
      const refused = status === 'failed' ? await this.#findRefusal(on, error) : null;
      if (refused !== null)
        return end({ status: 'notApplicable', reason: refused, isRefused: true });
      const lost = error instanceof NoAnswerError ? await this.#findLoss(error) : null;
      // A check that the server did not let the runner finish has not failed.
      if (lost instanceof DeclinedError) throw new LostError(lost.since(check.id), this.outcomes);
      end({ status, failure });
      if (status === 'failed') this.#failed.add(makeKey(check.id, type));
      if (error instanceof NoAnswerError) await this.#giveUp(check, error, lost);
      else this.#unanswered = 0;
    }
  }

  /** Names the object that a check failed by, if the descriptor doesn't tell why it is refused. */
  async #findRefusal(on: Server | Subject, error: unknown): Promise<string | null> {
    if (!(on instanceof Subject) || error instanceof NoAnswerError) return null;
    // Where that fails, too, the check's own failure says more.
    return await this.#server.recorder.runAside(() => findRefusedSample(on)).catch(() => null);
  }

  /** Returns the failed check that settles this one, in words; null where there is none. */
  #findSettler({ id }: Check, type: string | null): string | null {
    const before = findSettlers(id).find(
      (one) => this.#failed.has(makeKey(one, type)) || this.#failed.has(makeKey(one, null)),
    );
    return before === undefined ? null : `Not run because ${before} failed.`;
  }

  /** Returns why the server answers nothing more; null where it answers with the session. */
  async #findLoss(error: NoAnswerError): Promise<Error | null> {
    if (error instanceof DeclinedError) return error;
    const { user, recorder } = this.#server;
    return await recorder
      .runAside(() => user.http.send(user.session.url))
      .then(
        () => null,
        (error: Error) => error,
      );
  }

  /**
   * Throws LostError where the server answers nothing more, or answers no echo after some checks in
   * a row without an answer.
   */
  async #giveUp({ id }: Check, { message }: NoAnswerError, lost: Error | null): Promise<void> {
    if (lost !== null)
      throw new LostError(`The server is lost since ${id}: ${lost.message}`, this.outcomes);
    this.#unanswered += 1;
    if (this.#unanswered < PATIENCE) return;
    if (!(await this.#isEchoing()))
      throw new LostError(`${PATIENCE} checks in a row got no answer: ${message}`, this.outcomes);
    this.#unanswered = 0;
  }

  /** Tells whether the server answers a plain request, whatever the answer. */
  async #isEchoing(): Promise<boolean> {
    const { user, recorder } = this.#server;
    return await recorder
      .runAside(() => user.buildClient().call('Core/echo', {}))
      .then(
        () => true,
        (error: unknown) => !(error instanceof NoAnswerError),
      );
  }

  /**
   * Runs a check, once more if others disturbed it. A check that failed while something changed
   * that the run did not touch is done again, beside what is there then. Where the account had no
   * objects of others, new ones are rather the check's own, by a create whose answer was lost or
   * wrong. The check has failed then, and those after it run beside what is left.
   */
  async #runUndisturbed(on: Server | Subject, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof NotApplicable || !(on instanceof Subject)) throw error;
      const { recorder } = this.#server;
      // Objects of creates whose answers were lost are the run's own: they are removed at its end.
      await recorder.runAside(() => adoptLost(on)).catch(() => undefined);
      if (error instanceof NoAnswerError) throw error;
      const wasBeside = on.isBeside;
      // Where that fails, too, the check's own failure says more.
      const told = await recorder.runAside(() => tellOthers(on)).catch(() => []);
      if (told.length === 0) throw error;
      for (const line of told) this.#warn(line);
      await recorder.runAside(() => lookAround(on));
      if (!wasBeside) throw error;
      recorder.take();
      await work();
    }
  }
}

/** Returns a key of a check that ran for a type. */
const makeKey = (id: string, type: string | null): string => `${id} ${type ?? ''}`;
