import { NotApplicable } from '../not-applicable.js';
import type { ApiResponse, Call, ChangesAnswer, QueryChangesAnswer } from './answers.js';
import type { ApiAnswer, Connection } from './connection.js';
import type { JsonMap } from './json.js';
import { Methods } from './methods.js';

/** Method calls as a user makes them, by one connection. */
export class Client extends Methods {
  readonly connection: Connection;
  readonly using: readonly string[];
  readonly #calculates: boolean;

  /** `calculates`: the server must calculate changes where it is asked for them. */
  constructor(connection: Connection, using: readonly string[], calculates: boolean) {
    super();
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

  override async api(calls: readonly Call[], more: object = {}): Promise<ApiResponse> {
    const body = { using: this.using, methodCalls: calls, ...more };
    const answer = await this.connection.send(JSON.stringify(body));
    if (answer.kind === 'problem')
      throw new Error(
        `Refused with ${answer.status}: ${answer.told ?? JSON.stringify(answer.problem)}`,
      );
    return answer.response;
  }

  override async changes(type: string, args: object): Promise<ChangesAnswer> {
    return (await this.#told(`${type}/changes`, args)) as unknown as ChangesAnswer;
  }

  override async queryChanges(type: string, args: object): Promise<QueryChangesAnswer> {
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
