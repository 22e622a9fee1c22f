import { NotApplicable } from '../not-applicable.js';
import {
  type ApiResponse,
  asSet,
  type Call,
  type ChangesAnswer,
  type CopyAnswer,
  type GetAnswer,
  type QueryAnswer,
  type QueryChangesAnswer,
  type SetAnswer,
} from './answers.js';
import type { ApiAnswer, Connection } from './connection.js';
import type { JsonMap } from './json.js';

/** Method calls as a user makes them, by one connection. */
export class Client {
  readonly connection: Connection;
  readonly using: readonly string[];
  readonly #calculates: boolean;

  /** `calculates`: the server must calculate changes where it is asked for them. */
  constructor(connection: Connection, using: readonly string[], calculates: boolean) {
    this.connection = connection;
    this.using = using;
    this.#calculates = calculates;
  }

  /** The same user with other capabilities. */
  with(using: readonly string[]): Client {
    return new Client(this.connection, using, this.#calculates);
  }

  /** A request's text, as it is. */
  send(text: string): Promise<ApiAnswer> {
    return this.connection.send(text);
  }

  /** A whole request whose envelope must be accepted. */
  async api(calls: readonly Call[], more: object = {}): Promise<ApiResponse> {
    const body = { using: this.using, methodCalls: calls, ...more };
    const answer = await this.connection.send(JSON.stringify(body));
    if (answer.kind === 'problem')
      throw new Error(
        `Refused with ${answer.status}: ${answer.told ?? JSON.stringify(answer.problem)}`,
      );
    return answer.response;
  }

  /** One call: the name and arguments of its one response. */
  async call(name: string, args: object): Promise<[string, JsonMap]> {
    const { methodResponses } = await this.api([[name, args, 'c0']]);
    const [response, ...others] = methodResponses;
    if (response === undefined || others.length > 0 || response[2] !== 'c0')
      throw new Error(`One call c0 has one response c0: ${JSON.stringify(methodResponses)}`);
    return [response[0], response[1]];
  }

  /** One call that must succeed: its response's arguments. */
  async ok(name: string, args: object): Promise<JsonMap> {
    const [responseName, response] = await this.call(name, args);
    if (responseName !== name) throw new Error(`${name} answered ${JSON.stringify(response)}`);
    return response;
  }

  async get(type: string, args: object): Promise<GetAnswer> {
    return (await this.ok(`${type}/get`, args)) as unknown as GetAnswer;
  }

  async set(type: string, args: object): Promise<SetAnswer> {
    return asSet(await this.ok(`${type}/set`, args));
  }

  async copy(type: string, args: object): Promise<CopyAnswer> {
    const response = await this.ok(`${type}/copy`, args);
    return { created: null, notCreated: null, ...response } as unknown as CopyAnswer;
  }

  async changes(type: string, args: object): Promise<ChangesAnswer> {
    return (await this.#told(`${type}/changes`, args)) as unknown as ChangesAnswer;
  }

  async query(type: string, args: object): Promise<QueryAnswer> {
    return (await this.ok(`${type}/query`, args)) as unknown as QueryAnswer;
  }

  async queryChanges(type: string, args: object): Promise<QueryChangesAnswer> {
    return (await this.#told(`${type}/queryChanges`, args)) as unknown as QueryChangesAnswer;
  }

  /**
   * Changes that a server can't calculate are no wrong ones: from which states it can, and whether it has states
   * between two, is its own affair, beside a SHOULD (RFC 8620 5.2, 5.5, 5.6).
   */
  async #told(name: string, args: object): Promise<JsonMap> {
    const [responseName, response] = await this.call(name, args);
    if (responseName === name) return response;
    if (!this.#calculates && response['type'] === 'cannotCalculateChanges')
      throw new NotApplicable(`${name} can't calculate the changes (cannotCalculateChanges).`);
    throw new Error(`${name} answered ${JSON.stringify(response)}`);
  }
}
