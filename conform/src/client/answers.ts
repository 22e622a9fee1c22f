import { UnexpectedError } from '../unexpected.js';
import { formed } from './forms.js';
import type { Item, JsonMap } from './json.js';

/** A method call; the arguments are free, for checks send wrong ones too. */
export type Call = readonly [name: string, args: object, callId: string];

/** Describes an Invocation as a response has it (RFC 8620 3.2). */
export type MethodResponse = [name: string, args: JsonMap, callId: string];

/** RFC 8620 3.4. */
export interface ApiResponse {
  readonly methodResponses: MethodResponse[];
  readonly createdIds?: Record<string, string>;
  readonly sessionState: string;
}

/** RFC 8620 5.1. */
export interface GetAnswer {
  readonly accountId: string;
  readonly state: string;
  readonly list: Item[];
  readonly notFound: string[];
}

/** RFC 8620 5.3, with the members that may be left out where null (3.5) filled in. */
export interface SetAnswer {
  readonly accountId: string;
  readonly oldState: string;
  readonly newState: string;
  readonly created: Record<string, Item> | null;
  readonly updated: Record<string, JsonMap | null> | null;
  readonly destroyed: string[] | null;
  readonly notCreated: Record<string, JsonMap> | null;
  readonly notUpdated: Record<string, JsonMap> | null;
  readonly notDestroyed: Record<string, JsonMap> | null;
}

/** RFC 8620 5.4. */
export interface CopyAnswer {
  readonly fromAccountId: string;
  readonly accountId: string;
  readonly oldState: string;
  readonly newState: string;
  readonly created: Record<string, Item> | null;
  readonly notCreated: Record<string, JsonMap> | null;
}

/** RFC 8620 5.2. */
export interface ChangesAnswer {
  readonly accountId: string;
  readonly oldState: string;
  readonly newState: string;
  readonly hasMoreChanges: boolean;
  readonly created: string[];
  readonly updated: string[];
  readonly destroyed: string[];
}

/** RFC 8620 5.5. */
export interface QueryAnswer {
  readonly accountId: string;
  readonly queryState: string;
  readonly canCalculateChanges: boolean;
  readonly position: number;
  readonly ids: string[];
  readonly total?: number;
  readonly limit?: number;
}

/** RFC 8620 5.6. */
export interface QueryChangesAnswer {
  readonly accountId: string;
  readonly oldQueryState: string;
  readonly newQueryState: string;
  readonly total?: number;
  readonly removed: string[];
  readonly added: { id: string; index: number }[];
}

/** The members of a /set response for acts that were not asked for, or did not fail. */
export const NOTHING_SET = Object.freeze({
  created: null,
  updated: null,
  destroyed: null,
  notCreated: null,
  notUpdated: null,
  notDestroyed: null,
});

/** Fills in what a /set response may leave out where it is null. */
export const asSet = (response: JsonMap): SetAnswer =>
  ({ ...NOTHING_SET, ...response }) as unknown as SetAnswer;

/** The arguments of the one response to a call of a request, which must be no error. */
export function answerTo({ methodResponses }: ApiResponse, callId: string): JsonMap {
  const [response, ...others] = methodResponses.filter((one) => one[2] === callId);
  if (response === undefined || others.length > 0 || response[0] === 'error')
    throw new UnexpectedError(
      `${callId} has one response, no error: ${JSON.stringify(methodResponses)}`,
    );
  return formed(response[0], response[1]);
}
