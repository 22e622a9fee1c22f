import { type Check, isOfSection, type Level, type ServerCheck, type TypeCheck } from './check.js';
import { nameLeft, readMessage, tidy, warnOfOthers } from './clean-up.js';
import { NoAnswerError } from './client/no-answer.js';
import type { Outcome } from './outcome.js';
import { LostError, type Progress, Runner } from './runner.js';
import { listAccounts, lookAround } from './subject/beside.js';
import type { World } from './subject/described.js';
import type { Server } from './subject/server.js';
import { Subject } from './subject/subject.js';
import { findMissing, findWholeRefusal } from './usable.js';

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
  const runner = new Runner(server, progress, warn);
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
    for (const id of await server.subscriptions.tidy()) warn(`Left behind: PushSubscription ${id}`);
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
      const reason = obstacle ?? findMissing(check, subject);
      await runner.run(check, reason, () => runTypeCheck(check, subject), subject);
    }
    const refused = findWholeRefusal(subject, runner.outcomes);
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
    for (const accountId of listAccounts(subject))
      if (subject.has('set')) await subject.prepare(accountId);
    return null;
  } catch (error) {
    if (error instanceof NoAnswerError) throw new LostError(error.message, outcomes);
    const reason = `${subject.type} can't be used: ${readMessage(error)}`;
    unusable(reason);
    return reason;
  }
}
