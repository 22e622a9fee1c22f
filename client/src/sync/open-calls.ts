import { RequestError, TransportError } from '../call/errors.js';
import { type PendingWrite, unsend } from '../store/write.js';
import type { Invocation, Response } from '../transport/transport.js';
import type { Draft } from './draft.js';
import type { FailedCalls } from './failed-calls.js';
import type { FetchQueue } from './fetch-queue.js';
import type { FlushCall } from './flush.js';
import type { Outbox } from './outbox.js';
import type { FailedCall } from './outcomes.js';
import type { Lost, LostCalls, Recovery } from './recovery.js';
import type { SyncOptions } from './sync-options.js';

/** The part of a request that asks for unknown outcomes. */
export interface Questions {
  /** Keys of calls that were planned before: an earlier request may have had them. */
  readonly earlier: ReadonlySet<string | null>;
  /** A call whose answer was lost: nothing else is written until its outcome is known. */
  readonly lost: Lost | null;
  /** Finds out whether a call that has failed was made: nothing else is written, too. */
  readonly probe: Invocation | null;
  /** Nothing is written, and nothing asked. */
  readonly isResting?: boolean;
}

interface Tools {
  readonly outbox: Outbox;
  readonly wanted: FetchQueue;
  /** Returns whether the server tells nothing of a type. */
  readonly isRefused: (type: string) => boolean;
  /** Returns whether what is committed from now on is void. */
  readonly isEnded: () => boolean;
}

/** Calls whose outcomes are unknown. The code that finds these out is loaded when it is needed. */
export class OpenCalls {
  readonly #options: SyncOptions;
  readonly #tools: Tools;
  /** Calls that have lost their answers, and that can't be sent again. */
  #lost: LostCalls | null = null;
  /** Null: no request has been refused yet. */
  #failed: FailedCalls | null = null;

  constructor(options: SyncOptions, tools: Tools) {
    this.#options = options;
    this.#tools = tools;
  }

  /** Returns what the next request has to ask. */
  async ask(): Promise<Questions> {
    const { log } = this.#options.replica;
    // At the begin of a cycle, a call that was sent has lost its answer.
    const earlier = new Set(log.map(({ sentAs }) => sentAs));
    const lost = await this.#findLost();
    const probe = this.#failed?.findProbe() ?? null;
    return { earlier, lost, probe, isResting: this.#failed?.isResting === true };
  }

  callsOf({ lost, probe }: Questions): readonly Invocation[] {
    return [...(probe ? [probe] : []), ...((lost && this.#lost?.callsOf(lost)) ?? [])];
  }

  /**
   * Returns the types of writes whose outcomes are unknown behind an answer, by the log behind it.
   * The answer may have their effects: new objects would be shown twice, and a later answer to an
   * update be older than the copy.
   */
  findTypes({ lost }: Questions, log: readonly PendingWrite[], response: Response) {
    const types = new Set<string>();
    for (const { sentAs, type } of log)
      if (sentAs !== null && !this.#failed?.isUnmade(sentAs, response)) types.add(type);
    // A lost call is looked for among the objects.
    if (lost !== null && !lost.isMade) types.delete(lost.type);
    return types;
  }

  /** Reads what has come of a lost call. */
  recover({ lost }: Questions, response: Response, draft: Draft): Recovery | null {
    return (lost && this.#lost?.read(lost, response, draft)) ?? null;
  }

  /**
   * Reads a response whose other answers are committed. Returns the type of an error that may pass.
   */
  end(response: Response, isAnswered: boolean, recovery: Recovery | null): string | null {
    const failure = this.#failed?.readProbe(response) ?? null;
    if (isAnswered) this.#failed?.noteAnswer();
    if (recovery?.isWhole) this.#failed?.endMade();
    return failure;
  }

  /**
   * Makes the next request smaller than one with these calls that has failed. `refuse` may give up
   * other parts of it where it was too large. Returns whether the next request needs no pause.
   */
  async divide(
    calls: readonly FlushCall[],
    { earlier }: Questions,
    error: unknown,
    refuse: () => boolean,
  ): Promise<boolean> {
    if (this.#failed === null && !(error instanceof RequestError)) return false;
    const code = await this.#load();
    const isDivided = code !== null && this.#failed?.divide(calls, earlier, error);
    return isDivided || (code?.isTooLarge(error) === true && refuse());
  }

  /** Notes calls with unknown outcomes. Returns the type of an error where that can't be done. */
  async note(calls: readonly FailedCall[]): Promise<string | null> {
    if (calls.length === 0) return null;
    if ((await this.#load()) === null) return 'transport';
    this.#failed?.note(calls);
    return null;
  }

  /** A server that knows no keys of calls can't tell a call that comes again. */
  async #findLost(): Promise<Lost | null> {
    const { hasOnceKeys, replica } = this.#options;
    const made = this.#failed?.made ?? null;
    const hasKeys = hasOnceKeys();
    const sent = replica.log.find(
      ({ sentAs }) => sentAs !== null && (!hasKeys || sentAs === made?.onceKey),
    );
    if (sent === undefined) return null;
    // Nothing can be found out: it ends by its rounds alone.
    if (this.#tools.isRefused(sent.type)) {
      const { commit } = this.#options;
      if (hasKeys) this.#failed?.endMade();
      // They end as all writes of a type that isn't told.
      else
        void commit(
          { log: replica.log.map((each) => (each.sentAs === sent.sentAs ? unsend(each) : each)) },
          [],
        );
      return null;
    }
    const { LostCalls } = await import('./recovery.js').catch((cause: unknown) => {
      throw new TransportError('The code is missing.', { cause });
    });
    this.#lost ??= new LostCalls(this.#options, this.#tools.wanted);
    return this.#lost.find(made);
  }

  /** Resolves to null where there is no code: the server may be away, and the code with it. */
  async #load(): Promise<typeof import('./failed-calls.js') | null> {
    const code = await import('./failed-calls.js').catch(() => null);
    if (code === null || this.#tools.isEnded()) return null;
    this.#failed ??= new code.FailedCalls(this.#options, this.#tools.outbox);
    return code;
  }
}
