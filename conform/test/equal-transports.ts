import { vi } from 'vitest';
import { ALL_CHECKS } from '../../test/conformance/checks.js';
import {
  type ApiAnswer,
  type Connection,
  HttpConnection,
  type TransportName,
} from '../src/client/connection.js';
import { SocketConnection } from '../src/client/socket-connection.js';
import { run } from '../src/run.js';
import type { World } from '../src/subject/described.js';
import { Server } from '../src/subject/server.js';
import { Subject } from '../src/subject/subject.js';

/**
 * Gives the server of both runs a clock that shows no moment twice. Without it a tick within one
 * /set decides whether its objects have one `created`, so whether a second sort key counts.
 */
export const TICKING: Readonly<Record<string, string>> = {
  NODE_OPTIONS: `--import=${new URL('ticking-clock.mjs', import.meta.url).href}`,
};

/** Whom a run is made for: alike on either side, and nothing of theirs is there yet. */
export interface Users {
  readonly url: string;
  readonly authorization: string;
  readonly others: readonly string[];
}

/** Checks that send several requests at one time: what comes first is a matter of time. */
const AT_ONCE: ReadonlySet<string> = new Set([
  'limits-concurrent',
  'limits-concurrent-refused',
  'changes-busy-writer',
  'changes-parallel-creates',
  'changes-parallel-steps',
  'query-changes-busy-writer',
]);

/**
 * The checks that go by the API endpoint, over either transport; those of RFC 8887 and 7.3 are the
 * same in both runs. The values of objects depend on the values before, so that all of them are in
 * both runs.
 */
const BY_REQUESTS = ALL_CHECKS.filter(
  ({ id, specification, section, transport }) =>
    specification !== 'RFC 8887' &&
    !section.startsWith('7') &&
    transport === undefined &&
    !AT_ONCE.has(id),
);

/** Checks that are spread evenly over all of them. */
export function sample(size: number): readonly string[] {
  const step = Math.max(1, Math.floor(BY_REQUESTS.length / size));
  return BY_REQUESTS.flatMap(({ id }, n) => (n % step === 0 ? [id] : []));
}

/** Of a request and its answer so much is compared: some have megabytes. */
const COMPARED = 50_000;
/** Of a difference so much is shown, from where it begins. */
const SHOWN = 300;

/**
 * The order of members means nothing, nor do the words for a text that can't be read. A message
 * over a WebSocket has members of its own, and positions are told.
 */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (!isJsonObject(member)) return member;
    const entries = Object.entries(member).sort(byName);
    return UNREADABLE.has((member as { type?: unknown }).type)
      ? { ...Object.fromEntries(entries), detail: 'WORDS' }
      : Object.fromEntries(entries);
  });
}

const UNREADABLE: ReadonlySet<unknown> = new Set([
  'urn:ietf:params:jmap:error:notJSON',
  'urn:ietf:params:jmap:error:notRequest',
]);

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : Number(a > b);

const isJsonObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The results of a check's requests, in the order in which they were sent. */
export type Transcript = ReadonlyMap<string, { readonly status: string; readonly said: string[] }>;

/** Runs the checks for some types, and keeps what each of them sent and was answered. */
export async function transcript(
  users: Users,
  transport: TransportName,
  world: World,
  types: readonly string[],
  checks: readonly string[] = BY_REQUESTS.map(({ id }) => id),
): Promise<Transcript> {
  const kept = new Map<string, { status: string; said: string[] }>();
  let said: [request: string, answer: ApiAnswer | null][] = [];
  const spies = [HttpConnection, SocketConnection].map(({ prototype }) => {
    const send = prototype.send;
    return vi.spyOn(prototype, 'send').mockImplementation(async function (
      this: Connection,
      text: string,
    ) {
      const one: (typeof said)[number] = [text, null];
      said.push(one);
      const answer = await send.call(this as never, text);
      one[1] = answer;
      return answer;
    });
  });
  // The objects that the check before has left are removed first.
  const begin = Subject.prototype.begin;
  const begun = vi.spyOn(Subject.prototype, 'begin').mockImplementation(async function (
    this: Subject,
  ) {
    await begin.call(this);
    said = [];
  });
  const server = await Server.connect({ ...users, transport, seed: 7, strict: true });
  try {
    const selection = { types, checks };
    await run(
      { server, world, checks: ALL_CHECKS, selection },
      {
        planned: () => undefined,
        started: () => {
          said = [];
        },
        ended: ({ check, type, status, reason, failure }) => {
          const names = new Names();
          const lines = said.map((one) =>
            names.apply(inOrder(one).slice(0, 2 * COMPARED)).slice(0, COMPARED),
          );
          const told = names.apply([status, reason ?? failure?.message ?? ''].join(': '));
          kept.set(`${type ?? 'the server'}: ${check.id}`, { status: told, said: lines });
        },
      },
    );
    return kept;
  } finally {
    server.close();
    for (const spy of [...spies, begun]) spy.mockRestore();
  }
}

/** Returns the differences between two transcripts, at the first place of each check. */
export function differences(http: Transcript, socket: Transcript): readonly object[] {
  return [...http].flatMap(([name, told]) => {
    const other = socket.get(name);
    const at = told.said.findIndex((line, n) => line !== other?.said[n]);
    const isEqual = other?.status === told.status && other.said.length === told.said.length;
    if (isEqual && at === -1) return [];
    const [one = '', two = ''] = [told.said[at], other?.said[at]];
    let from = 0;
    while (from < one.length && one[from] === two[from]) from += 1;
    const shown = (line: string): string => line.slice(Math.max(0, from - 100), from + SHOWN);
    const request = one.slice(0, SHOWN);
    const http = [told.status, told.said.length, shown(one)];
    return [{ name, at, request, http, socket: [other?.status, other?.said.length, shown(two)] }];
  });
}

/** A state, or a query's, which has what tells its query, too: ids that are in its filter. */
const STATE = /(\\?"\w*[sS]tate\\?":\\?")(\d+)(?:[.]([\w-]+))?(?=\\?")/g;
const DURATION = /("(?:milliseconds|waiting|database|committing|rest)":)[\d.]+/g;

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Ids, times and states, by the order in which a check meets them. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #states = new Map<string, string>();

  apply(text: string): string {
    return (
      text
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
        .replaceAll(/("sessionState":)"[^"]*"/g, '$1"STATE"')
        .replaceAll(
          STATE,
          (_, member: string, number: string, query = '') =>
            `${member}${this.#state(number)} ${this.#state(query)}`,
        )
        .replaceAll(DURATION, '$1TIME')
        // Times have as many digits as it takes.
        .replaceAll(/has \d+ octets/g, 'has N octets')
        .replaceAll(UUID, (word) => this.#name(word))
        .replaceAll(/[a-zA-Z][\w-]{14,}/g, (word) => this.#name(word))
    );
  }

  #state(part: string): string {
    const known = this.#states.get(part) ?? `S${this.#states.size}`;
    this.#states.set(part, known);
    return known;
  }

  /** A word without a digit is no id. */
  #name(word: string): string {
    const known = this.#names.get(word) ?? (/\d/.test(word) ? `ID${this.#names.size}` : word);
    this.#names.set(word, known);
    return known;
  }
}
