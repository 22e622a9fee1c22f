import { UnexpectedError } from '../unexpected.js';
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
import { requireForm } from './forms.js';
import type { JsonMap } from './json.js';

/** Single method calls, the standard ones by name, over whatever takes a request. */
export abstract class Methods {
  /** Sends a whole request, whose envelope must be accepted. */
  abstract api(calls: readonly Call[], more?: object): Promise<ApiResponse>;

  /**
   * Sends one call and returns the name and arguments of its one response. Throws UnexpectedError
   * where there are more or none.
   */
  async call(name: string, args: object): Promise<[string, JsonMap]> {
    const { methodResponses } = await this.api([[name, args, 'c0']]);
    const [response, ...others] = methodResponses;
    if (response === undefined || others.length > 0 || response[2] !== 'c0')
      throw new UnexpectedError(
        `One call c0 has one response c0: ${JSON.stringify(methodResponses)}`,
      );
    return [response[0], response[1]];
  }

  /** Sends one call that must succeed, and returns its response's arguments. */
  async ok(name: string, args: object): Promise<JsonMap> {
    const [responseName, response] = await this.call(name, args);
    if (responseName !== name)
      throw new UnexpectedError(`${name} answered ${JSON.stringify(response)}`);
    return requireForm(name, response);
  }

  /** Calls /get (RFC 8620 5.1). Throws UnexpectedError on an error or a wrong form. */
  async get(type: string, args: object): Promise<GetAnswer> {
    return (await this.ok(`${type}/get`, args)) as unknown as GetAnswer;
  }

  /** Calls /set (RFC 8620 5.3). Throws UnexpectedError on an error or a wrong form. */
  async set(type: string, args: object): Promise<SetAnswer> {
    return asSet(await this.ok(`${type}/set`, args));
  }

  /** Calls /copy (RFC 8620 5.4). Throws UnexpectedError on an error or a wrong form. */
  async copy(type: string, args: object): Promise<CopyAnswer> {
    const response = await this.ok(`${type}/copy`, args);
    return { created: null, notCreated: null, ...response } as unknown as CopyAnswer;
  }

  /** Calls /changes (RFC 8620 5.2). Throws UnexpectedError on an error or a wrong form. */
  async changes(type: string, args: object): Promise<ChangesAnswer> {
    return (await this.ok(`${type}/changes`, args)) as unknown as ChangesAnswer;
  }

  /** Calls /query (RFC 8620 5.5). Throws UnexpectedError on an error or a wrong form. */
  async query(type: string, args: object): Promise<QueryAnswer> {
    return (await this.ok(`${type}/query`, args)) as unknown as QueryAnswer;
  }

  /** Calls /queryChanges (RFC 8620 5.6). Throws UnexpectedError on an error or a wrong form. */
  async queryChanges(type: string, args: object): Promise<QueryChangesAnswer> {
    return (await this.ok(`${type}/queryChanges`, args)) as unknown as QueryChangesAnswer;
  }
}
