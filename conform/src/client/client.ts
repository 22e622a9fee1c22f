import { NotApplicable } from '../not-applicable.js';
import { UnexpectedError } from '../unexpected.js';
import type { ApiResponse, Call, ChangesAnswer, GetAnswer, QueryChangesAnswer } from './answers.js';
import type { ApiAnswer, Connection } from './connection.js';
import { requireForm } from './forms.js';
import type { JsonMap } from './json.js';
import { Methods } from './methods.js';
import { replaceTexts, restoreTexts, type StandIns } from './stand-ins.js';

/** Method calls as a user makes them, by one connection. */
export class Client extends Methods {
  readonly connection: Connection;
  readonly using: readonly string[];
  readonly #strict: boolean;
  readonly #standIns: ReadonlyMap<string, StandIns>;

  /** `strict`: the server must list all objects and calculate all changes that it is asked for. */
  constructor(
    connection: Connection,
    using: readonly string[],
    strict: boolean,
    standIns: ReadonlyMap<string, StandIns> = new Map(),
  ) {
    super();
    this.connection = connection;
    this.using = using;
    this.#strict = strict;
    this.#standIns = standIns;
  }

  /** Returns a client of the same user with other capabilities. */
  with(using: readonly string[]): Client {
    return new Client(this.connection, using, this.#strict, this.#standIns);
  }

  /** Sends a request's text as it is; `isOnce`: also where the answer asks for a pause. */
  send(text: string, isOnce = false): Promise<ApiAnswer> {
    return this.connection.send(text, isOnce);
  }

  /** Returns the text of a request. */
  writeRequest(calls: readonly Call[], more: object = {}): string {
    const methodCalls = replaceTexts(calls, this.#standIns.values());
    return JSON.stringify({ using: this.using, methodCalls, ...more });
  }

  /** Sends calls and returns the responses. Throws where the request is rejected as a whole. */
  override async api(calls: readonly Call[], more: object = {}): Promise<ApiResponse> {
    const answer = await this.connection.send(this.writeRequest(calls, more));
    if (answer.kind === 'problem')
      throw new UnexpectedError(
        `Refused with ${answer.status}: ${answer.told ?? JSON.stringify(answer.problem)}`,
      );
    const { methodResponses, ...rest } = answer.response;
    return { methodResponses: restoreTexts(methodResponses, this.#standIns.values()), ...rest };
  }

  /**
   * Calls /get. Throws NotApplicable where all objects are asked for, and the server refuses that:
   * they are more than maxObjectsInGet, or the type doesn't support it (RFC 8620 5.1).
   */
  override async get(type: string, args: object): Promise<GetAnswer> {
    const { ids = null } = args as { ids?: unknown };
    const [name, response] = await this.call(`${type}/get`, args);
    const { type: error } = response;
    const mayRefuse =
      error === 'requestTooLarge' || (error === 'invalidArguments' && !this.#strict);
    if (name === 'error' && ids === null && mayRefuse)
      throw new NotApplicable(
        `${type}/get refuses ids: null (${error}), which RFC 8620 5.1 allows.`,
      );
    if (name !== `${type}/get`)
      throw new UnexpectedError(`${type}/get answered ${JSON.stringify(response)}`);
    return requireForm(name, response) as unknown as GetAnswer;
  }

  /** Calls /changes (RFC 8620 5.2). Throws NotApplicable where they can't be calculated. */
  override async changes(type: string, args: object): Promise<ChangesAnswer> {
    return (await this.#readChanges(`${type}/changes`, args)) as unknown as ChangesAnswer;
  }

  /** Calls /queryChanges (RFC 8620 5.6). Throws NotApplicable where they can't be calculated. */
  override async queryChanges(type: string, args: object): Promise<QueryChangesAnswer> {
    return (await this.#readChanges(`${type}/queryChanges`, args)) as unknown as QueryChangesAnswer;
  }

  /**
   * Calls /changes or /queryChanges. Throws NotApplicable where the server can't calculate them,
   * which RFC 8620 5.2 and 5.6 allow, unless the run is strict.
   */
  async #readChanges(name: string, args: object): Promise<JsonMap> {
    const [responseName, response] = await this.call(name, args);
    if (responseName === name) return requireForm(name, response);
    if (!this.#strict && response['type'] === 'cannotCalculateChanges')
      throw new NotApplicable(`${name} can't calculate the changes (cannotCalculateChanges).`);
    throw new UnexpectedError(`${name} answered ${JSON.stringify(response)}`);
  }
}
