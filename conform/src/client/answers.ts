import { UnexpectedError } from '../unexpected.js';
import { requireForm } from './forms.js';
import type { Item, JsonMap } from './json.js';

/** Describes a method call. The arguments are free, for checks send wrong ones, too. */
export type Call = readonly [name: string, args: object, callId: string];

/** Describes an Invocation as a response has it (RFC 8620 3.2). */
export type MethodResponse = [name: string, args: JsonMap, callId: string];

/** Describes a Response (RFC 8620 3.4). */
export interface ApiResponse {
  readonly methodResponses: MethodResponse[];
  readonly createdIds?: Record<string, string>;
  readonly sessionState: string;
}

/** Describes the arguments of a response to /get (RFC 8620 5.1). */
export interface GetAnswer {
  readonly accountId: string;
  readonly state: string;
  readonly list: Item[];
  readonly notFound: string[];
}

/**
 * Describes the arguments of a response to /set (RFC 8620 5.3). Members that may be left out where
 * null (3.5) are filled in.
 */
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

/** Describes the arguments of a response to /copy (RFC 8620 5.4). */
export interface CopyAnswer {
  readonly fromAccountId: string;
  readonly accountId: string;
  readonly oldState: string;
  readonly newState: string;
  readonly created: Record<string, Item> | null;
  readonly notCreated: Record<string, JsonMap> | null;
}

/** Describes the arguments of a response to /changes (RFC 8620 5.2). */
export interface ChangesAnswer {
  readonly accountId: string;
  readonly oldState: string;
  readonly newState: string;
  readonly hasMoreChanges: boolean;
  readonly created: string[];
  readonly updated: string[];
  readonly destroyed: string[];
  /** Of RFC 8621 2.2, which other types may have as well. */
  readonly updatedProperties?: string[] | null;
}

/** Describes the arguments of a response to /query (RFC 8620 5.5). */
export interface QueryAnswer {
  readonly accountId: string;
  readonly queryState: string;
  readonly canCalculateChanges: boolean;
  readonly position: number;
  readonly ids: string[];
  readonly total?: number;
  readonly limit?: number;
}

/** Describes the arguments of a response to /queryChanges (RFC 8620 5.6). */
export interface QueryChangesAnswer {
  readonly accountId: string;
  readonly oldQueryState: string;
  readonly newQueryState: string;
  readonly total?: number;
  readonly removed: string[];
  readonly added: { id: string; index: number }[];
}

/** Holds the members of a /set response for acts that were not asked for, or did not fail. */
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

/**
 * Returns the arguments of the one response to a call of a request. Throws UnexpectedError where it
 * is an error, or there are several.
 */
export function findAnswer({ methodResponses }: ApiResponse, callId: string): JsonMap {
  const [response, ...others] = methodResponses.filter((one) => one[2] === callId);
  if (response === undefined || others.length > 0 || response[0] === 'error')
    throw new UnexpectedError(
      `${callId} has one response, no error: ${JSON.stringify(methodResponses)}`,
    );
  return requireForm(response[0], response[1]);
}
