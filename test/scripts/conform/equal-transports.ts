import { vi } from 'vitest';
import { CHECKS } from '../../../scripts/conform/checks/index.js';
import {
  type ApiAnswer,
  type Connection,
  HttpConnection,
  type TransportName,
} from '../../../scripts/conform/client/connection.js';
import { SocketConnection } from '../../../scripts/conform/client/socket.js';
import { run } from '../../../scripts/conform/run.js';
import type { World } from '../../../scripts/conform/subject/described.js';
import { Server } from '../../../scripts/conform/subject/server.js';

/** Whom a run is made for: alike on either side, and nothing of theirs is there yet. */
export interface Users {
  readonly url: string;
  readonly authorization: string;
  readonly others: readonly string[];
}

/** What of the checks goes by the API endpoint; those of RFC 8887 and 7.3 are the same in both runs. */
const BY_REQUESTS = CHECKS.filter(
  ({ specification, section }) => specification !== 'RFC 8887' && !section.startsWith('7'),
);

/** Checks that are spread evenly over all of them. */
export function sample(size: number): readonly string[] {
  const step = Math.max(1, Math.floor(BY_REQUESTS.length / size));
  return BY_REQUESTS.flatMap(({ id }, n) => (n % step === 0 ? [id] : []));
}

/** Of a request and its answer so much is compared: some have megabytes. */
const COMPARED = 50_000;

/** What a check's requests came to, in the order in which they were sent. */
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
  const server = await Server.connect({ ...users, transport, seed: 7 });
  try {
    const selection = { types, checks };
    await run(
      { server, world, checks: CHECKS, selection },
      {
        planned: () => undefined,
        started: () => {
          said = [];
        },
        ended: ({ check, type, status, reason, failure }) => {
          const names = new Names();
          const lines = said.map((one) => names.apply(JSON.stringify(one).slice(0, COMPARED)));
          const told = names.apply([status, reason ?? failure?.message ?? ''].join(': '));
          kept.set(`${type ?? 'the server'}: ${check.id}`, { status: told, said: lines });
        },
      },
    );
    return kept;
  } finally {
    server.close();
    for (const spy of spies) spy.mockRestore();
  }
}

/** Checks that send several requests at one time: what comes first is a matter of time. */
const AT_ONCE: readonly string[] = [
  'limits-concurrent',
  'changes-busy-writer',
  'changes-parallel-creates',
  'changes-parallel-steps',
  'query-changes-busy-writer',
];

/** Why two transcripts of a check may differ. */
export const DIFFERENT: ReadonlyMap<string, string> = new Map([
  ...BY_REQUESTS.flatMap(({ id, transport }) =>
    transport === undefined ? [] : [[id, `It is shown over ${transport} alone.`] as const],
  ),
  ...AT_ONCE.map((id) => [id, 'Its requests are answered in any order.'] as const),
]);

/** Ids, times and states of a session, by the order in which a check meets them. */
class Names {
  readonly #names = new Map<string, string>();

  apply(text: string): string {
    return text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
      .replaceAll(/("sessionState":)"[^"]*"/g, '$1"STATE"')
      .replaceAll(/[a-zA-Z][\w-]{14,}/g, (word) => this.#name(word));
  }

  /** A word without a digit is no id. */
  #name(word: string): string {
    const known = this.#names.get(word) ?? (/\d/.test(word) ? `ID${this.#names.size}` : word);
    this.#names.set(word, known);
    return known;
  }
}
