import type { Check, Level, ServerCheck, TypeCheck } from './check.js';
import { isOfSection } from './check.js';
import { messageOf, nameLeft, tellOthers, tidy, warnOfOthers } from './clean-up.js';
import { FencedError } from './client/fenced-ids.js';
import { DeclinedError, NoAnswerError } from './client/no-answer.js';
import { NotApplicable } from './not-applicable.js';
import { failureOf, isExpectation, type Outcome } from './outcome.js';
import { settlersOf } from './settled.js';
import { accountsOf, adoptLost, lookAround } from './subject/beside.js';
import type { World } from './subject/described.js';
import { refusedSample } from './subject/samples.js';
import type { Server } from './subject/server.js';
import { Subject } from './subject/subject.js';
import { elsewhere, missing, refusedWholly } from './usable.js';

/** The checks to run; a part that is left out means all. */
export interface Selection {
  readonly types?: readonly string[];
  readonly sections?: readonly string[];
  readonly checks?: readonly string[];
  readonly levels?: readonly Level[];
}

/**
 * Describes a run: the server, the types, the checks, and who is told of what goes wrong beside
 * them.
 */
export interface Plan {
  readonly server: Server;
  readonly world: World;
  readonly checks: readonly Check[];
  readonly selection: Selection;
  /** Ends a run early: the check that runs comes to its end, and what was made is removed. */
  readonly signal?: AbortSignal;
  /**
   * Takes what must be known beside the outcomes: what could not be removed. Without it that is an
   * error.
   */
  readonly warn?: (line: string) => void;
  /**
   * Takes why a type can't be looked at: none of its checks is applicable then, and the run is not
   * whole.
   */
  readonly unusable?: (reason: string) => void;
}

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

/** Returns the checks that a selection names, in their order. */
export function selectChecks(checks: readonly Check[], selection: Selection): readonly Check[] {
  const { sections, checks: ids, levels } = selection;
  return checks.filter(
    (one) =>
      (ids === undefined || ids.includes(one.id)) &&
      (levels === undefined || levels.includes(one.level)) &&
      (sections === undefined || sections.some((wanted) => isOfSection(one, wanted))),
  );
}

/**
 * Runs what is selected, one check after the other, and removes what they made. The objects that
 * can't be removed are named at the end.
 */
export async function run(plan: Plan, progress: Progress): Promise<readonly Outcome[]> {
  const { server, world, selection, warn = () => undefined } = plan;
  const checks = selectChecks(plan.checks, selection);
  const ofServer = checks.filter((one): one is ServerCheck => one.scope === 'server');
  const ofTypes = checks.filter((one): one is TypeCheck => one.scope === 'type');
  const types = new Set(ofTypes.length === 0 ? [] : (selection.types ?? world.keys()));
  progress.planned(ofServer.length + ofTypes.length * types.size);
  const runner = new Runner(plan, progress);
  try {
    for (const check of ofServer) {
      if (isEnded(plan)) return runner.outcomes;
      await runner.run(check, null, () => check.run(server), server);
    }
    for (const type of types) {
      if (isEnded(plan)) return runner.outcomes;
      await runType(new Subject(server, world, type), ofTypes, plan, runner);
    }
    return runner.outcomes;
  } finally {
    for (const type of world.keys()) for (const line of nameLeft(server, type)) warn(line);
  }
}

/** Tells whether the user ended a run. */
const isEnded = ({ signal }: Plan): boolean => signal?.aborted === true;

/** Runs the checks of one type and removes what they made, also where the server is lost. */
async function runType(
  subject: Subject,
  checks: readonly TypeCheck[],
  plan: Plan,
  runner: Runner,
): Promise<void> {
  let obstacle: string | null;
  try {
    obstacle = await findObstacle(subject, plan, runner.outcomes);
    for (const check of checks) {
      if (isEnded(plan)) break;
      const reason = obstacle ?? missing(check, subject);
      await runner.run(check, reason, () => runTypeCheck(check, subject), subject);
    }
    const refused = refusedWholly(subject, runner.outcomes);
    if (refused !== null) plan.unusable?.(refused);
  } finally {
    await tidy(subject, plan.warn);
  }
  if (obstacle === null && plan.warn !== undefined) await warnOfOthers(subject, plan.warn);
}

/** Runs one check of a type by itself, for those that run checks in their own way. */
export async function runTypeCheck(check: TypeCheck, subject: Subject): Promise<void> {
  await subject.begin();
  await check.run(subject);
}

/** Runs checks one after the other and keeps their outcomes. */
class Runner {
  readonly outcomes: Outcome[] = [];
  /** Failed checks of a type, or of the server: what they settle isn't looked at again. */
  readonly #failed = new Set<string>();
  readonly #server: Server;
  readonly #warn: (line: string) => void;
  readonly #progress: Progress;
  #unanswered = 0;

  constructor({ server, warn = () => undefined }: Plan, progress: Progress) {
    this.#server = server;
    this.#warn = warn;
    this.#progress = progress;
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
      const outcome: Outcome = { check, type, transport, ms, ...recorder.secrets.hiddenIn(rest) };
      this.outcomes.push(outcome);
      this.#progress.ended(outcome);
    };
    try {
      this.#server.fence.begin(check.id);
      const why = reason ?? elsewhere(check, transport) ?? this.#findSettler(check, type);
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
      const failure = failureOf(error, recorder.take());
      const refused = status === 'failed' ? await this.#findRefusal(on, error) : null;
      if (refused !== null)
        return end({ status: 'notApplicable', reason: refused, isRefused: true });
      const lost = error instanceof NoAnswerError ? await this.#findLoss(error) : null;
      // A check that the server did not let the runner finish has not failed.
      if (lost instanceof DeclinedError) throw new LostError(lost.since(check.id), this.outcomes);
      end({ status, failure });
      if (status === 'failed') this.#failed.add(keyOf(check.id, type));
      if (error instanceof NoAnswerError) this.#giveUp(check, error, lost);
      else this.#unanswered = 0;
    }
  }

  /** Names the object that a check failed by, if the descriptor doesn't tell why it is refused. */
  async #findRefusal(on: Server | Subject, error: unknown): Promise<string | null> {
    if (!(on instanceof Subject) || error instanceof NoAnswerError) return null;
    // Where that fails, too, the check's own failure says more.
    return await this.#server.recorder.aside(() => refusedSample(on)).catch(() => null);
  }

  /** Returns the failed check that settles this one, in words; null where there is none. */
  #findSettler({ id }: Check, type: string | null): string | null {
    const before = settlersOf(id).find(
      (one) => this.#failed.has(keyOf(one, type)) || this.#failed.has(keyOf(one, null)),
    );
    return before === undefined ? null : `Not run because ${before} failed.`;
  }

  /** Returns why the server answers nothing more; null where it answers with the session. */
  async #findLoss(error: NoAnswerError): Promise<Error | null> {
    if (error instanceof DeclinedError) return error;
    const { user, recorder } = this.#server;
    return await recorder
      .aside(() => user.http.send(user.session.url))
      .then(
        () => null,
        (error: Error) => error,
      );
  }

  /**
   * Throws LostError where the server answers nothing more, or was silent over some requests in a
   * row.
   */
  #giveUp({ id }: Check, { message }: NoAnswerError, lost: Error | null): void {
    if (lost !== null)
      throw new LostError(`The server is lost since ${id}: ${lost.message}`, this.outcomes);
    this.#unanswered += 1;
    if (this.#unanswered === PATIENCE)
      throw new LostError(`${PATIENCE} checks in a row got no answer: ${message}`, this.outcomes);
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
      await recorder.aside(() => adoptLost(on)).catch(() => undefined);
      if (error instanceof NoAnswerError) throw error;
      const wasBeside = on.isBeside;
      // Where that fails, too, the check's own failure says more.
      const told = await recorder.aside(() => tellOthers(on)).catch(() => []);
      if (told.length === 0) throw error;
      for (const line of told) this.#warn(line);
      await recorder.aside(() => lookAround(on));
      if (!wasBeside) throw error;
      recorder.take();
      await work();
    }
  }
}

/** Returns a key of a check that ran for a type. */
const keyOf = (id: string, type: string | null): string => `${id} ${type ?? ''}`;

/**
 * Looks at a type and prepares it. Returns why none of its checks can be run; null where they can.
 * Throws LostError where the server answers nothing.
 */
async function findObstacle(
  subject: Subject,
  { unusable = () => undefined }: Plan,
  outcomes: readonly Outcome[],
): Promise<string | null> {
  try {
    const reason = await lookAround(subject);
    if (reason !== null) return reason;
    for (const accountId of accountsOf(subject))
      if (subject.has('set')) await subject.prepare(accountId);
    return null;
  } catch (error) {
    if (error instanceof NoAnswerError) throw new LostError(error.message, outcomes);
    const reason = `${subject.type} can't be used: ${messageOf(error)}`;
    unusable(reason);
    return reason;
  }
}
