import { expect } from 'vitest';
import type { Call, Client, MethodResponse } from '../support/client.js';
import type { Json } from '../support/json.js';
import {
  expectedOf,
  expectedOfCopy,
  type Outcome,
  PLACES,
  type Place,
  type TokenName,
} from './expectations.js';
import type { Method } from './methods.js';
import type { World } from './world.js';

/** One cell of the matrix: a call and what it must answer. */
export interface Cell {
  /** To be read where it fails. */
  readonly name: string;
  readonly token: TokenName;
  readonly call: Call;
  readonly expected: Outcome;
  /** Errors that say nothing of access: the states and ids that are sent are those of nothing. */
  readonly harmless: readonly string[];
}

/** maxCallsInRequest. */
const CALLS = 32;

/** Every method by every place, and of two accounts every pair that one token is asked about. */
export function cellsOf(methods: readonly Method[], world: World): readonly Cell[] {
  return methods.flatMap((method): readonly Cell[] => {
    const { name, kind, capability, rest, isOwn } = method;
    // Its arguments are legal all the same: elsewhere in the matrix an account is looked for.
    const harmless = [isOwn ? 'invalidArguments' : 'cannotCalculateChanges'];
    const id = (place: Place): string => world.accountId(place.account, capability);
    const describePlace = ({ token, account }: Place): string =>
      `${name} by token "${token}": ${account}`;
    if (kind !== 'copy') {
      return PLACES.map((place) => {
        const args = kind === 'none' ? rest : { accountId: id(place), ...rest };
        const expected = expectedOf(method, place);
        return {
          name: describePlace(place),
          token: place.token,
          call: [name, args, ''] as const,
          expected,
          harmless,
        };
      });
    }
    return PLACES.flatMap((to) =>
      PLACES.filter(({ token }) => token === to.token).map((from) => {
        const args = { accountId: id(to), fromAccountId: id(from), ...rest };
        const expected = expectedOfCopy(method, to, from);
        const call = [name, args, ''] as const;
        return {
          name: `${describePlace(to)} <- ${from.account}`,
          token: to.token,
          call,
          expected,
          harmless,
        };
      }),
    );
  });
}

/**
 * The same cells where a result reference names the accounts (RFC 8620 3.7): it is resolved before
 * anything is looked for. Each is a request of its own, since the call it refers to comes before
 * it.
 */
export async function runByReference(
  cells: readonly Cell[],
  clients: Readonly<Record<TokenName, Client>>,
): Promise<readonly MethodResponse[]> {
  const responses: MethodResponse[] = [];
  for (const { token, call } of cells) {
    const [name, args] = call;
    const { accountId = '', fromAccountId = '', ...rest } = args as Readonly<Record<string, Json>>;
    const given = { accountId, fromAccountId };
    const referred = Object.keys(given)
      .filter((key) => key in args)
      .map((key) => [`#${key}`, { resultOf: 'e', name: 'Core/echo', path: `/${key}` }]);
    const { methodResponses } = await clients[token].api([
      ['Core/echo', given, 'e'],
      [name, { ...rest, ...Object.fromEntries(referred) }, 'c'],
    ]);
    responses.push(...methodResponses.slice(1));
  }
  return responses;
}

/** Returns the result of each cell: its name, and the error's type, null where the call worked. */
export async function run(
  cells: readonly Cell[],
  clients: Readonly<Record<TokenName, Client>>,
): Promise<readonly MethodResponse[]> {
  const responses = new Map<Cell, MethodResponse>();
  for (const token of ['all', 'some', 'read'] as const) {
    const mine = cells.filter((cell) => cell.token === token);
    for (let from = 0; from < mine.length; from += CALLS) {
      const part = mine.slice(from, from + CALLS);
      const calls = part.map(({ call }, n): Call => [call[0], call[1], `c${n}`]);
      const { methodResponses } = await clients[token].api(calls);
      for (const response of methodResponses) {
        const cell = part[Number(response[2].slice(1))];
        if (cell === undefined || responses.has(cell))
          throw new Error(`Nobody asked: ${JSON.stringify(response)}`);
        responses.set(cell, response);
      }
    }
  }
  return cells.map((cell) => {
    const response = responses.get(cell);
    if (response === undefined) throw new Error(`No answer: ${cell.name}`);
    return response;
  });
}

/** Compares all cells at once, so that a failure shows every one that is wrong. */
export function expectOutcomes(cells: readonly Cell[], responses: readonly MethodResponse[]): void {
  const wrong = cells.flatMap((cell, n) => {
    const outcome = outcomeOf(cell, responses[n]);
    return outcome === cell.expected
      ? []
      : [`${cell.name}: ${outcome ?? 'works'}, not ${cell.expected ?? 'works'}`];
  });
  expect(wrong).toEqual([]);
}

function outcomeOf(cell: Cell, response: MethodResponse | undefined): string | null {
  if (response === undefined) return 'nothing';
  const [name, args] = response;
  if (name === cell.call[0]) return null;
  return cell.expected === null && cell.harmless.includes(String(args['type']))
    ? null
    : String(args['type']);
}

/**
 * Expects the same answers, octet by octet, for things out of reach and things that aren't there.
 * No answer of such a cell may hold anything that the others of its method don't.
 */
export function expectAlike(cells: readonly Cell[], responses: readonly MethodResponse[]): void {
  const texts = new Map<string, Set<string>>();
  for (const [n, { call, expected }] of cells.entries()) {
    if (expected !== 'accountNotFound' && expected !== 'fromAccountNotFound') continue;
    const [name, args] = responses[n] ?? [];
    const key = `${call[0]} ${expected}`;
    texts.set(key, (texts.get(key) ?? new Set()).add(JSON.stringify([name, args])));
  }
  expect(texts.size).toBeGreaterThan(0);
  for (const [key, answers] of texts) expect([...answers], key).toHaveLength(1);
}
