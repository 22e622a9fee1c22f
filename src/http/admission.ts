import type { IncomingMessage } from 'node:http';
import { ForgedTokenError } from '../accounts/oidc/access-token.js';
import type { Gate, Principal } from '../accounts/principal.js';
import { RequestError } from '../protocol/errors.js';
import { tooFast } from '../protocol/limits.js';
import { setNewest } from '../runtime/forget-oldest.js';
import type { RateSet, RateVerdict } from '../runtime/rates/rate-limits.js';
import { authenticateRequest } from './authenticate-request.js';
import { ClientAddresses } from './client-address.js';
import type { EdgeResponse } from './edge-response.js';
import { HttpError } from './reply.js';
import type { RouteAccess } from './routes.js';
import type { TransportServices } from './shared.js';

/** Addresses that are remembered for forged messages. */
const MAX_REFUSED = 1000;
const NO_HEADERS: readonly string[] = Object.freeze([]);

/** Lets requests with good credentials in, as many of them as RATE_LIMITS allows. */
export class Admission {
  readonly #services: TransportServices;
  readonly #addresses: ClientAddresses;
  /** Verdicts on addresses that sent too many forged messages, by their keys. */
  readonly #refused = new Map<string, RateVerdict & { readonly until: number }>();
  #hasWarned = false;

  constructor(services: TransportServices) {
    this.#services = services;
    this.#addresses = new ClientAddresses(services.trustProxy);
  }

  /**
   * Resolves to the principal of a request, and notes it at the response. Rejects with HttpError
   * 400 or 401, or with the RequestError of a rule that refuses.
   */
  async admit(req: IncomingMessage, res: EdgeResponse, access: RouteAccess): Promise<Principal> {
    const { user } = this.#services.rates;
    const principal = await this.#guard(req, res, (count) =>
      authenticateRequest(this.#services, req, access, count),
    );
    res.principal = principal;
    if (user !== null) requireGrant(user, await user.take(principal.userId), res);
    return principal;
  }

  /**
   * Runs `judge`, which looks credentials up, and counts them by their client's address. `judge`
   * calls `count` before it looks them up, so that guesses which come at once count too. Good ones
   * give that back. Credentials for which it isn't called are never counted, unless they are 401.
   * Rejects as `judge` does, or with the RequestError of a rule that refuses.
   */
  async #guard<T>(
    req: IncomingMessage,
    res: EdgeResponse,
    judge: (count?: Gate) => Promise<T>,
  ): Promise<T> {
    const set = this.#services.rates.address;
    if (set === null) return judge();
    let verdict: RateVerdict | null = null;
    const count = async (): Promise<void> => {
      const key = verdict === null ? this.#findKey(req) : null;
      if (key === null) return;
      verdict = await set.take(key);
      requireGrant(set, verdict, res);
    };
    const giveBack = (): void => {
      if (verdict !== null) set.give(verdict);
      res.rates = NO_HEADERS;
    };
    try {
      const result = await judge(count);
      giveBack();
      return result;
    } catch (error) {
      // A provider that can't be asked must not make guesses free.
      if (error instanceof RequestError && verdict !== null) set.give(verdict);
      else if (error instanceof HttpError && error.status === 401) await count();
      throw error;
    }
  }

  /**
   * Runs `judge`, which passes a gate before it looks at the signature of a message, and counts
   * forged ones by the client's address, apart from credentials. All messages of an address that
   * sent too many stay before the gate for a while. Good ones never count. Rejects as `judge` does,
   * or with the RequestError of a rule that refuses.
   */
  async countForged<T>(
    req: IncomingMessage,
    res: EdgeResponse,
    judge: (gate: Gate) => Promise<T>,
  ): Promise<T> {
    const set = this.#services.rates.address;
    const key = set && this.#findKey(req);
    if (set === null || key === null) return judge(async () => undefined);
    try {
      return await judge(async () => {
        const known = this.#refused.get(key);
        const retryAfter = Math.ceil(((known?.until ?? 0) - performance.now()) / 1000);
        if (known !== undefined && retryAfter > 0) requireGrant(set, { ...known, retryAfter }, res);
      });
    } catch (error) {
      if (!(error instanceof ForgedTokenError)) throw error;
      const verdict = await set.take(`${key} forged`);
      const until = performance.now() + verdict.retryAfter * 1000;
      if (verdict.refusing !== null)
        setNewest(this.#refused, key, { ...verdict, until }, MAX_REFUSED);
      requireGrant(set, verdict, res);
      throw error;
    }
  }

  /** Returns the key of the client's address; null where it doesn't count. */
  #findKey(req: IncomingMessage): string | null {
    const { rates, log } = this.#services;
    const address = this.#addresses.find(req);
    if (address === null) return null;
    const { key, isPublic, isOfProxy } = address;
    if (isPublic) return key;
    if (!rates.countsPrivate) return null;
    if (isOfProxy && !this.#hasWarned) {
      this.#hasWarned = true;
      log.warn({}, 'RATE_LIMITS counts the address of a proxy: TRUST_PROXY does not name it');
    }
    return key;
  }
}

/** Notes what rules say of a request at its response. Throws where one of them refuses. */
function requireGrant(set: RateSet, verdict: RateVerdict, res: EdgeResponse): void {
  const { refusing, retryAfter, reading } = verdict;
  res.rates = ['RateLimit-Policy', set.policy, 'RateLimit', reading];
  if (refusing !== null) throw tooFast(refusing, retryAfter);
}
