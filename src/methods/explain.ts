import type { MethodError } from '../protocol/errors.js';
import type { JsonObject } from '../protocol/json.js';
import type { Invocation } from '../protocol/request.js';
import type { StatementPlan, Store, Trace, TracedStatement, TracePhase } from '../store/port.js';
import { tracedStore } from '../store/traced.js';
import type { Services } from './context.js';
import type { RequestReadAhead } from './get/request-read-ahead.js';

/** Statements of a call that are told one by one; of the others it is told how many they are. */
const MAX_STATEMENTS = 50;
/** Characters of a statement: a filter of a thousand conditions makes a long one. */
const MAX_TEXT = 10_000;
/** Lines of a plan: it has some for each of those conditions. */
const MAX_STEPS = 500;

/**
 * Characters of parameters that a call keeps for its plans until all calls are done. The parameters
 * of a /set are as long as its objects, and a small request may change many.
 */
const MAX_PARAMETERS = 250_000;

/** Gathers the explanation of a request that asks for one; other requests have none. */
export class Explanation {
  readonly #store: Store;
  readonly #calls: ExplainedCall[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Begins with a call, which is run from now on. */
  begin(invocation: Invocation): ExplainedCall {
    const call = new ExplainedCall(invocation);
    this.#calls.push(call);
    return call;
  }

  /**
   * Tells of all calls once they are done: asking how a statement runs must not disturb them. All
   * plans together have `time` ms. Their reads take the turns of the calls' accounts; for a call
   * without an account they wait only behind the user's own.
   */
  async tell(time: number, userId: string): Promise<readonly JsonObject[]> {
    const deadline = performance.now() + time;
    const explanations: JsonObject[] = [];
    for (const call of this.#calls) {
      const shown = call.isPartial ? [] : call.statements.slice(0, MAX_STATEMENTS);
      const kept = shown.map(({ first }) => first).filter((first) => first !== null);
      const plans = await this.#store.plans(call.accountId ?? userId, deadline, kept);
      explanations.push(
        call.tell(shown, new Map(kept.map((first, index) => [first, plans[index]]))),
      );
    }
    return explanations;
  }
}

type Plans = ReadonlyMap<TracedStatement | null, StatementPlan | null | undefined>;

/** All runs of one statement in a call. */
interface StatementRuns {
  readonly sql: string;
  readonly inThread: boolean;
  /** The first of them, for its plan; null where its parameters are too long to be kept. */
  readonly first: TracedStatement | null;
  count: number;
  /** Runs among them that failed, or that were given up to run in a thread. */
  failed: number;
  rows: number;
  /** From the question to the answer, ms. */
  time: number;
}

/** Records one call's statements, its waits and its outcome. */
export class ExplainedCall implements Trace {
  /** Null for a call without one, and one that was refused before it was known. */
  accountId: string | null = null;
  /**
   * Its user may see a part of some types alone. Rows of statements would tell of the rest, and so
   * would the counters of a reason.
   */
  isPartial = false;
  readonly #runs = new Map<string, StatementRuns>();
  readonly #invocation: Invocation;
  readonly #begun = performance.now();
  readonly #spent = { waiting: 0, working: 0, committing: 0, elsewhere: 0 };
  #phase: TracePhase = 'elsewhere';
  #since = this.#begun;
  /** Unanswered statements, since when, and the time with any: parallel ones count once. */
  #open = 0;
  #opened = 0;
  #database = 0;
  #kept = 0;
  #lasted = 0;
  #error: MethodError | null = null;
  /** The call id of the query that has found what this call answers. */
  #from: string | null = null;
  /** A query whose changes can't be calculated. */
  #isFinal = false;

  constructor(invocation: Invocation) {
    this.#invocation = invocation;
  }

  get statements(): readonly StatementRuns[] {
    return [...this.#runs.values()];
  }

  /** Returns the same services, for this call alone, which is of that account. */
  servicesFor(accountId: string | null, services: Services): Services {
    this.accountId = accountId;
    return { ...services, store: tracedStore(services.store, this) };
  }

  /** The call has its response; `readAhead` may have answered it. */
  end(response: object, readAhead: RequestReadAhead | null): void {
    this.#lasted = performance.now() - this.#begun;
    this.#from = readAhead?.hasAnswered ? readAhead.queryId : null;
    this.#isFinal = (response as JsonObject)['canCalculateChanges'] === false;
  }

  fail(error: MethodError): void {
    this.#lasted = performance.now() - this.#begun;
    this.#error = error;
  }

  noteStatement(statement: TracedStatement): (rows: number | null) => void {
    const runs = this.#runsOf(statement);
    runs.count += 1;
    const begun = performance.now();
    if (this.#open === 0) this.#opened = begun;
    this.#open += 1;
    return (rows) => {
      const now = performance.now();
      runs.time += now - begun;
      if (rows === null) runs.failed += 1;
      runs.rows += rows ?? 0;
      this.#open -= 1;
      if (this.#open === 0) this.#database += now - this.#opened;
    };
  }

  phase(phase: TracePhase): void {
    const now = performance.now();
    this.#spent[this.#phase] += now - this.#since;
    this.#phase = phase;
    this.#since = now;
  }

  /** Returns the parts of the call's time, in ms; the server itself took the remaining time. */
  get times(): Readonly<Record<'waiting' | 'database' | 'committing', number>> {
    const { waiting, committing } = this.#spent;
    return { waiting, database: this.#database, committing };
  }

  /** As the response has it, with these of its statements. */
  tell(shown: readonly StatementRuns[], plans: Plans): JsonObject {
    const { name, callId } = this.#invocation;
    const { waiting, database, committing } = this.times;
    const elsewhere = Math.max(0, this.#lasted - waiting - database - committing);
    const error = this.#error;
    const further = this.isPartial ? 0 : this.#runs.size - shown.length;
    const reason = this.#reason();
    return {
      name: error === null ? name : 'error',
      callId,
      milliseconds: milliseconds(this.#lasted),
      spent: {
        waiting: milliseconds(waiting),
        database: milliseconds(database),
        committing: milliseconds(committing),
        rest: milliseconds(elsewhere),
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
      ...(further > 0 ? { furtherStatements: further } : {}),
      ...(this.#from === null ? {} : { answeredFrom: this.#from }),
      // Of users who see all: filters and sorts read stored columns alone.
      ...(this.#isFinal && {
        canCalculateChanges: {
          reason: { code: this.isPartial ? 'partlyVisible' : 'noQueryChanges' },
        },
      }),
      ...(error && { error: { type: error.type, ...(reason && { reason }) } }),
    };
  }

  #reason(): JsonObject | null {
    const reason = this.#error?.reason ?? null;
    return reason !== null && this.isPartial ? { code: reason['code'] ?? null } : reason;
  }

  #runsOf(statement: TracedStatement): StatementRuns {
    const { sql, inThread } = statement;
    const key = `${inThread ? 'thread' : 'here'} ${sql}`;
    let runs = this.#runs.get(key);
    if (runs === undefined) {
      const first = this.#keeps(statement) ? statement : null;
      runs = { sql, inThread, first, count: 0, failed: 0, rows: 0, time: 0 };
      this.#runs.set(key, runs);
    }
    return runs;
  }

  #keeps({ parameters }: TracedStatement): boolean {
    let characters = 0;
    for (const value of parameters) characters += typeof value === 'string' ? value.length : 0;
    if (this.#kept + characters > MAX_PARAMETERS) return false;
    this.#kept += characters;
    return true;
  }
}

/** As it is told: to the microsecond. */
function milliseconds(time: number): number {
  return Math.round(time * 1000) / 1000;
}

function cutSteps(steps: readonly string[] | null): readonly string[] | null {
  if (steps === null || steps.length <= MAX_STEPS) return steps;
  return [...steps.slice(0, MAX_STEPS), '…'];
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
