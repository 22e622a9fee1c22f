import type { Principal } from '../accounts/principal.js';
import type { JsonObject, JsonValue } from '../protocol/json.js';
import { parseRequest } from '../protocol/request.js';
import { type ResponseBody, responseText } from '../protocol/response.js';
import type { Sessions } from '../protocol/session.js';
import type { Dispatcher, RequestSource } from './dispatch.js';
import type { Registry } from './registry.js';

/** One JMAP request, whatever carried it: HTTP and WebSocket differ only in framing. */
export interface Api {
  /**
   * Runs a parsed body: the Response's text as pieces to write in order, `first` in front of its members. Rejects with
   * RequestError before anything is run.
   */
  run(
    value: JsonValue,
    principal: Principal,
    source: RequestSource,
    first?: JsonObject,
  ): Promise<string[]>;
}

/** Counts calls and their errors. */
export interface CallMetrics {
  /** `method` is a registered method name. */
  methodCall(method: string): void;
  /** `type` is a method-level error type. */
  methodError(type: string): void;
}

export interface ApiOptions {
  readonly registry: Registry;
  readonly dispatcher: Dispatcher;
  readonly sessions: Sessions;
  readonly metrics: CallMetrics;
  readonly maxCallsInRequest: number;
  /** The capability that a request names in `using` to be explained. */
  readonly explainCapability?: string;
}

const ERROR_PREFIX = '["error",{"type":"';

export function createApi(options: ApiOptions): Api {
  const { registry, dispatcher, sessions, metrics } = options;
  const requestOptions = {
    maxCallsInRequest: options.maxCallsInRequest,
    hasCapability: (urn: string) => registry.capabilities.has(urn),
    explainCapability: options.explainCapability,
  };
  const answered = (body: ResponseBody, principal: Principal, first?: JsonObject): string[] => {
    for (const text of body.invocations) {
      if (typeof text === 'string' && text.startsWith(ERROR_PREFIX)) {
        metrics.methodError(
          text.slice(ERROR_PREFIX.length, text.indexOf('"', ERROR_PREFIX.length)),
        );
      }
    }
    return responseText(body, sessions.state(principal), first);
  };
  return {
    async run(value, principal, source, first) {
      const envelope = parseRequest(value, requestOptions);
      for (const call of envelope.methodCalls) {
        // A name that a client made up must not become a label.
        metrics.methodCall(registry.methods.has(call.name) ? call.name : 'unknown');
      }
      const body = await dispatcher.handle(envelope, principal, source);
      return answered(body, principal, first);
    },
  };
}
