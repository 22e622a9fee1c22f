import { findTarget, type Http, type HttpAnswer } from '../client/http.js';
import { asMap, type Json, type JsonMap } from '../client/json.js';

/**
 * The capability of a server that describes its own types; its object has the `url` of the
 * descriptors.
 */
export const REFERENCE = 'urn:jmapsmith:reference';

const WELL_KNOWN = '/.well-known/jmap';

/** The session can't be read: nothing can be checked. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}

/** A user's Session object (RFC 8620 2), as it was when the run began. */
export class Session {
  readonly url: string;
  readonly answer: HttpAnswer;
  readonly object: JsonMap;

  private constructor(url: string, answer: HttpAnswer) {
    this.url = url;
    this.answer = answer;
    this.object = asMap(answer.json);
  }

  /**
   * Reads the session from its own URL, or from the one that a host answers autodiscovery under
   * (2.2). A URL with a query can only be a session's own.
   */
  static async read(http: Http, url: string): Promise<Session> {
    const base = url.replace(/[/]+$/, '');
    const known = base.endsWith(WELL_KNOWN) ? base : `${base}${WELL_KNOWN}`;
    const places = new URL(url).search === '' ? [...new Set([known, url])] : [url];
    const tried: string[] = [];
    for (const place of places) {
      const answer = await http.follow(place);
      if (answer.status === 401)
        throw new SessionError(`${place} refuses the credentials (401): give valid ones.`);
      if (typeof asMap(answer.json)['apiUrl'] === 'string') return new Session(answer.url, answer);
      tried.push(describeAnswer(place, answer));
    }
    throw new SessionError(`No session was found: ${tried.join(', ')}.`);
  }

  /** Returns the capabilities of the server by URN (RFC 8620 2). */
  get capabilities(): JsonMap {
    return asMap(this.object['capabilities']);
  }

  /** Returns the accounts that the user may see, by id (RFC 8620 2). */
  get accounts(): Readonly<Record<string, JsonMap>> {
    const all = Object.entries(asMap(this.object['accounts']));
    return Object.fromEntries(all.map(([id, account]) => [id, asMap(account)]));
  }

  /**
   * Reads a limit of core's capability object (2). Returns what the RFC suggests at least where it
   * isn't there.
   */
  readLimit(name: keyof typeof SUGGESTED): number {
    const told = asMap(this.capabilities['urn:ietf:params:jmap:core'])[name];
    return typeof told === 'number' ? told : SUGGESTED[name];
  }

  /**
   * Lists the ids of accounts that offer a capability, the primary one first, then in the session's
   * order.
   */
  listOffering(capability: string): readonly string[] {
    const primary = asMap(this.object['primaryAccounts'])[capability];
    const ids = Object.keys(this.accounts).filter((id) =>
      Object.hasOwn(asMap(this.accounts[id]?.['accountCapabilities']), capability),
    );
    return ids.sort((a, b) => Number(b === primary) - Number(a === primary));
  }

  /** Tells whether an account is the user's own, and no group's or other user's (RFC 8620 2). */
  isPersonal(accountId: string): boolean {
    return this.accounts[accountId]?.['isPersonal'] === true;
  }

  /** Tells whether the user may only read an account (RFC 8620 2). */
  isReadOnly(accountId: string): boolean {
    return this.accounts[accountId]?.['isReadOnly'] === true;
  }

  /**
   * Returns a URL of the session, its variables filled in (RFC 6570, level 1). A relative one is of
   * the session's own. Throws SessionError where it can't be used.
   */
  expand(member: string, variables: Readonly<Record<string, string>> = {}): string {
    return this.expandTemplate(member, this.object[member], HTTP, variables);
  }

  /**
   * Fills in the variables of a URL template with another place in the session, and of other
   * schemes. Throws SessionError where it can't be used.
   */
  expandTemplate(
    name: string,
    template: Json | undefined,
    schemes: readonly string[],
    variables: Readonly<Record<string, string>> = {},
  ): string {
    const text = typeof template === 'string' ? expand(template, variables) : '';
    const isUrl = text !== '' && URL.canParse(text, this.url);
    // Credentials that were sent encrypted are not sent in clear text (RFC 8620 1.7).
    const isSecure = new URL(this.url).protocol === 'https:';
    const legal = isSecure ? schemes.filter((scheme) => SECURE.has(scheme)) : schemes;
    if (!isUrl || !legal.includes(new URL(text, this.url).protocol))
      throw new SessionError(
        `The session's ${name} is no URL that begins with ${legal.join('// or ')}//: ` +
          `${JSON.stringify(template) ?? 'it is missing'}.`,
      );
    return URL.canParse(text) ? text : new URL(text, this.url).href;
  }
}

/** Lists the schemes of the URLs of a session (RFC 8620 1.7), and of its WebSocket (RFC 8887 3). */
export const HTTP: readonly string[] = Object.freeze(['https:', 'http:']);
export const WS: readonly string[] = Object.freeze(['wss:', 'ws:']);

/** Lists the schemes that encrypt. */
const SECURE: ReadonlySet<string> = new Set(['https:', 'wss:']);

/** Describes an answer that is no session. */
function describeAnswer(
  place: string,
  { url, ...answer }: Awaited<ReturnType<Http['follow']>>,
): string {
  const target = findTarget(answer, url);
  if (target === null) return `${place} answered ${answer.status} without an apiUrl`;
  const hint = target.origin === new URL(url).origin ? '' : ': give that as --url';
  return `${place} redirects to ${target.href} (${answer.status})${hint}`;
}

/** RFC 8620 2: the limits that a server should have at least. */
export const SUGGESTED = Object.freeze({
  maxSizeUpload: 50_000_000,
  maxConcurrentUpload: 4,
  maxSizeRequest: 10_000_000,
  maxConcurrentRequests: 4,
  maxCallsInRequest: 16,
  maxObjectsInGet: 500,
  maxObjectsInSet: 500,
});

/** Fills in the variables of a template (RFC 6570, level 1). */
export function expand(template: string, variables: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(variables[name] ?? '').replaceAll(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  );
}
