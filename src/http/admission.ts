import type { IncomingMessage } from 'node:http';
import type { Principal } from '../accounts/principal.js';
import { RequestError } from '../protocol/errors.js';
import { tooFast } from '../protocol/limits.js';
import type { RateSet, RateVerdict } from '../runtime/rates/rate-limits.js';
import { authenticateRequest } from './authenticate-request.js';
import { ClientAddresses } from './client-address.js';
import type { EdgeResponse } from './edge-response.js';
import { HttpError } from './reply.js';
import type { RouteAccess } from './routes.js';
import type { TransportServices } from './shared.js';

const NO_HEADERS: readonly string[] = Object.freeze([]);

/** Lets requests with good credentials in, as many of them as RATE_LIMITS allows. */
export class Admission {
  readonly #services: TransportServices;
  readonly #addresses: ClientAddresses;
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
    const { user, address } = this.#services.rates;
    const principal =
      address === null
        ? await authenticateRequest(this.#services, req, access)
        : await this.#guard(req, res, { access, set: address });
    res.principal = principal;
    if (user !== null) requireGrant(user, await user.take(principal.userId), res);
    return principal;
  }

  /**
   * Counts credentials by their client's address before they are looked up, so that guesses which
   * come at once count too. Good ones give that back. Credentials that this process remembers as
   * good are never counted.
   */
  async #guard(
    req: IncomingMessage,
    res: EdgeResponse,
    { access, set }: { readonly access: RouteAccess; readonly set: RateSet },
  ): Promise<Principal> {
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
      const principal = await authenticateRequest(this.#services, req, access, count);
      giveBack();
      return principal;
    } catch (error) {
      // A provider that can't be asked must not make guesses free.
      if (error instanceof RequestError && verdict !== null) set.give(verdict);
      else if (error instanceof HttpError && error.status === 401) await count();
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
