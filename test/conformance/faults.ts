import type * as vitest from 'vitest';
import { type ApiResponse, type Call, Client, type MethodResponse } from '../support/client.js';
import type { Json, JsonMap } from '../support/json.js';
import type { Registrar } from './suite.js';

/** One way for a server to be wrong, and the part of the suite that must notice. */
export interface Fault {
  readonly name: string;
  /** The start of the title of a section: of the protocol's or of a descriptor's. */
  readonly section: string;
  /** What the server would have been sent, had it been wrong in this way. */
  readonly request?: (call: Call) => Call;
  /** What it would have answered. */
  readonly answer?: (response: MethodResponse) => MethodResponse;
  readonly whole?: (response: ApiResponse) => ApiResponse;
}

/** The fault that a client shows now: none at first. */
export interface Switch {
  fault?: Fault | undefined;
}

/** Stands between the suite and a server and falsifies what goes through, as a broken server would. */
export class FaultyClient extends Client {
  readonly #now: Switch;

  constructor({ url, token, using }: Client, now: Switch) {
    super(url, token, using);
    this.#now = now;
  }

  override with(using: readonly string[]): FaultyClient {
    return new FaultyClient(super.with(using), this.#now);
  }

  override async api(calls: readonly Call[], more: object = {}): Promise<ApiResponse> {
    const { fault } = this.#now;
    const { request, answer, whole } = fault ?? {};
    const sent = request === undefined ? calls : calls.map(request);
    const response = await super.api(sent, more);
    const told =
      answer === undefined
        ? response
        : { ...response, methodResponses: response.methodResponses.map(answer) };
    return whole === undefined ? told : whole(told);
  }
}

/** A case that can be run by itself. */
export interface CollectedCase {
  readonly title: string;
  run(): Promise<'passed' | 'failed' | 'skipped'>;
}

class Skipped extends Error {}

/** Takes down cases in place of vitest. */
export function collector(): Registrar & { readonly cases: CollectedCase[] } {
  const titles: string[] = [];
  const cases: CollectedCase[] = [];
  const context = {
    skip: (note?: string) => {
      throw new Skipped(note);
    },
  } as unknown as vitest.TestContext;
  return {
    cases,
    describe(name, tell) {
      titles.push(name);
      tell();
      titles.pop();
    },
    it(name, run) {
      cases.push({
        title: [...titles, name].join(': '),
        run: () =>
          run(context).then(
            () => 'passed' as const,
            (error: unknown) => (error instanceof Skipped ? ('skipped' as const) : 'failed'),
          ),
      });
    },
  };
}

/** Changes the arguments of the calls of a method. */
export function sent(verb: string, change: (args: JsonMap) => JsonMap): (call: Call) => Call {
  return (call) => {
    const [name, args, id] = call;
    return name.endsWith(`/${verb}`) ? [name, change({ ...args } as JsonMap), id] : call;
  };
}

/** Changes the arguments of the responses of a method. */
export function told(
  verb: string,
  change: (args: JsonMap) => JsonMap,
): (response: MethodResponse) => MethodResponse {
  return (response) => {
    const [name, args, id] = response;
    return name.endsWith(`/${verb}`) ? [name, change({ ...args }), id] : response;
  };
}

/** Changes one member, where the response has it. */
export function member(verb: string, name: string, change: (value: Json) => Json) {
  return told(verb, (args) =>
    args[name] === undefined ? args : { ...args, [name]: change(args[name]) },
  );
}

/** Forgets one member. */
export function without(verb: string, name: string) {
  return told(verb, ({ [name]: _, ...args }) => args);
}

/** Takes an operation that was refused as done. */
export function accepted(type: string): (response: MethodResponse) => MethodResponse {
  return told('set', (args) => {
    const now: JsonMap = { ...args };
    for (const [failed, done] of [
      ['notCreated', 'created'],
      ['notUpdated', 'updated'],
    ] as const) {
      const refused = Object.entries((args[failed] ?? {}) as Record<string, JsonMap>);
      const taken = refused.filter(([, error]) => error['type'] === type);
      if (taken.length === 0) continue;
      const rest = refused.filter((one) => !taken.includes(one));
      now[failed] = rest.length === 0 ? null : Object.fromEntries(rest);
      const objects = taken.map(([key]) => [key, { id: 'r0nothing' }]);
      now[done] = { ...(args[done] as JsonMap), ...Object.fromEntries(objects) };
    }
    return now;
  });
}
