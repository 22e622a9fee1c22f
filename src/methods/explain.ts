import type { MethodError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import type { Invocation } from '../protocol/request.js';
import type { StatementPlan, Store, TracedStatement } from '../store/port.js';
import { tracedStore } from '../store/traced.js';
import type { Services } from './context.js';
import type { Foresight } from './get/foresight.js';
import { type Asked, CallTrace, milliseconds } from './trace.js';

/** What happened in one call. */
interface ExplainedCall {
  /** Null for a call without one, and one that was refused before it was known. */
  readonly accountId: string | null;
  readonly name: string;
  readonly callId: string;
  readonly trace: CallTrace;
  readonly milliseconds: number;
  readonly from: string | null;
  readonly error: MethodError | null;
  /** A query whose changes can't be calculated. */
  readonly isFinal: boolean;
}

/** Statements of a call that are told one by one; of the others it is told how many they are. */
const MAX_STATEMENTS = 50;
/** Characters of a statement: a filter of a thousand conditions makes a long one. */
const MAX_TEXT = 10_000;
/** Lines of a plan: it has some for each of those conditions. */
const MAX_STEPS = 500;

/** What a request gathers that asks to be explained; requests that don't have none. */
export class Explanation {
  readonly #services: Services;
  readonly #calls: ExplainedCall[] = [];
  #trace = new CallTrace();
  #call: Invocation | null = null;
  #accountId: string | null = null;
  #begun = 0;

  constructor(services: Services) {
    this.#services = services;
  }

  /** The call that is run from now on. */
  begin(call: Invocation): void {
    this.#call = call;
    this.#accountId = null;
    this.#trace = new CallTrace();
    this.#begun = performance.now();
  }

  /** The same services, for this call alone, which is of that account. */
  servicesFor(accountId: string | null, services: Services): Services {
    this.#accountId = accountId;
    return { ...services, store: tracedStore(services.store, this.#trace) };
  }

  /** The call has its response, of this name; `foresight` may have answered it. */
  ended(
    name: string,
    response: object | null,
    foresight: Foresight | null = null,
    error: MethodError | null = null,
  ): void {
    this.#calls.push({
      accountId: this.#accountId,
      name,
      callId: this.#call?.callId ?? '',
      trace: this.#trace,
      milliseconds: performance.now() - this.#begun,
      from: foresight?.hasAnswered ? foresight.queryId : null,
      error,
      isFinal: (response as JsonObject | null)?.['canCalculateChanges'] === false,
    });
  }

  /**
   * For the response, once all calls are done: to ask how a statement is run must not disturb what runs. All plans
   * together have so many ms. They are asked for as reads of the calls' accounts; those of calls without one wait
   * behind nobody's but the user's.
   */
  async told(time: number, userId: string): Promise<readonly JsonObject[]> {
    const { store } = this.#services;
    const deadline = performance.now() + time;
    const told: JsonObject[] = [];
    for (const call of this.#calls) {
      const shown = call.trace.statements.slice(0, MAX_STATEMENTS);
      const plans = await plansOf(store, call.accountId ?? userId, deadline, shown);
      told.push(tell(call, shown, plans));
    }
    return told;
  }
}

type Plans = ReadonlyMap<TracedStatement | null, StatementPlan | null>;

function tell(call: ExplainedCall, shown: readonly Asked[], plans: Plans): JsonObject {
  const { trace, error, from } = call;
  const { waiting, database, committing } = trace.times;
  const rest = Math.max(0, call.milliseconds - waiting - database - committing);
  return {
    name: call.name,
    callId: call.callId,
    milliseconds: milliseconds(call.milliseconds),
    spent: {
      waiting: milliseconds(waiting),
      database: milliseconds(database),
      committing: milliseconds(committing),
      rest: milliseconds(rest),
    },
    statements: shown.map(({ sql, inThread, first, count, rows, failed, time }) => ({
      sql: cut(sql),
      count,
      milliseconds: milliseconds(time),
      rows,
      ...(failed === 0 ? {} : { givenUp: failed }),
      ...(inThread ? { inThread: true } : {}),
      plan: cutSteps(plans.get(first)?.steps ?? null),
      indexes: plans.get(first)?.indexes ?? null,
    })),
    ...(trace.statements.length > shown.length
      ? { furtherStatements: trace.statements.length - shown.length }
      : {}),
    ...(from === null ? {} : { answeredFrom: from }),
    // The only reason that there is: filters and sorts read stored columns alone (D16).
    ...(call.isFinal ? { canCalculateChanges: { reason: { code: 'noQueryChanges' } } } : {}),
    ...(error && { error: { type: error.type, ...(error.reason && { reason: error.reason }) } }),
  };
}

async function plansOf(
  store: Store,
  accountId: string,
  deadline: number,
  shown: readonly Asked[],
): Promise<Plans> {
  const kept = shown.map(({ first }) => first).filter((first) => first !== null);
  const plans = await store.plans(accountId, deadline, kept);
  return new Map(kept.map((first, index) => [first, plans[index] ?? null]));
}

function cutSteps(steps: readonly string[] | null): readonly string[] | null {
  if (steps === null || steps.length <= MAX_STEPS) return steps;
  return [...steps.slice(0, MAX_STEPS), '…'];
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
