import type { JsonObject } from '../../../src/protocol/json.js';
import type {
  Invocation,
  Request as JmapRequest,
  Response as JmapResponse,
} from '../../src/transport/transport.js';

/** The fate of a call that fails: the server makes it or not, and something else answers it. */
export interface Verdict {
  readonly isMade?: boolean;
  /** The type of an error, the arguments of an answer of its method, or null: no answer at all. */
  readonly answer: string | JsonObject | null;
}

export interface GateOptions {
  /** Decides on each call; undefined: the server makes and answers it. */
  readonly judge: (call: Invocation) => Verdict | undefined;
  /** Is called before a request goes on to the server. */
  readonly before?: (request: JmapRequest) => Promise<void> | void;
  /** Is called once the server has answered a request, before the client has the answer. */
  readonly after?: (request: JmapRequest) => Promise<void> | void;
}

/**
 * A `fetch` in front of a server that fails at single calls. It opens no event source, so the
 * client hears of nothing that it doesn't ask for. `requests` are those to the API.
 */
export function makeGate({ judge, before, after }: GateOptions) {
  const requests: JmapRequest[] = [];
  const pass: typeof fetch = async (url, init) => {
    if (new Headers(init?.headers).get('accept') === 'text/event-stream')
      throw new TypeError('There is no event source.');
    const text = String(init?.body);
    if (init?.method !== 'POST' || !text.includes('"methodCalls"')) return fetch(url, init);
    const request = JSON.parse(text) as JmapRequest;
    requests.push(request);
    await before?.(request);
    const verdicts = new Map(request.methodCalls.map((call) => [call[2], judge(call)]));
    const body = JSON.stringify(withoutUnmade(request, verdicts));
    const response = await fetch(url, { ...init, body });
    const answered = (await response.json()) as JmapResponse;
    await after?.(request);
    return Response.json(replaceAnswers(request, answered, verdicts), { status: response.status });
  };
  return { fetch: pass, requests };
}

type Verdicts = ReadonlyMap<string, Verdict | undefined>;

/** Returns a request with the calls alone that the server makes; it has one in any case. */
function withoutUnmade(request: JmapRequest, verdicts: Verdicts): JmapRequest {
  const methodCalls = request.methodCalls.filter(([, , id]) => {
    const verdict = verdicts.get(id);
    return verdict === undefined || verdict.isMade === true;
  });
  const echo: Invocation = ['Core/echo', {}, 'echo'];
  return { ...request, methodCalls: methodCalls.length > 0 ? methodCalls : [echo] };
}

function replaceAnswers(
  { methodCalls }: JmapRequest,
  response: JmapResponse,
  verdicts: Verdicts,
): JmapResponse {
  const methodResponses = methodCalls.flatMap(([name, , id]): readonly Invocation[] => {
    const verdict = verdicts.get(id);
    if (verdict === undefined) return response.methodResponses.filter((each) => each[2] === id);
    const { answer } = verdict;
    if (answer === null) return [];
    return [typeof answer === 'string' ? ['error', { type: answer }, id] : [name, answer, id]];
  });
  return { ...response, methodResponses };
}

/** Returns a verdict on a /set: it isn't made, and all that it writes is refused with an error. */
export function refuseAll([, args]: Invocation, error: JsonObject): Verdict {
  const { accountId = '', create, update, destroy } = args;
  const refused = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, error]));
  return {
    answer: {
      accountId,
      notCreated: refused(Object.keys(create ?? {})),
      notUpdated: refused(Object.keys(update ?? {})),
      notDestroyed: refused((destroy ?? []) as readonly string[]),
    },
  };
}

/** Returns a function that is true so many times. */
export function times(count: number): () => boolean {
  let left = count;
  return () => {
    left -= 1;
    return left >= 0;
  };
}

/** Tells calls that create or update gadgets. */
export const isOf = ([name, args]: Invocation, kind: 'create' | 'update'): boolean =>
  name === 'Gadget/set' && args[kind] !== undefined;

/** Returns the arguments of the calls of a method that requests have, in their order. */
export function argumentsOf(requests: readonly JmapRequest[], method: string): JsonObject[] {
  const calls = requests.flatMap(({ methodCalls }) => methodCalls);
  return calls.flatMap(([name, args]) => (name === method ? [args] : []));
}
