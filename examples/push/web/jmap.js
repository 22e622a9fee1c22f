// A JMAP client as small as this page needs (RFC 8620 2, 3).

export const CORE = 'urn:ietf:params:jmap:core';

/** How long an answer may take, in ms: a lost network reports nothing. */
const TIMEOUT = 30_000;

/** The server refuses the token: the user has to sign in again. */
export class SignedOut extends Error {}

export class Jmap {
  #url;
  #token;
  /** The session as it was read last. */
  session;
  /** An answer named another state of the session than the one that was read. */
  isStale = false;

  /** Reads the session. Rejects with SignedOut if the token is wrong. */
  static async open(url, token) {
    const jmap = new Jmap();
    jmap.#url = url;
    jmap.#token = token;
    await jmap.readSession();
    return jmap;
  }

  async readSession() {
    const answer = await this.fetch(`${this.#url}/.well-known/jmap`);
    this.session = await answer.json();
    this.isStale = false;
  }

  /** Sends a request with the token. Rejects where the answer is no success. */
  async fetch(url, { headers, ...init } = {}) {
    const answer = await fetch(url, {
      ...init,
      headers: { ...headers, ...this.authorization },
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (answer.status === 401) throw new SignedOut('The server refuses the token.');
    if (!answer.ok) throw new Error(`The server answers ${answer.status}.`);
    return answer;
  }

  get authorization() {
    return { Authorization: `Bearer ${this.#token}` };
  }

  /** Makes one call; resolves to its arguments. An error of the method is thrown, with its type. */
  async call(capability, method, args) {
    const answer = await this.fetch(this.session.apiUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        using: [...new Set([CORE, capability])],
        methodCalls: [[method, args, '0']],
      }),
    });
    const { methodResponses, sessionState } = await answer.json();
    this.isStale ||= sessionState !== this.session.state;
    const [[name, response]] = methodResponses;
    if (name === 'error') throw Object.assign(new Error(response.type), response);
    return response;
  }
}
